import { flag, pick, type Values } from "./flag.ts";
import { usageFailure } from "../../contract/failure.ts";
import { tiers } from "../../contract/tier.ts";
import { isFaultProblem, parseFaults } from "../../sandbox/faults/parse-faults.ts";
import {
  choice,
  counting,
  duration,
  host,
  list,
  outputFile,
  readBy,
  text,
  toggle,
  wholeNumber,
} from "./flag-types.ts";
import { query } from "../../contract/param.ts";
import { readInteger, readParam } from "../../contract/read-param.ts";
import { colorModes, settings } from "../../settings/settings.ts";
import { outputFormats } from "../../contract/output-format.ts";

/** How a long run shows its progress. */
const progressModes = ["auto", "plain", "none"] as const;

export type ProgressMode = (typeof progressModes)[number];

const fieldPaths = list("paths", (label, paths) => {
  if (paths.some((path) => path === "" || path.split(".").includes(""))) {
    throw usageFailure(
      `${label}: must be field names separated by commas, such as id,24h.volume_usd,tokens.0.symbol`,
    );
  }
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index);
  if (repeated !== undefined) throw usageFailure(`${label}: names ${repeated} twice`);
  return paths;
});

const columnNames = readBy("text", "names", (label, typed) => {
  const names = typed.split(",").map((name) => name.trim());
  if (!names.includes("")) return names;
  throw usageFailure(`${label}: must be names separated by commas, such as token-0,price-usd`);
});

/** What is shown, and where it is written. */
export const outputFlags = {
  output: flag(choice(outputFormats, "format"), "Output", {
    short: "o",
    summary:
      "table (default on a terminal), wide (every column), ndjson (default in a pipe), json, csv or tsv",
    choicesIn: "summary",
  }),
  fields: flag(fieldPaths, "Output", {
    suggests: "fields",
    summary: "only these fields: id,24h.volume_usd,tokens.0.symbol ('?' lists them)",
  }),
  columns: flag(columnNames, "Output", {
    summary: "only these columns of the table, in this order: token-0,price-usd",
    excludes: [{ flag: "fields", why: "both say what is shown", next: "leave one of them out" }],
  }),
  "no-header": flag(toggle, "Output", { summary: "table, csv and tsv without the line of names" }),
  color: flag(choice(colorModes, "when"), "Output", { summary: "colour in tables" }),
  out: flag(outputFile, "Output", { summary: "Write rows to a file that appears only when complete" }),
  resume: flag(toggle, "Output", {
    summary: "Continue an interrupted pull, or begin one (with --out)",
    needs: { flag: "out", next: "name the file: --out rows.ndjson" },
    excludes: [
      {
        flag: "force",
        why: "one goes on with the file, the other replaces it",
        next: "leave out one of them",
      },
    ],
  }),
  force: flag(toggle, "Output", {
    summary: "Overwrite an existing file (with --out)",
    needs: { flag: "out", next: "name the file: --out rows.ndjson" },
  }),
  receipt: flag(outputFile, "Output", {
    summary: "write down window, rows, hash, credits and whether it is complete",
  }),
  validate: flag(toggle, "Output", { summary: "check every row against the interface's schema" }),
  quiet: flag(toggle, "Output", {
    short: "q",
    summary: "no progress, no closing line, and no line about rows that the default limit left out",
  }),
  progress: flag(choice(progressModes, "how"), "Output", {
    summary: "auto (default: one live line on a terminal), plain (a line every 10 s on stderr) or none",
    choicesIn: "summary",
  }),
  stats: flag(toggle, "Output", {
    summary: "print requests, credits and time on stderr, also without a terminal",
  }),
  verbose: flag(counting, "Output", {
    short: "v",
    summary: "one line a request on stderr; -vv with headers",
  }),
  "error-format": flag(choice(["text", "json"], "format"), "Output", {
    summary: "form of an error on stderr (default: json beside json or ndjson, if stderr is no terminal)",
  }),
};

const statuses = list(
  "statuses",
  (label, typed): ReadonlySet<number> =>
    new Set(typed.map((status) => Number(readInteger(label, status, { min: 400, max: 599 })))),
);

