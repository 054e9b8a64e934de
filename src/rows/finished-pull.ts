import * as z from "zod";
import { fail, type Failure } from "../base/failure.ts";
import { counted } from "../base/text/words.ts";
import { removeCheckpoint } from "./out-files/row-file.ts";
import { modified } from "./checkpoint.ts";
import { checkpointOf, type Encoder } from "./out-file.ts";
import { hasRows } from "./out-files/encoded-file.ts";
import { readJsonFile } from "../base/files/json-file.ts";
import type { WrittenFile } from "./checkpoint-lines.ts";

/** A complete pull, according to its receipt or its checkpoint. */
export interface FinishedPull {
  /** A digest of everything that determines the rows. */
  readonly query: string;
  /** In milliseconds; the time against which relative times were resolved. */
  readonly now: number;
  readonly rows: number;
  readonly files: readonly WrittenFile[];
}

const receiptSchema = z.object({
  complete: z.literal(true),
  query: z.string(),
  now: z.string().transform(Date.parse).pipe(z.number()),
  rows: z.number(),
  output: z.object({ bytes: z.number(), sha256: z.nullable(z.string()) }),
  outputs: z.optional(z.array(z.object({ file: z.string(), bytes: z.number(), sha256: z.string() }))),
});

/** Undefined if the receipt does not describe a complete pull. `file` is the file that the user named. */
export function readFinishedPull(receipt: string, file: string): FinishedPull | undefined {
  const found = readJsonFile(receipt);
  const read = found.state === "read" ? receiptSchema.safeParse(found.object).data : undefined;
  if (read === undefined) return undefined;
  const { output, outputs, ...pull } = read;
  const { bytes, sha256 } = output;
  const files = outputs ?? (sha256 === null ? undefined : [{ file, bytes, sha256 }]);
  return files && { ...pull, files };
}

/** Undefined if the files do not contain exactly the rows of that pull. */
export async function completeLine(
  { files, rows }: FinishedPull,
  name: string,
  encoder: Encoder | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const file of files) if (!(await hasRows(file, encoder, signal))) return undefined;
  return `${name} is already complete: ${counted(rows, "row")}`;
}

/** A file without a checkpoint is never changed. `receipt` explains why the receipt proves nothing. */
export function noCheckpoint(file: string, receipt = ""): Failure {
  return fail("checkpoint", `cannot resume ${file}: no checkpoint ${checkpointOf(file)}${receipt}`, {
    next: "the file may be complete; to overwrite it, use --force instead of --resume",
  });
}

/** The final files have their names, but the run was killed before it removed its checkpoint. */
export function endPublished(file: string, isComplete: boolean): void {
  if (!isComplete) throw modified(file);
  removeCheckpoint(file);
}
