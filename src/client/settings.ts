import type { Context } from "../base/context/context.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { namedFormat, textFormats } from "../api/output-format.ts";
import { nearest } from "../base/text/nearest.ts";
import { tiers } from "../api/tier.ts";
import { withoutSecrets } from "../base/key.ts";
import { durationProblem, parseDuration, unitHint } from "../api/duration.ts";
import { checkHost, isLoopback } from "../api/host.ts";
import { splitCommand } from "../base/split-command.ts";
import { readSwitch } from "../base/text/words.ts";
import { parseTimeBound, showSeconds } from "../base/time/time.ts";

export const colorModes = ["auto", "always", "never"] as const;

/** The plans of each pair of hosts. */
const [free, paid] = ["keyless and free", "dev, pro and enterprise"];

/** In the order that `config list` uses. */
export const settings = {
  base_url: host("base_url", "https://api.dexpaprika.com", "REST", free),
  pro_base_url: host("pro_base_url", "https://api-pro.dexpaprika.com", "REST", paid),
  streaming_url: host("streaming_url", "https://streaming.dexpaprika.com", "Streaming", free),
  streaming_pro_url: host("streaming_pro_url", "https://streaming-pro.dexpaprika.com", "Streaming", paid),
  output: choice("output", textFormats, undefined, "table on a terminal, ndjson in a pipe", "Output format"),
  color: choice("color", colorModes, "auto", "auto", "When to color output"),
  retries: integer("retries", [0, 100], 4, "4", "Retries per request"),
  retry_on: defineSetting<ReadonlySet<number>>({
    name: "retry_on",
    fallback: new Set(),
    fallbackText: "none",
    help: "Also retry these statuses, e.g. 502,503,504",
    check: readStatuses,
  }),
  /** In milliseconds. */
  timeout: defineSetting({
    name: "timeout",
    fallback: 30_000,
    fallbackText: "30s",
    help: "Time limit for one request",
    check: readTimeout,
  }),
  page_size: integer(
    "page_size",
    [1, 100],
    undefined,
    "the smaller of the limit and 100",
    "Rows per request",
  ),
  /** In requests per minute; undefined means the plan's limit. */
  rpm: defineSetting<number | "unlimited" | undefined>({
    name: "rpm",
    fallback: undefined,
    fallbackText: "your plan's limit",
    help: "Requests per minute (1 to 100000, or unlimited)",
    check: readRate,
  }),
  /** In credits. */
  budget_daily: integer(
    "budget.daily",
    [0, 999_999_999],
    undefined,
    "no limit",
    "Maximum credits per UTC day, for all processes with the same key and service",
  ),
  profile: defineSetting<string | undefined>({
    name: "profile",
    fallback: undefined,
    fallbackText: "the active profile",
    help: "Profile of the stored key to use",
    check: checkProfileName,
  }),
  key_command: defineSetting<readonly string[] | undefined>({
    name: "key_command",
    fallback: undefined,
    fallbackText: "none",
    help: "Command that prints the key on its first line",
    check: readCommand,
    only: "file",
  }),
  tier: {
    ...choice("tier", tiers, undefined, "stored with the key", "Plan of the key, which determines the hosts"),
    only: "environment",
  },
  sandbox: defineSetting({
    name: "sandbox",
    fallback: false,
    fallbackText: "off",
    help: "Use the sandbox in every command (1 or 0)",
    check: readBoolean,
    only: "environment",
  }),
  no_input: defineSetting({
    name: "no_input",
    fallback: false,
    fallbackText: "off",
    help: "Do not prompt (1 or 0), like --no-input or CI=true",
    check: readBoolean,
    only: "environment",
  }),
} as const;

