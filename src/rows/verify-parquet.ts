import * as z from "zod";
import { parseJson } from "../base/json/json-scan.ts";
import { type ParquetFile, rowRanges, type SeeRow, withParquet } from "./parquet-file.ts";
import { ParquetRow, parseJsonRow } from "./verify/row.ts";
import { type Query, querySchema } from "./receipt.ts";
import type { RowChecker } from "./row-checker.ts";
import type { Report } from "./verify-rules.ts";
import { createRowHash, type RowSummary, UnreadableParquet } from "./parquet-format.ts";

/** The part of the receipt in the footer that describes the rows. */
const footerSchema = z.object({
  rows: z.number(),
  rows_sha256: z.string(),
  period: z.optional(z.object({ from: z.string() })),
});

type RowsFooter = z.output<typeof footerSchema>;

/** A file of sync with several days has a receipt for each of them. */
const footersSchema = z.object({ periods: z.array(footerSchema) });

/**
 * Applies the rules to the canonical rows, and returns whether the file is intact. Damage is F1, with the first row of
 * the row group as its line, for each day that has rows in it. `startChecker` is called when the footer is read, whose
 * receipt contains the query, and `onGroup` after each row group, with the number of bytes read so far.
 */
export async function verifyParquet(
  file: string,
  startChecker: (query: Query | undefined) => RowChecker,
  report: Report,
  signal: AbortSignal,
  onGroup: (bytes: number) => Promise<void>,
): Promise<boolean> {
  let list: RowChecker | undefined;
  const read = async (parquet: ParquetFile): Promise<boolean> => {
    const receipt = parseJson(parquet.receipt);
    if (receipt === undefined) throw new UnreadableParquet("the receipt in the footer is not JSON");
    const current = startChecker(querySchema.safeParse(receipt).data);
    list = current;
    const row = new ParquetRow();
    let line = 0;
    const see: SeeRow = (columns, json) => {
      line += 1;
      const isTyped = row.moveTo(line, columns);
      // The checker keeps the first row, and gets its names from its values.
      current.take(isTyped && line > 1 ? row : parseJsonRow(json(), line));
    };
    const parts = footersSchema.safeParse(receipt).data?.periods;
    const said = parts ?? [footerSchema.safeParse(receipt).data];
    const ranges = parts && rowRanges(parquet, parts);
    let isWhole = true;
    let before = 0;
    for (const [index, part] of said.entries()) {
      const hash = createRowHash();
      const day = parts === undefined ? undefined : part?.period?.from.slice(0, 10);
      line = before;
      try {
        for await (const { lines, rows, end } of parquet.groups(see, ranges?.[index])) {
          signal.throwIfAborted();
          hash.add(lines, rows);
          await onGroup(end);
        }
        if (!isFooterOf(hash.summary(), part, report)) isWhole = false;
      } catch (cause) {
        isWhole = refuse(report, cause, before + hash.summary().rows + 1, day);
      }
      before += part?.rows ?? 0;
    }
    return isWhole;
  };
  try {
    return await withParquet(file, read);
  } catch (cause) {
    return refuse(report, cause, 1, undefined);
  } finally {
    list?.end();
  }
}

function refuse(report: Report, cause: unknown, line: number, day: string | undefined): false {
  if (!(cause instanceof UnreadableParquet)) throw cause;
  const place = { line, ...(day !== undefined && { field: day }) };
  report("F1", { ...place, expected: "a Parquet file as dexdata wrote it", found: cause.message });
  return false;
}

function isFooterOf(found: RowSummary, said: RowsFooter | undefined, report: Report): boolean {
  if (said === undefined) {
    report("F1", { expected: "a footer with rows and rows_sha256", found: "another footer" });
    return false;
  }
  const wrong = (["rows", "rows_sha256"] as const).filter((field) => said[field] !== found[field]);
  for (const field of wrong)
    report("F1", { field, expected: String(said[field]), found: String(found[field]) });
  return wrong.length === 0;
}
