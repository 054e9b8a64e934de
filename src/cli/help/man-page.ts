import { type CatalogueEntry, catalogue } from "../catalogue.ts";
import { globalFlags } from "../flags/global-flags.ts";
import { flagGroups, fullRows } from "./flag-rows.ts";
import type { Block } from "./page.ts";
import { topicNames } from "./topic-names.ts";
import { type Surroundings, topics } from "./topics/topics.ts";

/** dexdata(1) in roff, from the same tables as help. `surroundings`: whose folders and clock the topics name. */
export function manPage(version: string, surroundings: Surroundings): string {
  const entries = catalogue();
  return [
    `.TH DEXDATA 1 "${new Date(surroundings.clock.now()).toISOString().slice(0, 10)}" "dexdata ${escaped(version)}" "User Commands"`,
    ".SH NAME",
    "dexdata \\- DEX market data: pools, tokens, prices, trades and candles on some 35 networks",
    ".SH SYNOPSIS",
    ".B dexdata",
    ".I command",
    ".RI [ flags ]",
    ".SH DESCRIPTION",
    line("Tables for people, NDJSON for programs, with every digit that the service sent."),
    ".PP",
    line("To try it without a key, offline and free: dexdata pools search ethereum --sandbox"),
    ".SH COMMANDS",
    ...entries.flatMap(command),
    ".SH FLAGS OF SEVERAL COMMANDS",
    line("Which of them a command takes, dexdata <command> --help tells."),
    ...flagBlocks(globalFlags).flatMap(block),
    ...topicNames.flatMap((name) => {
      const lines = topics[name](entries, surroundings).flatMap(block);
      // A heading begins a paragraph by itself.
      const rest = lines[0] === ".PP" ? lines.slice(1) : lines;
      return [`.SH ${name === "exit-codes" ? "EXIT STATUS" : name.toUpperCase()}`, ...rest];
    }),
    ".SH SEE ALSO",
    ".BR jq (1)",
    "",
  ].join("\n");
}

function command(entry: CatalogueEntry): readonly string[] {
  const { words, positionals, summary, flags, ownFlags, examples, credits, plan, notes } = entry;
  return [
    `.SS ${quoted(`dexdata ${words} ${positionals}`.trim())}`,
    line(`${summary}.`),
    ...flagBlocks(flags.slice(0, ownFlags)).flatMap(({ rows = [] }) => rows.flatMap(row)),
    ...notes().flatMap(block),
    ".PP",
    line(
      credits === undefined ? "Nothing is sent, and nothing spent." : `Credits: ${credits}. Plan: ${plan}.`,
    ),
    ...commands(examples),
  ];
}

const flagBlocks = (flags: Parameters<typeof flagGroups>[0]): readonly Block[] =>
  flagGroups(flags).map(([heading, inside]) => ({ heading, rows: fullRows(inside) }));

function block({
  heading,
  label,
  prose,
  rows = [],
  lists = [],
  commands: shown = [],
}: Block): readonly string[] {
  return [
    ...(heading === undefined ? [] : [".PP", `.B ${quoted(`${heading}:`)}`]),
    ...(prose === undefined ? [] : [".PP", line(label === undefined ? prose : `${label}: ${prose}`)]),
    ...[...rows, ...lists].flatMap(row),
    ...commands(shown),
  ];
}

const row = ([term, text]: readonly [string, string]): readonly string[] => [
  ".TP",
  `.B ${quoted(term)}`,
  line(text === "" ? "-" : text),
];

const commands = (shown: readonly string[]): readonly string[] =>
  shown.length === 0 ? [] : [".PP", ".RS 4", ".nf", ...shown.map(line), ".fi", ".RE"];

/** A line that begins with a point or an apostrophe would be a request. */
const line = (text: string): string => (/^[.']/u.test(text) ? `\\&${escaped(text)}` : escaped(text));

const quoted = (text: string): string => `"${escaped(text).replaceAll('"', "\\(dq")}"`;

/** Outside ASCII by number: what a formatter makes of bytes depends on where it runs. A dash is one that can be pasted. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll("`", "\\(ga")
    .replaceAll("~", "\\(ti")
    .replaceAll("^", "\\(ha")
    .replaceAll(
      /[^\n\u0020-\u007e]/gu,
      (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}
