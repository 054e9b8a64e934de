import { exitCodes } from "../../contract/exit-codes.ts";
import type { CatalogueEntry } from "../catalogue.ts";
import type { Flag } from "../flags/flags.ts";

/** One command for a program that builds or checks command lines; the names are those of its JSON. */
export interface DescribedCommand {
  readonly command: string;
  readonly section: string;
  readonly summary: string;
  readonly usage: string;
  readonly positionals: readonly DescribedPositional[];
  readonly flags: readonly DescribedFlag[];
  readonly examples: readonly string[];
  readonly exit_codes: readonly number[];
  /** What it asks of the service; empty where it is none of the commands that are an endpoint's. */
  readonly endpoints: readonly {
    readonly id: string;
    readonly method: string;
    readonly path: string;
    readonly plan: string;
  }[];
  /** Null where nothing is sent. */
  readonly credits: string | null;
  readonly plan: string | null;
}

export interface DescribedPositional {
  readonly name: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  /** `-` stands for stdin. */
  readonly stdin: boolean;
  /** `@name` stands for a file. */
  readonly file: boolean;
}

export interface DescribedFlag {
  readonly name: string;
  readonly short: string | null;
  readonly type: string;
  /** What stands for the value in help; null for a switch. */
  readonly placeholder: string | null;
  readonly choices: readonly string[] | null;
  /** As help says it; null where there is none, or where it depends. */
  readonly default: string | null;
  readonly repeatable: boolean;
  /** Whether other commands take the very same flag. */
  readonly shared: boolean;
  readonly group: string;
  readonly help: string;
}

export function describeCommand(entry: CatalogueEntry): DescribedCommand {
  const { words, section, summary, positionals, flags, examples, credits, plan } = entry;
  return {
    command: words,
    section,
    summary,
    usage: ["dexdata", words, positionals].filter((word) => word !== "").join(" "),
    positionals: describePositionals(positionals),
    flags: flags.map((flag, index) => describeFlag(flag, index >= entry.ownFlags)),
    examples,
    exit_codes: exitsOf(entry),
    endpoints: entry.endpoints.map(({ id, method, path, plan: needed }) => ({
      id,
      method,
      path,
      plan: needed,
    })),
    credits: credits ?? null,
    plan: credits === undefined ? null : plan,
  };
}

/** `<network> <address…|@file|->` */
function describePositionals(shown: string): readonly DescribedPositional[] {
  const words = shown.match(/'?<[^>]*>'?|\[[^\]]*\]/gu) ?? [];
  return words.map((word) => {
    const inside = word.replaceAll(/^'?[<[]|[>\]]'?$/gu, "");
    const parts = inside.split("|");
    return {
      name: parts
        .filter((part) => part !== "-" && part !== "@file")
        .join("|")
        .replace("…", ""),
      required: !word.startsWith("["),
      repeatable: inside.includes("…"),
      stdin: parts.includes("-"),
      file: parts.includes("@file"),
    };
  });
}

/** What may stand where help has these words. */
const types: Readonly<Record<string, string>> = {
  n: "integer",
  number: "number",
  usd: "number",
  instant: "time",
  time: "time",
  duration: "duration",
  file: "file",
  url: "url",
  address: "address",
  "a,b": "list",
  paths: "list",
  statuses: "list",
  groups: "list",
  "name=value": "pair",
};

function describeFlag(flag: Flag, shared: boolean): DescribedFlag {
  return {
    name: flag.name,
    short: flag.short ?? null,
    type: typeOf(flag),
    placeholder: flag.value ?? null,
    choices: flag.choices ?? null,
    default: defaultOf(flag),
    repeatable: flag.isRepeatable === true || flag.name === "verbose",
    shared,
    group: flag.group,
    help: flag.help,
  };
}

function typeOf({ value, choices, help }: Flag): string {
  if (value === undefined) return "switch";
  if (choices !== undefined) return "choice";
  if (/^\d+\.\.\d+$/u.test(value)) return "integer";
  if (help.includes("or unlimited")) return "integer or unlimited";
  return Object.hasOwn(types, value) ? (types[value] ?? "text") : "text";
}

/** Said once, in the text of help: `(default 30s)`, or `fail (default)` of a choice. */
function defaultOf({ help, choices }: Flag): string | null {
  const said = /\(default:? (?!on |in )([^;)]+)/u.exec(help)?.[1];
  const chosen = said ?? /(\S+) \(default\)/u.exec(help)?.[1];
  return chosen === undefined || choices?.includes(chosen) === false ? null : chosen;
}

const ofService = [3, 4, 5, 6, 7];

/** A run can come short of what was asked where several inputs are one run, and where it goes on until stopped. */
function exitsOf({ credits, flags, positionals }: CatalogueEntry): readonly number[] {
  const isSeveral = positionals.includes("…") || flags.some(({ name }) => name === "idle-exit");
  return Object.keys(exitCodes)
    .map(Number)
    .filter(
      (exit) =>
        (credits !== undefined || !ofService.includes(exit)) &&
        (exit !== 8 || (isSeveral && credits !== undefined)),
    );
}
