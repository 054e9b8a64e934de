import { type Exclusion, type Flag, flag, pick, type Values } from "./flag.ts";
import { invalidInput } from "../../../base/failure.ts";
import { tiers } from "../../../api/tier.ts";
import { parseFaults } from "../../../sandbox/parse-faults.ts";
import {
  choice,
  counting,
  duration,
  host,
  list,
  ofSetting,
  outputFile,
  readBy,
  text,
  toggle,
  wholeNumber,
} from "./flag-types.ts";
import { query } from "../../../api/param.ts";
import { readParam } from "../../../api/read-param.ts";
import { defaultRetryPolicy } from "../../../client/retry.ts";
import { colorModes, settings } from "../../../client/settings.ts";
import { objectFormats, outputFormats, textFormats } from "../../../api/output-format.ts";

const progressModes = ["auto", "plain", "none"] as const;

export type ProgressMode = (typeof progressModes)[number];

const fieldPaths = list("paths", (label, paths) => {
  if (paths.some((path) => path === "" || path.split(".").includes(""))) {
    throw invalidInput(
      label,
      "must be comma-separated field names such as id,24h.volume_usd,tokens.0.symbol",
    );
  }
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index);
  if (repeated !== undefined) throw invalidInput(label, `${repeated} appears twice`);
  if (paths.length > 1 && paths.some((path) => path.startsWith("*")))
    throw invalidInput(label, "* means all fields, so it must be the only one");
  return paths;
});

/** For long runs, and for `sync`, which cron usually starts. */
export const metricsFlag = (...where: readonly string[]): Flag<string> =>
  flag(outputFile, "Requests", {
    with: where,
    summary: "Write Prometheus metrics to this file every 10s",
    details: ", e.g. ticks.prom",
  });

/** For commands that print rows, but not for those that print complete responses. */
export const prefixFlag = flag(fieldPaths, "Output", {
  suggests: "fields",
  summary: "Print these fields and a tab before each NDJSON row",
});

const columnNames = readBy("text", "names", (label, typed) => {
  const names = typed.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw invalidInput(label, "must be comma-separated column names such as token-0,price-usd");
});

const noColumns = (name: string): Exclusion => ({
  flag: name,
  why: "a chart does not show columns",
  next: "use only one of them",
});

export const chartFlag = flag(toggle, "Output", {
  summary: "Draw a candle and volume chart instead of rows",
  details: "; with --out x.svg, as an image",
  excludes: [
    noColumns("fields"),
    noColumns("columns"),
    noColumns("no-header"),
    {
      flag: "resume",
      why: "a chart is drawn only after all candles have arrived",
      next: "leave out --resume",
    },
  ],
});

export const sparkFlag = flag(toggle, "Output", {
  summary: "Add a sparkline column",
  details: ": the price 24h, 6h, 1h and 5m ago, and now",
});

const formatFlag = <const Format extends string>(formats: readonly Format[], summary: string) =>
  flag(choice(formats, "format"), "Output", { short: "o", summary });

const textOutputs =
  "Output format: table (default on a terminal), wide (a table with all columns), ndjson (default in a pipe), json, csv, tsv";

const outputFlags = {
  output: {
    ...formatFlag(outputFormats, `${textOutputs}, parquet`),
    details: "; --json is short for -o json, and --json=a,b also selects fields",
    setting: settings.output,
  },
  fields: flag(fieldPaths, "Output", {
    suggests: "fields",
    summary: "Output only these fields, separated by commas ('?' lists all fields)",
  }),
  columns: flag(columnNames, "Output", {
    summary: "Show only these table columns, in this order, separated by commas ('?' lists all columns)",
    excludes: [{ flag: "fields", isMutual: true, next: "use only one of them" }],
  }),
  "no-header": flag(toggle, "Output", { summary: "Omit the header row of tables, CSV and TSV" }),
  "no-pager": flag(toggle, "Output", { summary: "Write long tables directly to the terminal" }),
  color: flag(choice(colorModes, "mode"), "Output", {
    summary: "When to color tables",
    setting: settings.color,
  }),
  out: flag(outputFile, "Output", {
    summary:
      "Write rows to a file, which appears when the pull is complete; .gz in its name compresses it, and fields such as {date} divide the rows into several files",
  }),
  resume: flag(toggle, "Output", {
    summary: "Resume an interrupted pull; on a first run, write directly to the file",
    needs: { flag: "out", next: "add a file, e.g. --out rows.ndjson" },
    excludes: [
      {
        flag: "force",
        isMutual: true,
        next: "to resume the pull, leave out --force; to start over, leave out --resume",
      },
    ],
  }),
  force: flag(toggle, "Output", {
    summary: "Overwrite an existing file",
    needs: { flag: "out", next: "add a file, e.g. --out rows.ndjson" },
  }),
  receipt: flag(outputFile, "Output", {
    summary: "Write a JSON receipt to a file: time range, rows, SHA-256, credits and completeness",
  }),
  validate: flag(toggle, "Output", { summary: "Check every row against the API schema" }),
  quiet: flag(toggle, "Output", {
    short: "q",
    summary: "Hide progress, hints and the summary line; do not prompt",
  }),
  progress: flag(choice(progressModes, "mode"), "Output", {
    summary:
      "Progress on stderr: auto (default; one live line on a terminal), plain (a line every 10s), none",
    default: "auto",
  }),
  stats: flag(toggle, "Output", {
    summary: "Always print the summary line: requests, credits and time",
  }),
  verbose: flag(counting, "Output", {
    short: "v",
    summary: "Log each request to stderr; -vv adds headers",
  }),
  "no-input": flag(toggle, "Output", {
    summary: "Do not prompt on the terminal; fail if a name is unknown",
  }),
  "error-format": flag(choice(["text", "json"], "format"), "Output", {
    summary:
      "Format of errors: text, json (default: text; json if output is JSON or NDJSON, and stderr is not a terminal)",
  }),
};

