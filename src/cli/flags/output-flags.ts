import { outputFormats } from "../../contract/output-format.ts";
import { colorModes } from "../../settings/settings.ts";
import type { Flag } from "./flags.ts";

/** How a run that takes a while says how far it is. */
const progressModes = ["auto", "plain", "none"];

/** What is shown, and where it goes. */
export const outputFlags: readonly Flag[] = [
  {
    name: "output",
    short: "o",
    value: "format",
    choices: outputFormats,
    help: "table (default on a terminal), wide (every column), ndjson (default in a pipe), json, csv or tsv",
    group: "Output",
  },
  {
    name: "fields",
    value: "paths",
    suggests: "fields",
    isList: true,
    help: "only these fields: id,24h.volume_usd,tokens.0.symbol ('?' lists them)",
    group: "Output",
  },
  {
    name: "columns",
    value: "names",
    help: "only these columns of the table, in this order: token-0,price-usd",
    group: "Output",
  },
  { name: "no-header", help: "table, csv and tsv without the line of names", group: "Output" },
  {
    name: "color",
    value: "when",
    choices: colorModes,
    help: "colour in tables",
    group: "Output",
  },
  {
    name: "out",
    value: "file",
    help: "Write rows to a file that appears only when complete",
    group: "Output",
  },
  {
    name: "resume",
    help: "Continue an interrupted pull, or begin one (with --out)",
    group: "Output",
  },
  { name: "force", help: "Overwrite an existing file (with --out)", group: "Output" },
  {
    name: "receipt",
    value: "file",
    help: "write down window, rows, hash, credits and whether it is complete",
    group: "Output",
  },
  { name: "validate", help: "check every row against the interface's schema", group: "Output" },
  {
    name: "quiet",
    short: "q",
    help: "no progress, no closing line, and no line about rows that the default limit left out",
    group: "Output",
  },
  {
    name: "progress",
    value: "how",
    choices: progressModes,
    help: "auto (default: one live line on a terminal), plain (a line every 10 s on stderr) or none",
    group: "Output",
  },
  {
    name: "stats",
    help: "print requests, credits and time on stderr, also without a terminal",
    group: "Output",
  },
  { name: "verbose", short: "v", help: "one line a request on stderr; -vv with headers", group: "Output" },
  {
    name: "error-format",
    value: "format",
    choices: ["text", "json"],
    help: "form of an error on stderr (default: json beside json or ndjson, if stderr is no terminal)",
    group: "Output",
  },
];
