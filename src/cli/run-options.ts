import { defaultRetryPolicy, type RetryPolicy } from "../client/pace/retry.ts";
import type { Context } from "../context/context.ts";
import { usageFailure } from "../contract/failure.ts";
import {
  type ErrorFormat,
  outputFormats,
  formatByName,
  type RowFormat,
  usualErrorFormat,
} from "../contract/output-format.ts";
import { query } from "../contract/param.ts";
import { choiceFailure, readInteger, readParam } from "../contract/read-param.ts";
import { parseTimeBound } from "../time/time.ts";
import { isTier, type Tier, tiers } from "../contract/tier.ts";
import { checkHost } from "../settings/check-host.ts";
import { readSettings } from "../settings/read-settings.ts";
import { type Settings, settings as settable, type Sourced } from "../settings/settings.ts";
import type { Faults } from "../sandbox/faults/fault.ts";
import type { FlagValues } from "./flags/flags.ts";
import { globalFlags } from "./flags/global-flags.ts";
import { type Picture, readPicture } from "./flags/picture-flags.ts";
import { readColumns } from "./flags/read-columns.ts";
import { readCount, readText, readTime } from "./flags/read-flag.ts";
import { readFaults } from "./flags/read-faults.ts";
import { readSpeed } from "./flags/read-speed.ts";
import { isColored } from "./output/is-colored.ts";

/** What the flags that every command takes, the environment and config.json make of this run. */
export interface RunOptions {
  readonly settings: Settings;
  readonly format: RowFormat;
  readonly errorFormat: ErrorFormat;
  readonly picture: Picture | undefined;
  readonly fields: readonly string[] | undefined;
  readonly hasHeader: boolean;
  /** A table with every column, beyond the window too. */
  readonly isWide: boolean;
  /** Columns of the table by name. */
  readonly columns: readonly string[] | undefined;
  readonly isColored: boolean;
  readonly isValidated: boolean;
  readonly isQuiet: boolean;
  readonly hasStats: boolean;
  /** 0, 1 for one line a request, 2 with headers. */
  readonly verbosity: number;
  /** Milliseconds for one request. */
  readonly timeout: number;
  /** Milliseconds for the run. */
  readonly deadline: number | undefined;
  readonly retry: RetryPolicy;
  /** Requests under way at once, at most. */
  readonly parallel: number;
  /** Requests a minute where they are asked for, and what asked for them. */
  readonly rpm: Pick<Sourced<number | "unlimited" | undefined>, "value" | "where">;
  /** Credits this run may spend. */
  readonly maxCredits: number | undefined;
  /** The plan every answer has to be counted under. */
  readonly requiredPlan: string | undefined;
  readonly sandbox:
    | {
        readonly tier: Tier;
        readonly seed: number;
        readonly faults: Faults | undefined;
        /** How fast its time runs where it does; undefined for the command's own. */
        readonly speed: number | undefined;
      }
    | undefined;
  readonly baseUrl: string | undefined;
  readonly keyFile: string | undefined;
  readonly profile: string | undefined;
  /** Milliseconds; the one clock reading that resolves every time bound. */
  readonly now: number;
}

/** Reads them all before anything is sent; each refusal names the flag as typed. */
export function readRunOptions(flags: FlagValues, context: Context): RunOptions {
  const settings = readSettings(context);
  const picture = readPicture(flags);
  const word = readWord(flags, "output") ?? (picture === undefined ? settings.output.value : "table");
  const typed =
    outputFormats.find((each) => each === word) ??
    formatByName(readText(flags, "out")) ??
    (context.stdout.isTerminal ? "table" : "ndjson");
  const format = typed === "wide" ? "table" : typed;
  const fields = readText(flags, "fields");
  return {
    settings,
    format: format,
    errorFormat: readErrorFormat(flags) ?? usualErrorFormat(format, context.stderr.isTerminal),
    picture,
    fields: fields === undefined ? undefined : readFields(fields),
    hasHeader: flags["no-header"] !== true,
    isWide: typed === "wide",
    columns: readColumns(flags, format, fields),
    isColored: isColored(readWord(flags, "color") ?? settings.color.value, context),
    isValidated: flags["validate"] === true,
    isQuiet: flags["quiet"] === true,
    hasStats: flags["stats"] === true,
    verbosity: Number(flags["verbose"] ?? 0),
    timeout: readTime(flags, "timeout") ?? settings.timeout.value,
    deadline: readTime(flags, "deadline"),
    retry: {
      retries: readCount(flags, "retries", { min: 0, max: 100 }) ?? settings.retries.value,
      retryOn: readStatuses(flags),
      maxTime: readTime(flags, "retry-max-time") ?? defaultRetryPolicy.maxTime,
    },
    parallel: readCount(flags, "parallel", { min: 1, max: 32 }) ?? 8,
    rpm: readRate(flags) ?? settings.rpm,
    maxCredits: readMaxCredits(flags),
    requiredPlan: readWord(flags, "require-plan"),
    sandbox: readSandbox(flags, context),
    baseUrl: readHost(flags, "base-url"),
    keyFile: readText(flags, "key-file"),
    profile: readText(flags, "profile"),
    now: readNow(flags, context),
  };
}