/** Variables that are not settings. dexdata sets the last two for the command of an alert. */
export const otherVariables: readonly string[] = [
  "DEXDATA_API_KEY",
  "DEXDATA_NOW",
  "DEXDATA_CONFIG_DIR",
  "DEXDATA_STATE_DIR",
  "DEXDATA_CACHE_DIR",
  "DEXDATA_PAGER",
  "DEXDATA_ALERT",
  "DEXDATA_ALERT_ID",
];

export interface Sourced<T> {
  readonly value: T;
  readonly source: "environment" | "config" | "default";
  /** The environment variable's name, the name with the file's path, or "default". */
  readonly where: string;
  /** The value as it was written, or a default's display text. */
  readonly text: string;
}

type ValueOf<S> = S extends Setting<infer T> ? T : never;

export type Settings = {
  readonly [Name in keyof typeof settings]: Sourced<ValueOf<(typeof settings)[Name]>>;
} & {
  /** Why it is unknown what config.json contains: perhaps a budget or another host, so no request may be sent. */
  readonly damaged: string | undefined;
  /** The run continues if config.json cannot be read or contains unknown names. */
  readonly warnings: readonly string[];
};

/** Each setting checks its own value. */
export interface ConfigFile {
  readonly path: string;
  /** Numbers and booleans in the file are converted to strings. */
  readonly values: ReadonlyMap<string, string>;
  /** If this is set, there are no values. */
  readonly problem: string | undefined;
  readonly isDamaged: boolean;
}

export function readSetting<T>(
  context: Pick<Context, "env">,
  config: ConfigFile,
  setting: Setting<T>,
): Sourced<T> {
  const settled = (source: "environment" | "config", where: string, text: string, next?: string) => {
    const checked = setting.check(text);
    if ("problem" in checked) throw invalidInput(label(where, text), checked.problem, next ?? checked.next);
    return { value: checked.value, source, where, text };
  };
  const typed = context.env[setting.variable];
  // An empty variable counts as unset, as with NO_COLOR, so it can unset a value for a single command.
  if (typed !== undefined && typed !== "") {
    if (setting.only === "file")
      throw usageFailure(
        `${setting.variable} is not accepted: the program can be set only in config.json, so that a directory's environment file (e.g. .envrc) cannot choose it`,
        `unset it, and run: dexdata config set ${setting.name} <command>`,
      );
    return settled("environment", setting.variable, typed);
  }
  const written = setting.only === "environment" ? undefined : config.values.get(setting.name);
  if (written === undefined) {
    return { value: setting.fallback, source: "default", where: "default", text: setting.fallbackText };
  }
  const next = `run: dexdata config set ${setting.name} <value>, or: dexdata config unset ${setting.name}`;
  return settled("config", `${setting.name} in ${config.path}`, written, next);
}

/** In messages, `problem` follows `DEXDATA_RETRIES "-1": `, and `next` is on a separate line. */
type Checked<T> = { readonly value: T } | { readonly problem: string; readonly next?: string };

