import { outputFormats } from "../../contract/output-format.ts";
import { usageFailure } from "../../contract/failure.ts";
import { colorModes } from "../../settings/settings.ts";
import { flag } from "./flag.ts";
import { choice, counting, list, outputFile, readBy, toggle } from "./flag-types.ts";

/** How a run that takes a while says how far it is. */
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

/** What is shown, and where it goes. */
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