/** A word of the fixed set that the flag's own entry lists. */
export function readWord(flags: FlagValues, name: string, known = globalFlags): string | undefined {
  const typed = readText(flags, name);
  const choices = known.find((flag) => flag.name === name)?.choices ?? [];
  if (typed === undefined || choices.includes(typed)) return typed;
  throw choiceFailure(`--${name} "${typed}"`, typed, choices);
}

function readErrorFormat(flags: FlagValues): ErrorFormat | undefined {
  const typed = readWord(flags, "error-format");
  return typed === "text" || typed === "json" ? typed : undefined;
}

function readFields(typed: string): readonly string[] {
  const paths = typed.split(",").map((path) => path.trim());
  if (paths.some((path) => path === "" || path.split(".").includes(""))) {
    throw usageFailure(
      `--fields "${typed}": must be field names separated by commas, such as id,24h.volume_usd,tokens.0.symbol`,
    );
  }
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index);
  if (repeated !== undefined) throw usageFailure(`--fields "${typed}": names ${repeated} twice`);
  return paths;
}

function readStatuses(flags: FlagValues): ReadonlySet<number> {
  const typed = readText(flags, "retry-on");
  if (typed === undefined) return new Set();
  const label = `--retry-on "${typed}"`;
  return new Set(
    typed.split(",").map((status) => Number(readInteger(label, status.trim(), { min: 400, max: 599 }))),
  );
}

function readRate(flags: FlagValues): RunOptions["rpm"] | undefined {
  const typed = readText(flags, "rpm");
  if (typed === undefined) return undefined;
  const checked = settable.rpm.check(typed);
  if ("problem" in checked) throw usageFailure(`--rpm "${typed}": ${checked.problem}`);
  return { value: checked.value, where: "--rpm" };
}

/** A whole number, written like the numbers of filters. */
function readMaxCredits(flags: FlagValues): number | undefined {
  const typed = readText(flags, "max-credits");
  const param = query("max_credits", { kind: "integer", min: 0 }, "credits this run may spend");
  return typed === undefined ? undefined : Number(readParam(param, typed, 0));
}

function readHost(flags: FlagValues, name: string): string | undefined {
  const typed = readText(flags, name);
  if (typed === undefined) return undefined;
  const host = checkHost(typed);
  if (typeof host === "string") return host;
  throw usageFailure(`--${name} "${typed}": ${host.problem}`);
}

function readSandbox(flags: FlagValues, context: Context): RunOptions["sandbox"] {
  const isOn = flags["sandbox"] === true || isSwitchedOn(context.env["DEXDATA_SANDBOX"]);
  const tier = readText(flags, "tier");
  if (!isOn) {
    for (const name of ["tier", "seed", "faults", "speed"]) {
      if (flags[name] !== undefined) throw usageFailure(`--${name}: goes with --sandbox`, tierHint(name));
    }
    return undefined;
  }
  const foreign = ["base-url", "streaming-url", "key-file", "profile"].find(
    (name) => flags[name] !== undefined,
  );
  if (foreign !== undefined)
    throw usageFailure(`--${foreign}: the sandbox has hosts and keys of its own`, "leave it out");
  if (tier !== undefined && !isTier(tier)) throw choiceFailure(`--tier "${tier}"`, tier, tiers);
  const seed = readCount(flags, "seed", { min: 0, max: 4_294_967_295 }) ?? 1;
  return { tier: tier ?? "pro", seed, faults: readFaults(flags), speed: readSpeed(flags) };
}

function tierHint(name: string): string | undefined {
  return name === "tier"
    ? "the tier of a key of your own is set by DEXDATA_TIER, or found out by: dexdata auth login"
    : undefined;
}

function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value !== "false";
}

function readNow(flags: FlagValues, context: Context): number {
  const clock = context.clock.now();
  const [name, typed] =
    flags["now"] === undefined
      ? ["DEXDATA_NOW", context.env["DEXDATA_NOW"] ?? ""]
      : ["--now", String(flags["now"])];
  if (typed === "" && name === "DEXDATA_NOW") return clock;
  const instant = parseTimeBound(typed, clock);
  if ("problem" in instant) throw usageFailure(`${name} "${typed}": ${instant.problem}`, instant.next);
  return instant.seconds * 1000 + Number(`0.${instant.fraction}0`) * 1000;
}
