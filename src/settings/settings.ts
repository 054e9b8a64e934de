import type { Context } from "../context/context.ts";
import { usageFailure } from "../contract/failure.ts";
import { type OutputFormat, outputFormats } from "../contract/output-format.ts";
import { type Tier, tiers } from "../contract/tier.ts";
import type { ConfigFile } from "./config-file.ts";
import {
  choice,
  command,
  duration,
  host,
  integer,
  label,
  profileName,
  rate,
  type Setting,
} from "./setting.ts";

export const colorModes = ["auto", "always", "never"] as const;
export type ColorMode = (typeof colorModes)[number];

/**
 * Every setting, in the order `config list` shows them. The variable is `DEXDATA_` and the name in capitals, with `_`
 * for a dot.
 */
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
  retries: integer("retries", { min: 0, max: 100 }, 4, "4", "requests after a failed one, at most"),
  timeout: duration("timeout", 30_000, "30s", "time for one request"),
  page_size: integer(
    "page_size",
    { min: 1, max: 100 },
    undefined,
    "the smaller of the limit and 100",
    "rows that one request asks for",
  ),
  rpm: rate("rpm", "the plan's rate", "requests a minute (1 to 100000, or unlimited)"),
  budget_daily: integer(
    "budget.daily",
    { min: 0, max: 999_999_999 },
    undefined,
    "no bound",
    "credits a UTC day may cost, over all processes of this machine",
  ),
  profile: profileName("profile", "the one last chosen by auth", "which stored key is used"),
  key_command: command("key_command", "none", "program whose first line of output is the key"),
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
  /** As it was written; for a default what to show for it. */
  readonly text: string;
}

export interface Settings {
  readonly base_url: Sourced<string>;
  readonly pro_base_url: Sourced<string>;
  readonly streaming_url: Sourced<string>;
  readonly streaming_pro_url: Sourced<string>;
  readonly output: Sourced<OutputFormat | undefined>;
  readonly color: Sourced<ColorMode>;
  readonly retries: Sourced<number>;
  /** Milliseconds. */
  readonly timeout: Sourced<number>;
  readonly page_size: Sourced<number | undefined>;
  /** Requests a minute; undefined for the plan's. */
  readonly rpm: Sourced<number | "unlimited" | undefined>;
  /** Credits. */
  readonly budget_daily: Sourced<number | undefined>;
  readonly profile: Sourced<string | undefined>;
  readonly key_command: Sourced<readonly string[] | undefined>;
  readonly tier: Sourced<Tier | undefined>;
  /** For stderr: config.json cannot be read, or holds names that are no settings. The run goes on without them. */
  readonly warnings: readonly string[];
}

export function readSetting<T>(
  context: Pick<Context, "env">,
  config: ConfigFile,
  setting: Setting<T>,
): Sourced<T> {
  const typed = context.env[setting.variable];
  const check = setting.checkKept ?? setting.check;
  // An empty variable counts as unset, as with NO_COLOR: it is how a shell takes a value back for one command.
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
