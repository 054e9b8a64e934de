import { isLoopback, serviceName } from "../../api/host.ts";
import type { Target } from "../../client/target.ts";
import type { Meter } from "../../client/meter.ts";
import type { Context } from "../../base/context/context.ts";
import { choiceFailure } from "../../api/read-choice.ts";
import { usageFailure } from "../../base/failure.ts";
import type { RowFormat } from "../../api/output-format.ts";
import { encoderByName, nameWithoutGzip } from "../../rows/out-file.ts";
import {
  chooseOutput,
  formatByName,
  hasColumns,
  defaultErrorFormat,
  isOtherFormat,
  namesColumns,
} from "../render/formats/formats.ts";
import { isTier, tiers } from "../../api/tier.ts";
import { readSettings } from "../settings/read-settings.ts";
import { readReplacedClock, type Settings } from "../../client/settings.ts";
import { readValues, type TypedFlags, type Values } from "./flags/flag.ts";
import {
  type chartFlag,
  type metricsFlag,
  type prefixFlag,
  sharedFlags,
  type SharedValues,
  type sparkFlag,
} from "./flags/shared-flags.ts";
import { isColored } from "../render/terminal.ts";

export interface RunInput {
  readonly words: readonly string[];
  /** Flags that only some commands have, but that affect the options, are included. */
  readonly flags: SharedValues &
    Partial<
      Values<{
        readonly chart: typeof chartFlag;
        readonly spark: typeof sparkFlag;
        readonly prefix: typeof prefixFlag;
        readonly metrics: ReturnType<typeof metricsFlag>;
      }>
    >;
  /** As the user typed them, for suggested commands. */
  readonly typed: TypedFlags;
  /** What the search for the name of an asset has cost; it counts as part of the run. */
  readonly spent: Meter | undefined;
}

export type RunOptions = Readonly<ReturnType<typeof readRunOptions>>;

/**
 * Combined from flags, the environment and config.json. Nothing has been sent yet. Each error names the flag as the
 * user typed it.
 */
export function readRunOptions({ flags: given, typed, spent }: RunInput, context: Context) {
  // The defaults also apply to a command that does not have the flag.
  const flags = { ...readValues<typeof sharedFlags>(sharedFlags, new Map()), ...given };
  const settings = readSettings(context);
  const picture = readPicture(flags);
  const { output, out } = flags;
  const wanted = { output, out, hasPicture: picture !== undefined, setting: settings.output.value };
  const chosen = chooseOutput(wanted, context.stdout.isTerminal);
  const format = chosen === "wide" ? "table" : chosen;
  const isChart = picture === "chart";
  if (
    flags.out !== undefined &&
    (isOtherFormat(flags.out) || (isChart && formatByName(flags.out) !== undefined))
  )
    throw usageFailure(
      `--out "${flags.out}": dexdata does not write ${isChart ? "charts in " : ""}this format`,
      isChart
        ? "use .svg for an image, or .txt for text"
        : "use .ndjson, .json, .csv, .tsv or .parquet; .gz compresses all but .parquet",
    );
  const hasAllFields = flags.fields?.join() === "*";
  return {
    settings,
    format,
    /** Undefined if the `--out` file consists of the rows themselves. */
    encoder: encoderByName(flags.out),
    errorFormat: flags["error-format"] ?? defaultErrorFormat(format, context.stderr.isTerminal),
    picture,
    isSvg: isSvgName(flags.out),
    fields: hasAllFields ? undefined : flags.fields,
    /** Only these formats have fewer fields without the flag. */
    hasAllFields: hasAllFields && namesColumns(format),
    /** Each command checks that the fields exist. */
    prefix: flags.prefix,
    hasHeader: flags["no-header"] !== true,
    hasPager: flags["no-pager"] !== true,
    /** Includes every column, even if the table is wider than the terminal. */
    isWide: chosen === "wide",
    columns: columnsFor(format, flags.columns),
    isColored: isColored(flags.color ?? settings.color.value, context),
    /** Remarks are dim, so that they do not look like data. */
    hasDimRemarks: isColored(flags.color ?? settings.color.value, context, "stderr"),
    isValidated: flags.validate === true,
    isQuiet: flags.quiet === true,
    progress: flags.progress,
    hasStats: flags.stats === true,
    /** 0 prints nothing, 1 prints one line per request, and 2 also prints the response headers. */
    verbosity: flags.verbose ?? 0,
    /** Per request, in milliseconds. */
    timeout: flags.timeout ?? settings.timeout.value,
    /** For the entire run, in milliseconds. */
    deadline: flags.deadline,
    retry: {
      retries: flags.retries ?? settings.retries.value,
      retryOn: flags["retry-on"] ?? settings.retry_on.value,
      outlastsOutages: false,
      maxTime: flags["retry-max-time"],
    },
    parallel: flags.parallel,
    rpm: flags.rpm === undefined ? settings.rpm : { value: flags.rpm, where: "--rpm" },
    maxCredits: flags["max-credits"],
    spent,
    /** The plan that the service must apply to every response. */
    requiredPlan: flags["require-plan"],
    sandbox: readSandbox(flags, typed, settings),
    baseUrl: flags["base-url"],
    keyFile: flags["key-file"],
    profile: flags.profile,
    /** Milliseconds since the epoch. The clock is read only once to resolve every time range. */
    now: readNow(flags, context),
    /** The flag or variable that replaces the clock. */
    nowSource: nowSource(flags, context),
  };
}

