import { defaultRetryPolicy, type RetryPolicy } from "../client/pace/retry.ts";
import type { Context } from "../context/context.ts";
import { choiceFailure } from "../contract/read-param.ts";
import { usageFailure } from "../contract/failure.ts";
import type { ErrorFormat, RowFormat } from "../contract/output-format.ts";
import { formatByName, hasColumns, usualErrorFormat } from "../render/formats/formats.ts";
import { isTier, type Tier, tiers } from "../contract/tier.ts";
import type { Faults } from "../sandbox/faults/fault-kinds.ts";
import { readSettings } from "../settings/read-settings.ts";
import type { Settings, Sourced } from "../settings/settings.ts";
import { parseTimeBound } from "../time/time.ts";
import { type Picture, readPicture } from "./flags/picture-flags.ts";
import type { SharedValues } from "./flags/shared-flags.ts";
import { isColored } from "../render/terminal.ts";

/** Combined from flags, the environment and config.json. */
export interface RunOptions {
  readonly settings: Settings;
  readonly format: RowFormat;
  readonly errorFormat: ErrorFormat;
  readonly picture: Picture | undefined;
  readonly fields: readonly string[] | undefined;
  readonly hasHeader: boolean;
  /** Includes every column, even if the table is wider than the terminal. */
  readonly isWide: boolean;
  readonly columns: readonly string[] | undefined;
  readonly isColored: boolean;
  readonly isValidated: boolean;
  readonly isQuiet: boolean;
  readonly hasStats: boolean;
  /** 0 prints nothing, 1 prints one line per request, and 2 also prints the response headers. */
  readonly verbosity: number;
  /** Per request, in milliseconds. */
  readonly timeout: number;
  /** For the whole run, in milliseconds. */
  readonly deadline: number | undefined;
  readonly retry: RetryPolicy;
  /** The maximum number of concurrent requests. */
  readonly parallel: number;
  /** Requests per minute. */
  readonly rpm: Pick<Sourced<number | "unlimited" | undefined>, "value" | "where">;
  readonly maxCredits: number | undefined;
  /** The plan that the service must apply to every response. */
  readonly requiredPlan: string | undefined;
  readonly sandbox:
    | {
        readonly tier: Tier;
        readonly seed: number;
        readonly faults: Faults | undefined;
        /** Undefined means the command's default. */
        readonly speed: number | undefined;
      }
    | undefined;
  readonly baseUrl: string | undefined;
  readonly keyFile: string | undefined;
  readonly profile: string | undefined;
  /** Milliseconds since the epoch. The clock is read only once to resolve every time range. */
  readonly now: number;
}

/** Flags that only some commands have, but that affect the options. */
export interface OtherValues {
  readonly chart?: true | undefined;
  readonly spark?: true | undefined;
  readonly speed?: number | undefined;
  readonly "streaming-url"?: string | undefined;
}

/** Nothing has been sent yet. Each error names the flag as the user typed it. */
export function readRunOptions(flags: SharedValues & OtherValues, context: Context): RunOptions {
  const settings = readSettings(context);
  const picture = readPicture(flags);
  const chosen =
    flags.output ??
    (picture === undefined ? settings.output.value : "table") ??
    formatByName(flags.out) ??
    (context.stdout.isTerminal ? "table" : "ndjson");
  const format = chosen === "wide" ? "table" : chosen;
  return {
    settings,
    format,
    errorFormat: flags["error-format"] ?? usualErrorFormat(format, context.stderr.isTerminal),
    picture,
    fields: flags.fields?.join() === "*" ? undefined : flags.fields,
    hasHeader: flags["no-header"] !== true,
    isWide: chosen === "wide",
    columns: columnsFor(format, flags.columns),
    isColored: isColored(flags.color ?? settings.color.value, context),
    isValidated: flags.validate === true,
    isQuiet: flags.quiet === true,
    hasStats: flags.stats === true,
    verbosity: flags.verbose ?? 0,
    timeout: flags.timeout ?? settings.timeout.value,
    deadline: flags.deadline,
    retry: {
      retries: flags.retries ?? settings.retries.value,
      retryOn: flags["retry-on"] ?? new Set(),
      maxTime: flags["retry-max-time"] ?? defaultRetryPolicy.maxTime,
    },
    parallel: flags.parallel ?? 8,
    rpm: flags.rpm === undefined ? settings.rpm : { value: flags.rpm, where: "--rpm" },
    maxCredits: flags["max-credits"],
    requiredPlan: flags["require-plan"],
    sandbox: readSandbox(flags, context),
    baseUrl: flags["base-url"],
    keyFile: flags["key-file"],
    profile: flags.profile,
    now: readNow(flags, context),
  };
}

/** Whether the columns exist is checked later, when the table is known. */
function columnsFor(format: RowFormat, names: readonly string[] | undefined): readonly string[] | undefined {
  if (names === undefined || hasColumns(format)) return names;
  throw usageFailure(
    `--columns cannot be used with --output ${format}: it requires a table`,
    "add -o table, or use --fields",
  );
}

function readSandbox(flags: SharedValues & OtherValues, context: Context): RunOptions["sandbox"] {
  const isOn = flags.sandbox === true || isSwitchedOn(context.env["DEXDATA_SANDBOX"]);
  if (!isOn) {
    for (const name of ["tier", "seed", "faults", "speed"] as const) {
      if (flags[name] !== undefined) throw usageFailure(`--${name} requires --sandbox`, tierHint(name));
    }
    return undefined;
  }
  const foreign = (["base-url", "streaming-url", "key-file", "profile"] as const).find(
    (name) => flags[name] !== undefined,
  );
  if (foreign !== undefined)
    throw usageFailure(
      `--${foreign} cannot be used with --sandbox: the sandbox has separate hosts and keys`,
      "use only one of them",
    );
  const { tier = "pro", seed = 1, faults, speed } = flags;
  if (!isTier(tier)) throw choiceFailure(`--tier "${tier}"`, tier, tiers);
  return { tier, seed, faults, speed };
}

function tierHint(name: string): string | undefined {
  return name === "tier"
    ? "to set the plan of your key, use DEXDATA_TIER; to look it up, run: dexdata auth login"
    : undefined;
}

function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value !== "false";
}

function readNow({ now }: SharedValues, context: Context): number {
  const clock = context.clock.now();
  const [name, typed] =
    now === undefined ? ["DEXDATA_NOW", context.env["DEXDATA_NOW"] ?? ""] : ["--now", now];
  if (typed === "" && name === "DEXDATA_NOW") return clock;
  const instant = parseTimeBound(typed, clock);
  if ("problem" in instant) throw usageFailure(`${name} "${typed}": ${instant.problem}`, instant.next);
  return instant.seconds * 1000 + Number(`0.${instant.fraction}0`) * 1000;
}