/** A value that an environment variable or config.json can set, with its check and its help. */
export interface Setting<T> {
  readonly name: string;
  readonly variable: string;
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
function defineSetting<T>(described: Omit<Setting<T>, "variable">): Setting<T> {
  return { ...described, variable: `DEXDATA_${described.name.toUpperCase().replaceAll(".", "_")}` };
}

function host(name: string, fallback: string, service: string, plans: string): Setting<string> {
  const help = `${service} host for ${plans} plans`;
  return defineSetting({ name, help, fallback, fallbackText: fallback, check: readHost });
}

function readHost(text: string): Checked<string> {
  const checked = checkHost(text);
  return typeof checked === "string" ? { value: checked } : checked;
}

function choice<T extends string, F extends T | undefined>(
  name: string,
  choices: readonly T[],
  fallback: F,
  fallbackText: string,
  help: string,
): Setting<T | F> {
  const check = (text: string): Checked<T> => {
    const value = choices.find((each) => each === text);
    if (value !== undefined) return { value };
    // All help loads this file. The ordinary words for choices in read-choice.ts would take 3 ms more.
    const near = choices.find((each) => each === namedFormat(text)) ?? nearest(text, choices);
    const problem = `must be one of ${choices.join(", ")}`;
    return near === undefined ? { problem } : { problem, next: `did you mean ${near}?` };
  };
  return defineSetting<T | F>({
    name,
    fallback,
    help: `${help}: ${choices.join(", ")}`,
    fallbackText,
    check,
  });
}

/** All boolean variables accept the same words. */
function readBoolean(text: string): Checked<boolean> {
  const value = readSwitch(text);
  return value === undefined ? { problem: "must be 1, true, yes or on, or 0, false, no or off" } : { value };
}

function integer<F extends number | undefined>(
  name: string,
  [min, max]: readonly [number, number],
  fallback: F,
  fallbackText: string,
  help: string,
): Setting<number | F> {
  const check = (text: string): Checked<number> =>
    readWithin(text, 9, min, max) ?? { problem: `must be a whole number from ${min} to ${max}` };
  return defineSetting<number | F>({
    name,
    fallback,
    help: `${help} (${min} to ${max})`,
    fallbackText,
    check,
  });
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
function readRate(text: string): Checked<number | "unlimited"> {
  if (text === "unlimited") return { value: text };
  const problem = "must be a whole number from 1 to 100000, or unlimited";
  return readWithin(text, 6, 1, 100_000) ?? { problem };
}

/** HTTP statuses, such as `502,503`. */
function readStatuses(text: string): Checked<ReadonlySet<number>> {
  const read = text.split(",").map((each) => readWithin(each.trim(), 3, 400, 599));
  const statuses = read.flatMap((each) => (each === undefined ? [] : [each.value]));
  if (statuses.length === read.length) return { value: new Set(statuses) };
  return { problem: "must be HTTP statuses from 400 to 599, separated by commas, e.g. 502,503,504" };
}

/** At least 1 millisecond. */
function readTimeout(text: string): Checked<number> {
  const value = Math.round(parseDuration(text) ?? 0);
  if (value >= 1 && value <= 86_400_000) return { value };
  const [problem, next] = [`${durationProblem}, more than 0 and up to 24h`, unitHint(text)];
  return next === undefined ? { problem } : { problem, next };
}

/** Only letters, digits, dots, dashes and underscores are allowed, so the name never needs quotes. */
export function checkProfileName(text: string): Checked<string> {
  if (/^api_/iu.test(text)) return { problem: "must be the name of a profile, not a key" };
  if (/^[\da-z][\w.-]{0,63}$/iu.test(text)) return { value: text };
  return {
    problem: "must be 1 to 64 letters, digits, dots, dashes or underscores, and start with a letter or digit",
  };
}

/** The program runs without a shell. */
function readCommand(text: string): Checked<readonly string[]> {
  const words = splitCommand(text);
  return "problem" in words ? words : { value: words };
}

/** Such as `DEXDATA_RETRIES "many"`. */
export function label(where: string, text: string): string {
  return `${where} "${withoutSecrets(text)}"`;
}

/**
 * Reads the time that replaces the clock. `source` is the flag or variable with the text `typed`. Both times are in
 * milliseconds since the epoch.
 */
export function readReplacedClock(source: string, typed: string, clock: number): number {
  const instant = parseTimeBound(typed, clock);
  if ("problem" in instant) throw usageFailure(`${source} "${typed}": ${instant.problem}`, instant.next);
  return instant.seconds * 1000 + Number(`0.${instant.fraction}0`) * 1000;
}

/** Undefined for a service on this machine, which may have the same clock, as `dexdata sandbox --clock` does. */
export function warningOfClock(
  rest: string,
  { source, now }: { readonly source: string; readonly now: number },
  user: "run" | "client",
): string | undefined {
  if (isLoopback(new URL(rest).hostname)) return undefined;
  return `${source} is set, so this ${user} uses ${showSeconds(now / 1000)} as the current time`;
}