const statuses = { ...ofSetting(settings.retry_on, "list", "statuses"), isList: true };

/** Parsed like the integers in filters. */
const credits = readBy("integer", "n", (_, typed) =>
  Number(readParam(query("max_credits", { kind: "integer", min: 0 }, ""), typed, 0)),
);

export const requestFlags = {
  timeout: flag(ofSetting(settings.timeout, "duration", "duration"), "Requests", {
    summary: "Time limit for one request",
    setting: settings.timeout,
  }),
  deadline: flag(duration, "Requests", { summary: "Time limit for the entire run" }),
  retries: flag(ofSetting(settings.retries, "integer", "n"), "Requests", {
    summary: "Maximum retries per request, after 429, 500 and connection errors",
    details:
      "; 502, 503 and 504 too, if an earlier request of the run got a response (in sync, stream, --follow and --watch: always)",
    setting: settings.retries,
  }),
  "retry-on": flag(statuses, "Requests", {
    suggests: ["502", "503", "504"],
    summary: "Always retry after these statuses, e.g. 502,503,504",
    setting: settings.retry_on,
  }),
  "retry-max-time": flag(duration, "Requests", {
    summary: "Maximum total wait between retries of one request",
    default: defaultRetryPolicy.maxTime,
  }),
  parallel: flag(wholeNumber({ min: 1, max: 32 }, "1..32"), "Requests", {
    summary: "Maximum number of concurrent requests, where the API allows them",
    default: 8,
  }),
  rpm: flag(ofSetting(settings.rpm, "integer or unlimited", "n"), "Requests", {
    suggests: ["unlimited"],
    summary: "Requests per minute, spread over the minute: a number or unlimited",
    defaultSaid: "default: your plan's rate limit",
    setting: settings.rpm,
  }),
  "max-credits": flag(credits, "Requests", { summary: "Stop before spending more than this many credits" }),
  estimate: flag(toggle, "Requests", {
    summary: "Print the estimated cost and exit; sends at most one request",
  }),
  "require-plan": flag(choice(tiers, "plan"), "Requests", {
    summary: "Expected plan (keyless, free, dev, pro or enterprise); fail if the service applies another one",
  }),
};

const group = "Hosts and keys";

export const faults = readBy("text", "spec", (_, typed) => parseFaults(typed));

export const seed = wholeNumber({ min: 0, max: 4_294_967_295 });

/** The speed of the sandbox clock; 0 stops the clock. */
export const speed = readBy("number", "n", (label, typed) => {
  if (/^\d{1,6}(\.\d{1,3})?$/u.test(typed)) return Number(typed);
  throw invalidInput(label, "must be a number such as 0, 1 or 60");
});

/** Flags for the sandbox and for tests. `help sandbox` describes them once for all commands. */
export const simulationFlags = {
  sandbox: flag(toggle, "Sandbox", { summary: "Use the built-in sandbox: simulated data, offline, free" }),
  tier: flag(text("plan"), "Sandbox", {
    suggests: tiers,
    with: ["sandbox"],
    summary: "Plan to simulate; DEXDATA_TIER also sets it",
    default: "pro",
  }),
  seed: flag(seed, "Sandbox", { with: ["sandbox"], summary: "Seed of the simulated market", default: 1 }),
  faults: flag(faults, "Sandbox", {
    with: ["sandbox"],
    summary: "Inject faults, e.g. 429x3,500:5%; see dexdata sandbox --help",
  }),
  now: flag(text("time", "time"), "Sandbox", { summary: 'Use this time as "now", e.g. to resolve -24h' }),
};

export const hostFlags = {
  ...simulationFlags,
  "base-url": flag(host, group, { summary: "Use this REST host" }),
  "key-file": flag(text("file", "file"), group, { summary: "Read the key from this file" }),
  profile: flag(text("name"), group, { suggests: "profiles", summary: "Use the key stored under this name" }),
};

/** The flags that all API commands share. Other commands use only some of them. */
export const sharedFlags = { ...outputFlags, ...requestFlags, ...hostFlags };

/** For output that is not typed rows of the contract, and so cannot be Parquet. */
export const textFlags = {
  ...sharedFlags,
  output: { ...formatFlag(textFormats, textOutputs), setting: settings.output },
};

export const localRowFlags = pick(textFlags, "output", "no-header", "error-format");

export const documentFlags = pick(textFlags, "output", "error-format");

/** `explain` prints text without an output format, even in a pipe, and ignores the setting. */
export const explainFlags = {
  output: formatFlag(objectFormats, "Output format: table (default; also in a pipe), wide, ndjson, json"),
};

export type SharedValues = Partial<Values<typeof sharedFlags>>;

export type LocalOutputFlags = Pick<SharedValues, "output" | "no-header">;
