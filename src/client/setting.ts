import { withoutSecrets } from "../base/key.ts";
import { nearest } from "../base/text/nearest.ts";
import { durationProblem, parseDuration, unitHint } from "../api/duration.ts";
import { namedFormat } from "../api/output-format.ts";
import { checkHost } from "../api/host.ts";
import { splitCommand } from "../base/split-command.ts";
import { readSwitch } from "../base/text/switch-words.ts";

/** In messages, `problem` follows `DEXDATA_RETRIES "-1": `, and `next` is on a separate line. */
export type Checked<T> = { readonly value: T } | { readonly problem: string; readonly next?: string };

/** A value that an environment variable or config.json can set, with its check and its help. */
export interface Setting<T> {
  readonly name: string;
  readonly variable: string;
  readonly kind:
    | "host"
    | "choice"
    | "boolean"
    | "integer"
    | "rate"
    | "duration"
    | "list"
    | "word"
    | "command";
  readonly fallback: T;
  /** The default as `config list` displays it. */
  readonly fallbackText: string;
  /** One line that includes the unit or the choices. */
  readonly help: string;
  /** The only place that is allowed: the environment variable, or config.json. */
  readonly only?: "environment" | "file";
  readonly check: (text: string) => Checked<Exclude<T, undefined>>;
}

/** The environment variable is `DEXDATA_` plus the name in upper case, with underscores instead of dots. */
export function defineSetting<T>(described: Omit<Setting<T>, "variable">): Setting<T> {
  return { ...described, variable: `DEXDATA_${described.name.toUpperCase().replaceAll(".", "_")}` };
}

export function host(name: string, fallback: string, service: string, plans: string): Setting<string> {
  const help = `${service} host for ${plans} plans`;
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
    const format = choices.find((each) => each === namedFormat(text));
    const near = format ?? nearest(text, choices);
    const problem = `must be one of ${choices.join(", ")}`;
    return near === undefined ? { problem } : { problem, next: `did you mean ${near}?` };
  };
  const described = { name, help: `${help}: ${choices.join(", ")}`, fallbackText, check };
  return defineSetting<T | F>({ kind: "choice", fallback, ...described });
}

/** All boolean variables accept the same words. */
export function boolean(name: string, help: string): Setting<boolean> {
  const described = { name, help: `${help} (1 or 0)`, fallbackText: "off", check: readBoolean };
  return defineSetting({ kind: "boolean", fallback: false, ...described });
}

function readBoolean(text: string): Checked<boolean> {
  const value = readSwitch(text);
  return value === undefined ? { problem: "must be 1, true, yes or on, or 0, false, no or off" } : { value };
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

function readWithin(
  text: string,
  digits: number,
  min: number,
  max: number,
): { readonly value: number } | undefined {
  const value = text.length <= digits && /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? { value } : undefined;
}

/** In requests per minute. */
export function readRate(text: string): Checked<number | "unlimited"> {
  if (text === "unlimited") return { value: text };
  const problem = "must be a whole number from 1 to 100000, or unlimited";
  return readWithin(text, 6, 1, 100_000) ?? { problem };
}

/** HTTP statuses, such as `502,503`. */
export function readStatuses(text: string): Checked<ReadonlySet<number>> {
  const read = text.split(",").map((each) => readWithin(each.trim(), 3, 400, 599));
  const statuses = read.flatMap((each) => (each === undefined ? [] : [each.value]));
  if (statuses.length === read.length) return { value: new Set(statuses) };
  return { problem: "must be HTTP statuses from 400 to 599, separated by commas, e.g. 502,503,504" };
}

/** At least 1 millisecond. */
export function readTimeout(text: string): Checked<number> {
  const value = Math.round(parseDuration(text) ?? 0);
  if (value >= 1 && value <= 86_400_000) return { value };
  const [problem, next] = [`${durationProblem}, more than 0 and up to 24h`, unitHint(text)];
  return next === undefined ? { problem } : { problem, next };
}

/** Only letters, digits, dots, dashes and underscores are allowed, so the name never needs quotes. */
export function checkProfileName(text: string): Checked<string> {
  if (/^api_/iu.test(text)) return { problem: "must be the name of a profile, not a key" };
  if (/^[\da-z][\w.-]{0,63}$/iu.test(text)) return { value: text };
  return { problem: "must be at most 64 characters: letters, digits, dots, dashes or underscores" };
}

/** The program runs without a shell. */
export function readCommand(text: string): Checked<readonly string[]> {
  const words = splitCommand(text);
  return "problem" in words ? words : { value: words };
}

/** Such as `DEXDATA_RETRIES "many"`. */
export function label(where: string, text: string): string {
  return `${where} "${withoutSecrets(text)}"`;
}
