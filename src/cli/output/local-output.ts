import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure, usageFailure } from "../../contract/failure.ts";
import { escapeJsonText } from "../../json/json-text.ts";
import { isSeparated, type Separated } from "../../contract/output-format.ts";
import { roomOf } from "../../render/table/fit-columns.ts";
import { separatedLine } from "../../render/formats/separated-text.ts";
import type { FlagValues } from "../flags/flags.ts";
import { readConfigFile } from "../../settings/config-file.ts";
import { readSetting, settings } from "../../settings/settings.ts";
import { readWord } from "../run-options.ts";
import { drawLocalTable, type LocalRow } from "./local-table.ts";

/** Rows of a command of ours: aligned columns on a terminal, JSON for programs, as for the service's rows. */
export async function writeRows(
  context: Context,
  flags: FlagValues,
  rows: readonly LocalRow[],
): Promise<ExitCode> {
  const output = outputOf(context, flags);
  const format = rowFormatOf(output);
  const hasHeader = flags["no-header"] !== true;
  if (format === "table")
    await context.stdout.write(drawLocalTable(rows, { hasHeader, room: roomFor(context, output) }));
  else if (isSeparated(format)) await context.stdout.write(separated(rows, format, hasHeader));
  else if (format === "ndjson") await context.stdout.write(rows.map((row) => jsonLine(row)).join(""));
  else await context.stdout.write(jsonLine(rows, context.stdout.isTerminal));
  return 0;
}

/** One object of a command of ours: name and value a line, or one JSON object. */
export async function writeRecord(context: Context, flags: FlagValues, record: LocalRow): Promise<ExitCode> {
  const output = outputOf(context, flags);
  const format = rowFormatOf(output);
  const lines = Object.entries(record).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  if (format === "table") {
    const room = roomFor(context, output);
    await context.stdout.write(drawLocalTable(lines, { hasHeader: false, room }));
  } else if (isSeparated(format))
    await context.stdout.write(separated([record], format, flags["no-header"] !== true));
  else await context.stdout.write(jsonLine(record, format === "json" && context.stdout.isTerminal));
  return 0;
}

/** An object that has parts, as JSON; csv and tsv have no form for it. */
export async function writeDocument(context: Context, flags: FlagValues, document: object): Promise<void> {
  const format = readWord(flags, "output");
  if (format !== undefined && isSeparated(format))
    throw usageFailure(`--output ${format}: this has no columns`, "use json or ndjson");
  const isPretty = format === "json" && context.stdout.isTerminal;
  await context.stdout.write(jsonLine(document, isPretty));
}

/** Whether the format in force has a form for objects that have parts. */
export function hasParts(context: Context, flags: FlagValues): boolean {
  return ["json", "ndjson"].includes(formatOf(context, flags));
}

/** Such objects: one array, or one a line. */
export async function writeDocuments(
  context: Context,
  flags: FlagValues,
  documents: readonly object[],
): Promise<void> {
  const isJson = formatOf(context, flags) === "json";
  const text = isJson
    ? jsonLine(documents, context.stdout.isTerminal)
    : documents.map((document) => jsonLine(document)).join("");
  await context.stdout.write(text);
}

/** Flag, environment, config, default. A setting that is refused is for `config list` to show, not to stumble over. */
export function formatOf(context: Context, flags: FlagValues): string {
  return rowFormatOf(outputOf(context, flags));
}

function rowFormatOf(output: string): string {
  return output === "wide" ? "table" : output;
}

function outputOf(context: Context, flags: FlagValues): string {
  return (
    readWord(flags, "output") ?? settledFormat(context) ?? (context.stdout.isTerminal ? "table" : "ndjson")
  );
}

/** Columns that a table may take; undefined where there is no end to them. */
function roomFor({ stdout }: Context, output: string): number | undefined {
  return output === "wide" ? undefined : roomOf(stdout);
}

function settledFormat(context: Context): string | undefined {
  try {
    return readSetting(context, readConfigFile(context), settings.output).value;
  } catch (cause) {
    if (cause instanceof Failure) return undefined;
    throw cause;
  }
}

/** Words a command of ours does not take are refused rather than ignored. */
export function expectWords(words: readonly string[], count: number, usage: string): void {
  if (words.length === count) return;
  const surplus = words[count];
  throw usageFailure(
    surplus === undefined ? `${usage.split(" <")[0]}: a word is missing` : `"${surplus}": one word too many`,
    `usage: dexdata ${usage}`,
  );
}

/** What the service said stands in it too: a plan, an amount of credits, the reason of a refusal. */
function jsonLine(value: object, isPretty = false): string {
  return `${escapeJsonText(JSON.stringify(value, null, isPretty ? 2 : 0))}\n`;
}

function separated(rows: readonly LocalRow[], format: Separated, hasHeader: boolean): string {
  const names = Object.keys(rows[0] ?? {});
  const header = hasHeader
    ? separatedLine(
        names.map((text) => ({ text })),
        format,
      )
    : "";
  const lines = rows.map((row) =>
    separatedLine(
      names.map((name) => JSON.stringify(row[name])),
      format,
    ),
  );
  return header + lines.join("");
}
