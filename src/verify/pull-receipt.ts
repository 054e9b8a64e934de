import * as z from "zod";
import { usageFailure } from "../contract/failure.ts";
import { readJsonFile } from "../files/read-json-file.ts";

const count = z.int().nonnegative();
const row = z.nullable(z.record(z.string(), z.unknown()));

/** The part that the receipt in the footer of a Parquet file has, too. */
export const querySchema = z.object({
  asked: z.nullable(z.record(z.string(), z.unknown())),
  window: z.object({ from: z.nullable(z.string()), to: z.nullable(z.string()) }),
});

export type Query = z.infer<typeof querySchema>;

/** The part of a `--receipt` that `verify` compares with the rows. */
const receiptSchema = querySchema.extend({
  command: z.string(),
  rows: count,
  missing: count,
  refused: count,
  first_row: row,
  last_row: row,
  output: z.object({
    file: z.nullable(z.string()),
    format: z.string(),
    bytes: count,
    sha256: z.nullable(z.string()),
  }),
  complete: z.boolean(),
  more: z.nullable(z.boolean()),
  why_not: z.nullable(z.string()),
});

export type PullReceipt = z.infer<typeof receiptSchema>;

/** Undefined if the file is not a receipt. */
export function readPullReceipt(file: string): PullReceipt | undefined {
  const found = readJsonFile(file);
  if (found.state !== "read") return undefined;
  const { object } = found;
  if (!["dexdata", "query", "output"].every((name) => Object.hasOwn(object, name))) return undefined;
  const read = receiptSchema.safeParse(object);
  if (read.success) return read.data;
  const field = read.error.issues[0]?.path.join(".") ?? "";
  throw usageFailure(`"${file}" is not a valid receipt: ${field}`, "repeat the pull with --receipt");
}
