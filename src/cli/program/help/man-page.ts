import { type Command, usageOf } from "../../commands/command.ts";
import { sharedFlags } from "../../run/flags/shared-flags.ts";
import { costSentence, exitSentence, notesOf } from "./command-help.ts";
import { flagBlocks, flagsOnPage } from "./flag-rows.ts";
import { type TopicContext, topicNames } from "./overview.ts";
import { topicPage } from "./topics.ts";
import type { Block } from "../../help-page.ts";

/** dexdata(1) in roff format. `surroundings` provides the directories and the time that the topics show. */
export function manPage(commands: readonly Command[], version: string, surroundings: TopicContext): string {
  return [
    `.TH DEXDATA 1 "${new Date(surroundings.clock.now()).toISOString().slice(0, 10)}" "dexdata ${escaped(version)}" "User Commands"`,
    ".SH NAME",
    "dexdata \\- DEX market data: pools, tokens, prices, trades and candles on dozens of networks",
    ".SH SYNOPSIS",
    ".B dexdata",
    ".I command",
    ".RI [ flags ]",
    ".SH DESCRIPTION",
    line("dexdata prints tables on a terminal and NDJSON in a pipe, and keeps every digit."),
    ".PP",
    line("Try it without a key, offline and free: dexdata pools search ethereum --sandbox"),
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH SHARED FLAGS",
    line("See dexdata <command> --help for the flags that a command accepts."),
    ...flagBlocks(sharedFlags).flatMap(block),
    ...topicNames.flatMap((name) => {
      const lines = topicPage(name, commands, surroundings).flatMap(block);
      // A heading already starts a new paragraph.
      const rest = lines[0] === ".PP" ? lines.slice(1) : lines;
      return [`.SH ${name === "exit-codes" ? "EXIT STATUS" : name.toUpperCase()}`, ...rest];
    }),
    ".SH SEE ALSO",
    ".BR jq (1)",
    "",
  ].join("\n");
}

function commandLines(command: Command): readonly string[] {
  const { summary, flags, examples } = command;
  return [
    `.SS ${quoted(`dexdata ${usageOf(command)}`)}`,
    line(`${summary}.`),
    ...flagBlocks(flagsOnPage(flags)).flatMap(({ rows = [] }) => rows.flatMap(row)),
    ...notesOf(command).flatMap(block),
    ".PP",
    line(`${costSentence(command)} ${exitSentence(command)}`),
    ...examplesOf(examples),
  ];
}

function block({ heading, label, prose, rows = [], commands: shown = [] }: Block): readonly string[] {
  return [
    ...(heading === undefined ? [] : [".PP", `.B ${quoted(`${heading}:`)}`]),
    ...(prose === undefined ? [] : [".PP", line(label === undefined ? prose : `${label}: ${prose}`)]),
    ...rows.flatMap(row),
    ...examplesOf(shown),
  ];
}

const row = ([term, text]: readonly [string, string]): readonly string[] => [
  ".TP",
  `.B ${quoted(term)}`,
  line(text === "" ? "-" : text),
];

const examplesOf = (shown: readonly string[]): readonly string[] =>
  shown.length === 0 ? [] : [".PP", ".RS 4", ".nf", ...shown.map(line), ".fi", ".RE"];

/** roff would interpret a line that starts with a period or an apostrophe as a request. */
const line = (text: string): string => (/^[.']/u.test(text) ? `\\&${escaped(text)}` : escaped(text));

const quoted = (text: string): string => `"${escaped(text).replaceAll('"', "\\(dq")}"`;

/** Formatters interpret non-ASCII bytes differently, and unescaped hyphens cannot be copied and pasted. */
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
