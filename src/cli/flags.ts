import { tiers } from "../model/tier.ts";
import { colorModes, outputFormats } from "../settings/settings.ts";

/** One flag, said once: help, parsing and completions read this. */
export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** Placeholder of its value; undefined for a switch. */
  readonly value?: string;
  readonly help: string;
  readonly group: FlagGroup;
  /** The accepted words, where the set is fixed. */
  readonly choices?: readonly string[];
  /** May be given several times; every value counts. */
  readonly isRepeatable?: true;
}

export type FlagGroup =
  | "Filters"
  | "Rows"
  | "Following"
  | "Output"
  | "Requests"
  | "Hosts and keys"
  | "Sandbox";

/** What was typed for each flag: a text, or true for a switch; `verbose` counts, and some have several texts. */
export type FlagValues = Readonly<Record<string, FlagValue | undefined>>;

type FlagValue = string | boolean | number | readonly string[];

/** The words that say the flag again. */
export function flagWords(name: string, value: FlagValue): readonly string[] {
  const texts = typeof value === "string" ? [value] : value;
  return typeof texts === "object" ? texts.flatMap((text) => [`--${name}`, text]) : [`--${name}`];
}

/** Flags that every command of the service takes. */
export const globalFlags: readonly Flag[] = [
  {
    name: "output",
    short: "o",
    value: "format",
    choices: outputFormats,
    help: "table (default on a terminal), ndjson (default in a pipe) or json",
    group: "Output",
  },
  {
    name: "fields",
    value: "paths",
    help: "only these fields: id,24h.volume_usd,tokens.0.symbol",
    group: "Output",
  },
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
    help: "write the rows to this file, whole or not at all",
    group: "Output",
  },
  {
    name: "resume",
    help: "with --out: keep what came, and go on where an interrupted pull ended",
    group: "Output",
  },
  { name: "force", help: "with --out: replace a file that exists", group: "Output" },
  {
    name: "receipt",
    value: "file",
    help: "write down window, rows, hash, credits and whether it is complete",
    group: "Output",
  },
  { name: "validate", help: "check every row against the interface's schema", group: "Output" },
  { name: "quiet", short: "q", help: "no closing line on a terminal", group: "Output" },
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
    help: "form of an error on stderr",
    group: "Output",
  },
  { name: "timeout", value: "duration", help: "for one request (default 30s)", group: "Requests" },
  { name: "deadline", value: "duration", help: "for the whole run", group: "Requests" },
  {
    name: "retries",
    value: "n",
    help: "further tries after 429, 500 and connection faults (default 4)",
    group: "Requests",
  },
  { name: "retry-on", value: "statuses", help: "retry these too: 502,503,504", group: "Requests" },
  {
    name: "retry-max-time",
    value: "duration",
    help: "longest wait for one request (default 3m)",
    group: "Requests",
  },
  {
    name: "parallel",
    value: "1..32",
    help: "requests under way at once, where that is possible (default 8)",
    group: "Requests",
  },
  {
    name: "rpm",
    value: "n",
    help: "requests a minute, spread evenly; or unlimited (default: the plan's)",
    group: "Requests",
  },
  {
    name: "max-credits",
    value: "n",
    help: "end before the request that would pass this many",
    group: "Requests",
  },
  {
    name: "estimate",
    help: "say what it would cost instead, asking only what that takes",
    group: "Requests",
  },
  {
    name: "require-plan",
    value: "plan",
    choices: tiers,
    help: "end when the service counts a request under another plan",
    group: "Requests",
  },
  {
    name: "sandbox",
    help: "ask the built-in sandbox: simulated data, offline and free",
    group: "Hosts and keys",
  },
  {
    name: "tier",
    value: "tier",
    help: "with --sandbox: whose key to use (default pro)",
    group: "Hosts and keys",
  },
  {
    name: "seed",
    value: "n",
    help: "with --sandbox: another made-up market (default 1)",
    group: "Hosts and keys",
  },
  {
    name: "faults",
    value: "spec",
    help: "with --sandbox: what goes wrong, such as 429x3,500:5% (see: dexdata sandbox --help)",
    group: "Hosts and keys",
  },
  {
    name: "now",
    value: "instant",
    help: "read time bounds as if it were this instant",
    group: "Hosts and keys",
  },
  {
    name: "base-url",
    value: "url",
    help: "REST host instead of the configured one",
    group: "Hosts and keys",
  },
  { name: "key-file", value: "file", help: "read the key from this file", group: "Hosts and keys" },
  { name: "profile", value: "name", help: "the stored key to use", group: "Hosts and keys" },
];

const limitFlag: Flag = { name: "limit", value: "n", help: "rows in all (default 10)", group: "Rows" };

const pagingFlags: readonly Flag[] = [
  limitFlag,
  { name: "all", help: "every row, page after page", group: "Rows" },
  { name: "page-size", value: "1..100", help: "rows one request asks for", group: "Rows" },
  { name: "cursor", value: "cursor", help: "continue where an earlier call ended", group: "Rows" },
];

const pageFlag: Flag = { name: "page", value: "n", help: "begin with this page, from 1", group: "Rows" };

const strictFlag: Flag = {
  name: "no-strict",
  help: "take rows though the service did not apply a filter",
  group: "Rows",
};

/** The flags that follow from how an endpoint answers. */
export const flagsOfReply: Readonly<Record<string, readonly Flag[]>> = {
  single: [],
  list: [{ ...limitFlag, help: "rows in all (default: all)" }],
  "cursor-pages": [...pagingFlags, strictFlag],
  "numbered-pages": [...pagingFlags, pageFlag],
  batch: [
    {
      name: "missing",
      value: "how",
      choices: ["skip", "null", "fail"],
      help: "tokens without a price: skip (named on stderr), null (a line each) or fail (exit 8)",
      group: "Rows",
    },
  ],
  candles: [
    {
      name: "fill",
      value: "how",
      choices: ["null", "previous"],
      help: "a row for each interval without a trade, its prices null or the close before",
      group: "Rows",
    },
  ],
  groups: [{ name: "type", value: "groups", help: "only these: tokens,pools,dexes", group: "Rows" }],
};
