import * as z from "zod";
import { fail, type Failure } from "../contract/failure.ts";
import { counted } from "../text/counted.ts";
import { holdsExactly } from "../files/out/checkpoint.ts";
import { journalOf } from "../files/out/out-file.ts";
import { readJsonFile } from "../files/read-json-file.ts";

/** The receipt of a complete pull. */
const receiptSchema = z.object({
  complete: z.literal(true),
  /** A digest of everything that determines the rows. */
  query: z.string(),
  /** In milliseconds; the time against which relative times were resolved. */
  now: z.string().transform(Date.parse).pipe(z.number()),
  rows: z.number(),
  output: z.object({ bytes: z.number(), sha256: z.string() }),
});

export type FinishedPull = z.infer<typeof receiptSchema>;

/** Undefined if the receipt does not describe a complete pull. */
export function readFinishedPull(receipt: string): FinishedPull | undefined {
  const found = readJsonFile(receipt);
  return found.state === "read" ? receiptSchema.safeParse(found.object).data : undefined;
}

/** Undefined if the file does not contain exactly the rows of that pull. */
export async function completeLine(
  file: string,
  { output: { bytes, sha256 }, rows }: FinishedPull,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isComplete = await holdsExactly(file, bytes, sha256, signal);
  return isComplete ? `${file} is already complete: ${counted(rows, "row")}` : undefined;
}

/** A file without a checkpoint is never changed. `receipt` explains why the receipt proves nothing. */
export function noCheckpoint(file: string, receipt = ""): Failure {
  return fail("checkpoint", `cannot resume ${file}: no checkpoint ${journalOf(file)}${receipt}`, {
    next: "the file may be complete; to overwrite it, use --force instead of --resume",
  });
}
