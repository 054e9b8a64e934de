import { fail, type Failure } from "../contract/failure.ts";
import { member } from "../json/raw-json.ts";
import { counted } from "../text/counted.ts";
import { holdsExactly } from "../files/out/checkpoint.ts";
import { journalOf } from "../files/out/out-file.ts";
import { readJsonFile } from "../files/read-json-file.ts";

/** A complete pull, as its receipt describes it. */
export interface FinishedPull {
  /** Digest of everything that decides about its rows. */
  readonly query: string;
  /** Milliseconds: the clock reading that resolved its time bounds. */
  readonly now: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
}

/** What the receipt of an earlier run says of a pull that it calls complete; undefined where it says nothing like it. */
export function readFinishedPull(receipt: string): FinishedPull | undefined {
  const found = readJsonFile(receipt);
  if (found.state !== "read") return undefined;
  const of = (name: string): unknown => member(found.object, name);
  const [query, rows, output] = [of("query"), of("rows"), of("output")];
  const now = Date.parse(String(of("now")));
  const [bytes, sha256] = [member(output, "bytes"), member(output, "sha256")];
  const isSound =
    of("complete") === true &&
    typeof query === "string" &&
    typeof rows === "number" &&
    typeof bytes === "number" &&
    typeof sha256 === "string" &&
    !Number.isNaN(now);
  return isSound ? { query, now, bytes, sha256, rows } : undefined;
}

/** The line for a file that holds exactly the rows of that pull; undefined where it does not. */
export async function completeLine(
  file: string,
  { bytes, sha256, rows }: FinishedPull,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isComplete = await holdsExactly(file, bytes, sha256, signal);
  return isComplete ? `${file} is already complete: ${counted(rows, "row")}` : undefined;
}

/** A file that may hold anything is not changed. `receipt`: why that does not prove it complete. */
export function noCheckpoint(file: string, receipt = ""): Failure {
  return fail("checkpoint", `cannot resume ${file}: no checkpoint ${journalOf(file)}${receipt}`, {
    next: "the file may be complete; to overwrite it, use --force instead of --resume",
  });
}
