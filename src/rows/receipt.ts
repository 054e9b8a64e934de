import * as z from "zod";
import { usageFailure } from "../base/failure.ts";
import { readJsonFile } from "../base/files/json-file.ts";

const count = z.int().nonnegative();
const row = z.nullable(z.record(z.string(), z.unknown()));

/** The part that the receipt in the footer of a Parquet file has, too. */
export const querySchema = z.object({
  asked: z.nullable(z.record(z.string(), z.unknown())),
  window: z.object({ from: z.nullable(z.string()), to: z.nullable(z.string()) }),
});

export type Query = z.infer<typeof querySchema>;

const hashedFile = z.object({ bytes: count, sha256: z.nullable(z.string()) });

/** The part of a `--receipt` that `verify` compares with the rows. */
const receiptSchema = querySchema.extend({
  command: z.string(),
  rows: count,
  missing: count,
  refused: count,
  first_row: row,
  last_row: row,
  output: hashedFile.extend({ file: z.nullable(z.string()), format: z.string() }),
  /** Only if the name of the file had fields. */
  outputs: z.optional(z.array(hashedFile.extend({ file: z.string(), rows: count }))),
  complete: z.boolean(),
  more: z.nullable(z.boolean()),
  why_not: z.nullable(z.string()),
});

export type PullReceipt = z.infer<typeof receiptSchema>;

/** One for each file that the receipt names. Undefined if the file is not a receipt. */
export function readPullReceipt(file: string): readonly PullReceipt[] | undefined {
  const found = readJsonFile(file);
  if (found.state !== "read") return undefined;
  const { object } = found;
  if (!["dexdata", "query", "output"].every((name) => Object.hasOwn(object, name))) return undefined;
  const read = receiptSchema.safeParse(object);
  // A pull without rows has no files, but it may be incomplete.
  if (read.success) return read.data.outputs?.[0] ? receiptsOfFiles(read.data) : [read.data];
  const field = read.error.issues[0]?.path.join(".") ?? "";
  throw usageFailure(
    `"${file}" is not a valid receipt: ${field} is missing or has an unexpected value`,
    "repeat the pull with --receipt",
  );
}

/** What concerns the entire pull is reported with its first file. */
function receiptsOfFiles(receipt: PullReceipt): readonly PullReceipt[] {
  const { output, outputs = [] } = receipt;
  const clean = { complete: true, more: null, missing: 0, refused: 0 };
  return outputs.map(({ file, rows, bytes, sha256 }, index) => ({
    ...receipt,
    ...(index > 0 && clean),
    rows,
    first_row: null,
    last_row: null,
    output: { ...output, file, bytes, sha256 },
  }));
}
