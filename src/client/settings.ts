import type { Context } from "../base/context/context.ts";
import { invalidInput, usageFailure } from "../base/failure.ts";
import { textFormats } from "../api/output-format.ts";
import { tiers } from "../api/tier.ts";
import {
  boolean,
  checkProfileName,
  choice,
  defineSetting,
  host,
  integer,
  label,
  readCommand,
  readRate,
  readStatuses,
  readTimeout,
  type Setting,
} from "./setting.ts";

export const colorModes = ["auto", "always", "never"] as const;
export type ColorMode = (typeof colorModes)[number];

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
    kind: "list",
    name: "retry_on",
    fallback: new Set(),
    fallbackText: "none",
    help: "Also retry these statuses, e.g. 502,503,504",
    check: readStatuses,
  }),
  /** In milliseconds. */
  timeout: defineSetting({
    kind: "duration",
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
    kind: "rate",
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
    kind: "word",
    name: "profile",
    fallback: undefined,
    fallbackText: "the active profile",
    help: "Profile of the stored key to use",
    check: checkProfileName,
  }),
  key_command: defineSetting<readonly string[] | undefined>({
    kind: "command",
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
  sandbox: { ...boolean("sandbox", "Use the sandbox in every command"), only: "environment" },
} as const;

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
}

export function readSetting<T>(
  context: Pick<Context, "env">,
  config: ConfigFile,
  setting: Setting<T>,
): Sourced<T> {
  const typed = context.env[setting.variable];
  // An empty variable counts as unset, as with NO_COLOR, so it can unset a value for a single command.
  if (typed !== undefined && typed !== "") {
    if (setting.only === "file")
      throw usageFailure(
        `${setting.variable} is not accepted: the program can be set only in config.json, so that a directory's environment file (e.g. .envrc) cannot choose it`,
        `unset it, and run: dexdata config set ${setting.name} <command>`,
      );
    const checked = setting.check(typed);
    if ("problem" in checked)
      throw invalidInput(label(setting.variable, typed), checked.problem, checked.next);
    return { value: checked.value, source: "environment", where: setting.variable, text: typed };
  }
  const written = setting.only === "environment" ? undefined : config.values.get(setting.name);
  if (written === undefined) {
    return { value: setting.fallback, source: "default", where: "default", text: setting.fallbackText };
  }
  const where = `${setting.name} in ${config.path}`;
  const checked = setting.check(written);
  if ("problem" in checked) {
    const next = `run: dexdata config set ${setting.name} <value>, or: dexdata config unset ${setting.name}`;
    throw invalidInput(label(where, written), checked.problem, next);
  }
  return { value: checked.value, source: "config", where, text: written };
}
