import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { usageFailure } from "../../../base/failure.ts";
import type { OutputFormat, RowFormat } from "../../../api/output-format.ts";
import { roomOf } from "../../render/table/fit-columns.ts";
import { writePaged } from "../../render/held-output.ts";
import type { LocalRow } from "../../render/renderer.ts";
import { jsonLine, linesOf } from "../../render/formats/json.ts";
import { formats } from "../../render/formats/formats.ts";
import type { LocalOutputFlags } from "../flags/shared-flags.ts";
import { settledValue } from "../../settings/read-settings.ts";
import { settings } from "../../../client/settings.ts";

/** Aligned columns on a terminal and JSON in a pipe, just like rows from the service. */
export async function writeRows(
  context: Context,
  flags: LocalOutputFlags,
  rows: readonly LocalRow[],
  isRecord = false,
): Promise<ExitCode> {
  const { stdout } = context;
  const output = outputOf(context, flags);
  const text = await formats[output].local(rows, {
    isRecord,
    isTerminal: stdout.isTerminal,
    hasHeader: flags["no-header"] !== true,
    room: output === "wide" ? undefined : roomOf(stdout),
  });
  await (output === "table" || output === "wide" ? writePaged(stdout, text) : stdout.write(text));
  return 0;
}

/** One line per field, or a JSON object. */
export async function writeRecord(
  context: Context,
  flags: LocalOutputFlags,
  record: LocalRow,
): Promise<ExitCode> {
  return await writeRows(context, flags, [record], true);
}

/** For programs, because nested objects have no columns. In ndjson, each element of an array is a line. */
export async function writeDocument(
  { stdout }: Context,
  format: "json" | "ndjson",
  document: object,
): Promise<ExitCode> {
  await stdout.write(format === "json" ? jsonLine(document, stdout.isTerminal) : linesOf(document));
  return 0;
}

/**
 * Comes from the flag, the environment, the config file or the default, in that order. `config list` reports an invalid
 * setting, but other commands do not fail because of it.
 */
export function formatOf(context: Context, flags: LocalOutputFlags): RowFormat {
  const output = outputOf(context, flags);
  return output === "wide" ? "table" : output;
}

function outputOf(context: Context, flags: LocalOutputFlags): OutputFormat {
  return (
    flags.output ?? settledValue(context, settings.output) ?? (context.stdout.isTerminal ? "table" : "ndjson")
  );
}

/** A string if a number would round the digits. */
export function exactNumber(digits: string | undefined): number | string | undefined {
  return digits !== undefined && /^\d{1,15}$/u.test(digits) ? Number(digits) : digits;
}

/** Rejects extra arguments instead of ignoring them. */
export function expectWords(words: readonly string[], count: number, usage: string): void {
  if (words.length === count) return;
  const surplus = words[count];
  const missing = usage.match(/<[^>]+>/gu)?.[words.length] ?? "argument";
  throw usageFailure(
    surplus === undefined ? `missing ${missing}` : `unexpected argument "${surplus}"`,
    `usage: dexdata ${usage}`,
  );
}