/** Requests a minute. */
const rate = readBy("integer or unlimited", "n", (label, typed) => {
  const checked = settings.rpm.check(typed);
  if ("problem" in checked) throw usageFailure(`${label}: ${checked.problem}`);
  return checked.value;
});

/** Parsed like the integers of filters. */
const credits = readBy("integer", "n", (_, typed) =>
  Number(readParam(query("max_credits", { kind: "integer", min: 0 }, ""), typed, 0)),
);

/** Requests: time, retries, rate and credits. */
export const requestFlags = {
  timeout: flag(duration, "Requests", { summary: "for one request", default: "30s" }),
  deadline: flag(duration, "Requests", { summary: "for the whole run" }),
  retries: flag(wholeNumber({ min: 0, max: 100 }), "Requests", {
    summary: "further tries after 429, 500 and connection faults",
    default: "4",
  }),
  "retry-on": flag(statuses, "Requests", {
    suggests: ["502", "503", "504"],
    summary: "retry these too: 502,503,504",
  }),
  "retry-max-time": flag(duration, "Requests", { summary: "longest wait for one request", default: "3m" }),
  parallel: flag(wholeNumber({ min: 1, max: 32 }, "1..32"), "Requests", {
    summary: "requests under way at once, where that is possible",
    default: "8",
  }),
  rpm: flag(rate, "Requests", {
    suggests: ["unlimited"],
    summary: "requests a minute, spread evenly; or unlimited",
    default: "the plan's",
    defaultSaid: "default: the plan's",
  }),
  "max-credits": flag(credits, "Requests", { summary: "end before the request that would pass this many" }),
  estimate: flag(toggle, "Requests", {
    summary: "say what it would cost instead, asking only what that takes",
  }),
  "require-plan": flag(choice(tiers, "plan"), "Requests", {
    summary: "end when the service counts a request under another plan",
  }),
};

const group = "Hosts and keys";

export const faults = readBy("text", "spec", (_, typed, name) => {
  const read = parseFaults(typed);
  if (isFaultProblem(read)) throw usageFailure(`--${name} ${read.problem}`, read.next);
  return read;
});

/** Selects a different simulated market. */
export const seed = wholeNumber({ min: 0, max: 4_294_967_295 });

/** How fast the sandbox clock runs; 0 stops it. */
export const speed = readBy("number", "n", (label, typed) => {
  if (/^\d{1,6}(\.\d{1,3})?$/u.test(typed)) return Number(typed);
  throw usageFailure(`${label}: must be a number, 0 or more, such as 0, 1 or 60`);
});

/** The host and the key. */
export const hostFlags = {
  sandbox: flag(toggle, group, { summary: "ask the built-in sandbox: simulated data, offline and free" }),
  tier: flag(text("tier"), group, {
    suggests: tiers,
    with: "sandbox",
    summary: "whose key to use",
    default: "pro",
  }),
  seed: flag(seed, group, { with: "sandbox", summary: "another made-up market", default: "1" }),
  faults: flag(faults, group, {
    with: "sandbox",
    summary: "what goes wrong, such as 429x3,500:5% (see: dexdata sandbox --help)",
  }),
  now: flag(text("instant", "time"), group, { summary: "read time bounds as if it were this instant" }),
  "base-url": flag(host, group, { summary: "REST host instead of the configured one" }),
  "key-file": flag(text("file", "file"), group, { summary: "read the key from this file" }),
  profile: flag(text("name"), group, { suggests: "profiles", summary: "the stored key to use" }),
};

/** Flags that API commands share; other commands pick some of them. */
export const sharedFlags = { ...outputFlags, ...requestFlags, ...hostFlags };

/** Flags for the rows of local commands. */
export const localRowFlags = pick(sharedFlags, "output", "no-header", "error-format");

/** Flags for nested objects of local commands. */
export const documentFlags = pick(sharedFlags, "output", "error-format");

export type SharedValues = Partial<Values<typeof sharedFlags>>;

/** The flags that decide how local rows are shown. */
export type LocalOutputFlags = Pick<SharedValues, "output" | "no-header">;