function isSvgName(out: string | undefined): boolean {
  return /\.svg$/iu.test(nameWithoutGzip(out ?? ""));
}

/**
 * A picture replaces the rows or is shown next to them. It is meant for people, so it cannot be combined with formats for
 * programs.
 */
function readPicture({ chart, spark, output, out }: RunInput["flags"]): "chart" | "spark" | undefined {
  const picture = chart === true ? "chart" : spark === true ? "spark" : undefined;
  if (isSvgName(out) && picture !== "chart")
    throw usageFailure(
      `--out "${out}": only a chart can be an SVG image`,
      "use ohlcv --chart, or another file name",
    );
  if (picture === undefined) return undefined;
  const isForPeople =
    output === undefined || output === "table" || (output === "wide" && picture === "spark");
  if (isForPeople) return picture;
  throw usageFailure(
    output === "wide"
      ? "--chart cannot be used with --output wide: a chart does not show columns"
      : `--${picture} cannot be used with --output ${output}: it requires --output table`,
    "use only one of them",
  );
}

/** Whether the columns exist is checked later, when the table is known. */
function columnsFor(format: RowFormat, names: readonly string[] | undefined): readonly string[] | undefined {
  if (names === undefined || hasColumns(format)) return names;
  throw usageFailure(
    `--columns requires a table, csv or tsv, but the output is ${format}`,
    "add -o table, or use --fields",
  );
}

function readSandbox(
  { sandbox, tier, seed, faults }: Pick<Values<typeof sharedFlags>, "sandbox" | "tier" | "seed" | "faults">,
  typed: TypedFlags,
  settings: Pick<Settings, "sandbox" | "tier">,
) {
  if (sandbox !== true && !settings.sandbox.value) {
    const simulating = ["tier", "seed", "faults", "speed"].find((name) => typed.has(name));
    if (simulating === undefined) return undefined;
    throw usageFailure(
      `--${simulating} requires --sandbox`,
      simulating === "tier" ? tierHint : "add --sandbox",
    );
  }
  const foreign = ["base-url", "streaming-url", "key-file", "profile"].find((name) => typed.has(name));
  if (foreign !== undefined)
    throw usageFailure(
      `--${foreign} cannot be used with ${sandbox === true ? "--sandbox" : settings.sandbox.where}: the sandbox has separate hosts and keys`,
      sandbox === true ? "use only one of them" : `unset ${settings.sandbox.where}`,
    );
  if (!isTier(tier)) throw choiceFailure(`--tier "${tier}"`, tier, tiers);
  // Scripts should fail here as they would with the key of that plan.
  const simulated = typed.has("tier") ? tier : (settings.tier.value ?? tier);
  return { tier: simulated, seed, faults, isFlagged: sandbox === true };
}

const tierHint = "to set the plan of your key, use DEXDATA_TIER; to look it up, run: dexdata auth login";

/** Milliseconds since the epoch. */
export function readNow(flags: SharedValues, context: Context): number {
  const clock = context.clock.now();
  const source = nowSource(flags, context);
  if (source === undefined) return clock;
  const typed = flags.now ?? context.env["DEXDATA_NOW"] ?? "";
  return readReplacedClock(source, typed, clock);
}

/**
 * The time during a run, in milliseconds since the epoch. The wall clock is right after the machine was suspended; if
 * `--now` replaces it, time advances from there.
 */
export function runningClock({ now, nowSource: source }: RunOptions, clock: Context["clock"]): () => number {
  const started = clock.elapsed();
  return () => (source === undefined ? clock.now() : now + clock.elapsed() - started);
}

function nowSource({ now }: SharedValues, { env }: Pick<Context, "env">): string | undefined {
  if (now !== undefined) return "--now";
  return (env["DEXDATA_NOW"] ?? "") === "" ? undefined : "DEXDATA_NOW";
}

type Hosts = Pick<RunOptions, "sandbox" | "baseUrl" | "settings">;

/** The free and paid hosts count as one service, so a pull can continue on a different plan. */
export function serviceOf({ sandbox, baseUrl, settings }: Hosts): string {
  if (sandbox !== undefined) return `the sandbox, --seed ${sandbox.seed}`;
  const hosts = baseUrl === undefined ? [settings.base_url.value, settings.pro_base_url.value] : [baseUrl];
  return hosts.map(serviceName).join(" ");
}

/** The sandbox's PEPE is not the real one, so each service has its own names. */
export function nameServiceOf(options: Hosts): string {
  const { baseUrl, settings } = options;
  const isUsual = baseUrl === settings.base_url.value || baseUrl === settings.pro_base_url.value;
  return serviceOf(isUsual ? { ...options, baseUrl: undefined } : options);
}

/** As `sync` and `--follow` record it. Local servers, such as `dexdata sandbox`, may get another port each time. */
export function recordedService(
  options: Hosts,
  { isSimulated, rest }: Pick<Target, "isSimulated" | "rest">,
): string {
  const isLocal = !isSimulated && isLoopback(new URL(rest).hostname);
  return isLocal ? "a local server" : serviceOf(options);
}
