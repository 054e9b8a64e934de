import { withoutSecrets } from "../contract/key.ts";
import { nearest } from "../text/nearest.ts";
import { durationProblem, parseDuration, unitHint } from "../contract/duration.ts";
import { checkHost } from "./check-host.ts";
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

export function host(name: string, fallback: string, help: string): Setting<string> {
  return { ...described(name, help), kind: "host", fallback, fallbackText: fallback, check: readHost };
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
  return {
    ...described(name, `${help}: ${choices.join(", ")}`),
    kind: "choice",
    fallback,
    fallbackText,
    check,
  };
}

export function integer<F extends number | undefined>(
  name: string,
  bounds: { readonly min: number; readonly max: number },
  fallback: F,
  fallbackText: string,
  help: string,
): Setting<number | F> {
  const range = `${bounds.min} to ${bounds.max}`;
  const check = (text: string): Checked<number> => {
    const value = /^\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
    const isInside = value >= bounds.min && value <= bounds.max;
    return isInside ? { value } : { problem: `must be a whole number from ${range}` };
  };
  return { ...described(name, `${help} (${range})`), kind: "integer", fallback, fallbackText, check };
}

export function duration(
  name: string,
  fallback: number,
  fallbackText: string,
  help: string,
): Setting<number> {
  const checks = { check: readTimeout, checkKept: readKeptTimeout };
  return { ...described(name, help), kind: "duration", fallback, fallbackText, ...checks };
}

/** Requests a minute. */
export function rate(
  name: string,
  fallbackText: string,
  help: string,
): Setting<number | "unlimited" | undefined> {
  return { ...described(name, help), kind: "rate", fallback: undefined, fallbackText, check: readRate };
}

function readRate(text: string): Checked<number | "unlimited"> {
  if (text === "unlimited") return { value: text };
  const value = /^\d{1,6}$/u.test(text) ? Number(text) : Number.NaN;
  const isInside = value >= 1 && value <= 100_000;
  return isInside ? { value } : { problem: "must be a whole number from 1 to 100000, or unlimited" };
}

/** To milliseconds, at least one. */
function readTimeout(text: string): Checked<number> {
  const value = Math.round(parseDuration(text) ?? 0);
  if (value >= 1 && value <= 86_400_000) return { value };
  const [problem, next] = [`${durationProblem}, more than 0 and a day at most`, unitHint(text)];
  return next === undefined ? { problem } : { problem, next };
}

/** A number alone was kept as seconds before a unit was asked for. */
function readKeptTimeout(text: string): Checked<number> {
  return readTimeout(/^\d+(?:\.\d+)?$/u.test(text) ? `${text}s` : text);
}

/** The name of a key profile: letters, digits, dot, dash and underscore, so that it needs no quoting anywhere. */
export function checkProfileName(text: string): Checked<string> {
  if (/^api_/iu.test(text)) return { problem: "is a key, not the name of a profile" };
  if (/^[\da-z][\w.-]{0,63}$/iu.test(text)) return { value: text };
  return { problem: "must be letters, digits, dots, dashes and underscores, 64 at most" };
}

export function profileName(name: string, fallbackText: string, help: string): Setting<string | undefined> {
  const base = described(name, help);
  return { ...base, kind: "word", fallback: undefined, fallbackText, check: checkProfileName };
}

/** A program with its arguments, run without a shell. */
export function command(
  name: string,
  fallbackText: string,
  help: string,
): Setting<readonly string[] | undefined> {
  const base = described(name, help);
  return { ...base, kind: "command", fallback: undefined, fallbackText, check: readCommand, fileOnly: true };
}

function readCommand(text: string): Checked<readonly string[]> {
  const words = splitCommand(text);
  return "problem" in words ? words : { value: words };
}

/** `DEXDATA_RETRIES "many"`: what a message about a value begins with. */
export function label(where: string, text: string): string {
  return `${where} "${withoutSecrets(text)}"`;
}

function described(
  name: string,
  help: string,
): Pick<Setting<never>, "name" | "variable" | "help" | "environmentOnly" | "fileOnly"> {
  return {
    name,
    variable: `DEXDATA_${name.toUpperCase().replaceAll(".", "_")}`,
    help,
    environmentOnly: false,
    fileOnly: false,
  };
}
