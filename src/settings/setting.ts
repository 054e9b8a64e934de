import { withoutSecrets } from "../contract/key.ts";
import { nearest } from "../text/nearest.ts";
import { durationProblem, parseDuration, unitHint } from "../contract/duration.ts";
import { checkHost } from "../contract/host.ts";
import { splitCommand } from "./split-command.ts";

/** A value, or why it is none: `problem` goes after `DEXDATA_RETRIES "-1": `, `next` on a line of its own. */
export type Checked<T> = { readonly value: T } | { readonly problem: string; readonly next?: string };

export interface Setting<T> {
  /** As typed in `config set`, and as it stands in config.json. */
  readonly name: string;
  readonly variable: string;
  readonly kind: "host" | "choice" | "integer" | "rate" | "duration" | "word" | "command";
  readonly fallback: T;
  /** What `config list` shows for the default. */
  readonly fallbackText: string;
  /** One line; states unit or choices. */
  readonly help: string;
  /** Not kept in config.json. */
  readonly environmentOnly: boolean;
  /** Kept in config.json alone; its variable is refused. */
  readonly fileOnly: boolean;
  readonly check: (text: string) => Checked<T>;
  /** Of what stands in config.json or a variable, which units keep for years, where that may be more than is typed anew. */
  readonly checkKept?: (text: string) => Checked<T>;
}

/** What sets a setting apart; the rest of it follows from its name. */
type Described<T> = Pick<Setting<T>, "kind" | "name" | "help" | "fallback" | "fallbackText" | "check"> &
  Partial<Pick<Setting<T>, "checkKept" | "environmentOnly" | "fileOnly">>;

/** The variable is `DEXDATA_` and the name in capitals, with `_` for a dot. */
export function defineSetting<T>(described: Described<T>): Setting<T> {
  const variable = `DEXDATA_${described.name.toUpperCase().replaceAll(".", "_")}`;
  return { variable, environmentOnly: false, fileOnly: false, ...described };
}

export function host(name: string, fallback: string, help: string): Setting<string> {
  return defineSetting({ kind: "host", name, help, fallback, fallbackText: fallback, check: readHost });
}

function readHost(text: string): Checked<string> {
  const checked = checkHost(text);
  return typeof checked === "string" ? { value: checked } : checked;
}

export function choice<T extends string, F extends T | undefined>(
  name: string,
  choices: readonly T[],
  fallback: F,
  fallbackText: string,
  help: string,
): Setting<T | F> {
  const check = (text: string): Checked<T> => {
    const value = choices.find((each) => each === text);
    if (value !== undefined) return { value };
    const near = nearest(text, choices);
    const problem = `accepted: ${choices.join(", ")}`;
    return near === undefined ? { problem } : { problem, next: `did you mean ${near}?` };
  };
  const described = { name, help: `${help}: ${choices.join(", ")}`, fallbackText, check };
  return defineSetting<T | F>({ kind: "choice", fallback, ...described });
}

export function integer<F extends number | undefined>(
  name: string,
  [min, max]: readonly [number, number],
  fallback: F,
  fallbackText: string,
  help: string,
): Setting<number | F> {
  const check = (text: string): Checked<number> =>
    readWithin(text, 9, min, max) ?? { problem: `must be a whole number from ${min} to ${max}` };
  const described = { name, help: `${help} (${min} to ${max})`, fallbackText, check };
  return defineSetting<number | F>({ kind: "integer", fallback, ...described });
}

function readWithin(text: string, digits: number, min: number, max: number): Checked<number> | undefined {
  const value = text.length <= digits && /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? { value } : undefined;
}

/** Requests a minute. */
export function readRate(text: string): Checked<number | "unlimited"> {
  if (text === "unlimited") return { value: text };
  const problem = "must be a whole number from 1 to 100000, or unlimited";
  return readWithin(text, 6, 1, 100_000) ?? { problem };
}

/** To milliseconds, at least one. */
export function readTimeout(text: string): Checked<number> {
  const value = Math.round(parseDuration(text) ?? 0);
  if (value >= 1 && value <= 86_400_000) return { value };
  const [problem, next] = [`${durationProblem}, more than 0 and a day at most`, unitHint(text)];
  return next === undefined ? { problem } : { problem, next };
}

/** A number alone was kept as seconds before a unit was asked for. */
export function readKeptTimeout(text: string): Checked<number> {
  return readTimeout(/^\d+(?:\.\d+)?$/u.test(text) ? `${text}s` : text);
}

/** The name of a key profile: letters, digits, dot, dash and underscore, so that it needs no quoting anywhere. */
export function checkProfileName(text: string): Checked<string> {
  if (/^api_/iu.test(text)) return { problem: "is a key, not the name of a profile" };
  if (/^[\da-z][\w.-]{0,63}$/iu.test(text)) return { value: text };
  return { problem: "must be letters, digits, dots, dashes and underscores, 64 at most" };
}

/** A program with its arguments, run without a shell. */
export function readCommand(text: string): Checked<readonly string[]> {
  const words = splitCommand(text);
  return "problem" in words ? words : { value: words };
}

/** `DEXDATA_RETRIES "many"`: what a message about a value begins with. */
export function label(where: string, text: string): string {
  return `${where} "${withoutSecrets(text)}"`;
}
