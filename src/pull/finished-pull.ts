import { fail, type Failure } from "../contract/failure.ts";
import { member } from "../json/raw-json.ts";
import { counted } from "../text/counted.ts";
import { holdsExactly } from "../files/out/checkpoint.ts";
import { journalOf } from "../files/out/out-file.ts";
import { readJsonFile } from "../files/read-json-file.ts";

/** A complete pull, as described by its receipt. */
export interface FinishedPull {
  /** A digest of everything that determines the rows. */
  readonly query: string;
  /** In milliseconds; the time against which relative times were resolved. */
  readonly now: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
}

/** Undefined if the receipt does not describe a complete pull. */
export function readFinishedPull(receipt: string): FinishedPull | undefined {
  const found = readJsonFile(receipt);
  if (found.state !== "read") return undefined;
  const [query, rows, output, isComplete] = ["query", "rows", "output", "complete"].map((name) =>
    member(found.object, name),
  );
  const now = Date.parse(String(member(found.object, "now")));
  const [bytes, sha256] = [member(output, "bytes"), member(output, "sha256")];
  const isSound =
    isComplete === true &&
    typeof query === "string" &&
    typeof rows === "number" &&
    typeof bytes === "number" &&
    typeof sha256 === "string" &&
    !Number.isNaN(now);
  return isSound ? { query, now, bytes, sha256, rows } : undefined;
}

/** Undefined if the file does not contain exactly the rows of that pull. */
export async function completeLine(
  file: string,
  { bytes, sha256, rows }: FinishedPull,
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
