import type { Context } from "../context/context.ts";
import { usageFailure } from "../contract/failure.ts";
import { outputFormats } from "../contract/output-format.ts";
import { tiers } from "../contract/tier.ts";
import {
  checkProfileName,
  choice,
  defineSetting,
  host,
  integer,
  label,
  readCommand,
  readKeptTimeout,
  readRate,
  readTimeout,
  type Setting,
} from "./setting.ts";

export const colorModes = ["auto", "always", "never"] as const;
export type ColorMode = (typeof colorModes)[number];

/** Every setting, in the order of `config list`. */
export const settings = {
  base_url: host("base_url", "https://api.dexpaprika.com", "REST host for keyless and free"),
  pro_base_url: host(
    "pro_base_url",
    "https://api-pro.dexpaprika.com",
    "REST host for dev, pro and enterprise",
  ),
  streaming_url: host(
    "streaming_url",
    "https://streaming.dexpaprika.com",
    "streaming host for keyless and free",
  ),
  streaming_pro_url: host(
    "streaming_pro_url",
    "https://streaming-pro.dexpaprika.com",
    "streaming host for dev, pro and enterprise",
  ),
  output: choice(
    "output",
    outputFormats,
    undefined,
    "table on a terminal, ndjson in a pipe",
    "format of the output",
  ),
  color: choice("color", colorModes, "auto", "auto", "when output is coloured"),
  retries: integer("retries", [0, 100], 4, "4", "requests after a failed one, at most"),
  /** Milliseconds. */
  timeout: defineSetting({
    kind: "duration",
    name: "timeout",
    fallback: 30_000,
    fallbackText: "30s",
    help: "time for one request",
    check: readTimeout,
    checkKept: readKeptTimeout,
  }),
  page_size: integer(
    "page_size",
    [1, 100],
    undefined,
    "the smaller of the limit and 100",
    "rows that one request asks for",
  ),
  /** Requests per minute; undefined for the limit of the plan. */
  rpm: defineSetting<number | "unlimited" | undefined>({
    kind: "rate",
    name: "rpm",
    fallback: undefined,
    fallbackText: "the plan's rate",
    help: "requests a minute (1 to 100000, or unlimited)",
    check: readRate,
  }),
  /** Credits. */
  budget_daily: integer(
    "budget.daily",
    [0, 999_999_999],
    undefined,
    "no bound",
    "credits a UTC day may cost, over all processes of this machine",
  ),
  profile: defineSetting<string | undefined>({
    kind: "word",
    name: "profile",
    fallback: undefined,
    fallbackText: "the one last chosen by auth",
    help: "which stored key is used",
    check: checkProfileName,
  }),
  key_command: defineSetting<readonly string[] | undefined>({
    kind: "command",
    name: "key_command",
    fallback: undefined,
    fallbackText: "none",
    help: "program whose first line of output is the key",
    check: readCommand,
    fileOnly: true,
  }),
  tier: {
    ...choice("tier", tiers, undefined, "stored with the key", "tier of the key, which decides the hosts"),
    environmentOnly: true,
  },
} as const;

export interface Sourced<T> {
  readonly value: T;
  readonly source: "environment" | "config" | "default";
  /** The variable, or name and path in the file; "default". */
  readonly where: string;
  /** The value as it was written, or as a default is shown. */
  readonly text: string;
}

type ValueOf<S> = S extends Setting<infer T> ? T : never;

export type Settings = {
  readonly [Name in keyof typeof settings]: Sourced<ValueOf<(typeof settings)[Name]>>;
} & {
  /** For stderr: config.json cannot be read, or contains unknown names. The run continues without them. */
  readonly warnings: readonly string[];
};

/** The content of config.json; each setting checks its value. */
export interface ConfigFile {
  readonly path: string;
  /** By name, as text; numbers and booleans in the file are converted. */
  readonly values: ReadonlyMap<string, string>;
  /** The problem with the file; then there are no values. */
  readonly problem: string | undefined;
}

export function readSetting<T>(
  context: Pick<Context, "env">,
  config: ConfigFile,
  setting: Setting<T>,
): Sourced<T> {
  const typed = context.env[setting.variable];
  const check = setting.checkKept ?? setting.check;
  // An empty variable counts as unset, as with NO_COLOR. That is how a shell unsets a value for one command.
  if (typed !== undefined && typed !== "") {
    if (setting.fileOnly)
      throw usageFailure(
        `${setting.variable}: a program is named in config.json alone, where no folder's environment can name another`,
        `unset it, and: dexdata config set ${setting.name} <command>`,
      );
    const checked = check(typed);
    if ("problem" in checked)
      throw usageFailure(`${label(setting.variable, typed)}: ${checked.problem}`, checked.next);
    return { value: checked.value, source: "environment", where: setting.variable, text: typed };
  }
  const written = setting.environmentOnly ? undefined : config.values.get(setting.name);
  if (written === undefined) {
    return { value: setting.fallback, source: "default", where: "default", text: setting.fallbackText };
  }
  const where = `${setting.name} in ${config.path}`;
  const checked = check(written);
  if ("problem" in checked) {
    const next = `dexdata config set ${setting.name} <value>, or: dexdata config unset ${setting.name}`;
    throw usageFailure(`${label(where, written)}: ${checked.problem}`, next);
  }
  return { value: checked.value, source: "config", where, text: written };
}
