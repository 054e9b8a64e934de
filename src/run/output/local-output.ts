import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure, usageFailure } from "../../contract/failure.ts";
import { type OutputFormat, type RowFormat } from "../../contract/output-format.ts";
import { roomOf } from "../../render/table/fit-columns.ts";
import type { LocalLook, LocalRow } from "../../render/formats/format.ts";
import { formats } from "../../render/formats/formats.ts";
import type { LocalOutputFlags } from "../flags/shared-flags.ts";
import { readConfigFile } from "../../settings/read-settings.ts";
import { readSetting, settings } from "../../settings/settings.ts";

/** Rows of a command of ours: aligned columns on a terminal, JSON for programs, as for the service's rows. */
export async function writeRows(
  context: Context,
  flags: LocalOutputFlags,
  rows: readonly LocalRow[],
): Promise<ExitCode> {
  const output = outputOf(context, flags);
  await context.stdout.write(await formats[output].local.rows(rows, lookOf(context, flags, output)));
  return 0;
}

/** One object of a command of ours: name and value a line, or one JSON object. */
export async function writeRecord(
  context: Context,
  flags: LocalOutputFlags,
  record: LocalRow,
): Promise<ExitCode> {
  const output = outputOf(context, flags);
  await context.stdout.write(await formats[output].local.record(record, lookOf(context, flags, output)));
  return 0;
}

/** An object that has parts; csv and tsv have no form for it. */
export async function writeDocument(
  context: Context,
  flags: LocalOutputFlags,
  document: object,
): Promise<void> {
  const output = outputOf(context, flags);
  const write = formats[output].local.document;
  if (write === undefined)
    throw usageFailure(`--output ${output}: this has no columns`, "use json or ndjson");
  await context.stdout.write(write(document, lookOf(context, flags, output)));
}

/** Whether the format in force has a form for objects that have parts. */
export function hasParts(context: Context, flags: LocalOutputFlags): boolean {
  return formats[outputOf(context, flags)].local.documents !== undefined;
}

/** Such objects: one array, or one a line. */
export async function writeDocuments(
  context: Context,
  flags: LocalOutputFlags,
  documents: readonly object[],
): Promise<void> {
  const output = outputOf(context, flags);
  const { local } = formats[output];
  await context.stdout.write(local.documents?.(documents, lookOf(context, flags, output)) ?? "");
}

/** Flag, environment, config, default. A setting that is refused is for `config list` to show, not to stumble over. */
export function formatOf(context: Context, flags: LocalOutputFlags): RowFormat {
  const output = outputOf(context, flags);
  return output === "wide" ? "table" : output;
}

function outputOf(context: Context, flags: LocalOutputFlags): OutputFormat {
  return flags.output ?? settledFormat(context) ?? (context.stdout.isTerminal ? "table" : "ndjson");
}

function lookOf({ stdout }: Context, flags: LocalOutputFlags, output: OutputFormat): LocalLook {
  return {
    isTerminal: stdout.isTerminal,
    hasHeader: flags["no-header"] !== true,
    room: output === "wide" ? undefined : roomOf(stdout),
  };
}

function settledFormat(context: Context): OutputFormat | undefined {
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
