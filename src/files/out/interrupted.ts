import { createHash, type Hash } from "node:crypto";
import { createReadStream, lstatSync, rmSync } from "node:fs";
import { fail, type Failure } from "../../contract/failure.ts";
import { checkRegular, isSameFile } from "../regular-file.ts";
import { type CheckpointHeader, type FoundProgress, readJournal } from "./checkpoint.ts";
import { partOf } from "./out-file.ts";

/** A pull that an earlier run did not finish, with rows that this run can continue. */
export interface Interrupted extends FoundProgress {
  readonly header: CheckpointHeader;
  /** The file that holds the rows. */
  readonly rowsAt: string;
}

/** Finds the rows that an earlier run left of a pull into `file`; undefined if there is nothing to continue. */
export async function findInterrupted(file: string, signal: AbortSignal): Promise<Interrupted | undefined> {
  const journal = readJournal(file);
  if (journal === undefined) return undefined;
  const { header, upTo } = journal;
  const at = (rowsAt: string): Interrupted | undefined => {
    const size = lstatSync(rowsAt, { throwIfNoEntry: false })?.size;
    if (size === undefined) return undefined;
    const found = { header, rowsAt, ...upTo(size) };
    const { progress, complete, isCut } = found;
    // Bytes after the rows of an unfinished pull may be its next page, and are cut off. Here they are not: another
    // program added rows to a complete file, or the file never belonged to the pull.
    const isLonger = complete !== undefined && size > complete;
    const isOther = isCut && size > 0 && (progress?.bytes ?? 0) === 0;
    if (rowsAt === file && (isLonger || isOther)) throw modified(file);
    return found;
  };
  // A user who deleted the rows wants them again, for the time range of today.
  if (header.rows === "file") return at(file);
  const isPlaced = dropPlacedPart(file);
  const found = at(isPlaced ? file : partOf(file));
  // Before the first page there is nothing to lose.
  if (found?.progress === undefined) return undefined;
  const { bytes, sha256 } = found.progress;
  return isPlaced && !(await beginsWithRows(file, bytes, sha256, signal)) ? undefined : found;
}

/**
 * Whether the rows already have the name `file`, because the run was killed before it removed its checkpoint. For a
 * moment before that, they have both names.
 */
function dropPlacedPart(file: string): boolean {
  const part = partOf(file);
  if (!checkRegular(part)) return true;
  const exactly = { bigint: true, throwIfNoEntry: false } as const;
  const [one, other] = [lstatSync(part, exactly), lstatSync(file, exactly)];
  if (one === undefined || other === undefined || !isSameFile(one, other)) return false;
  rmSync(part);
  return true;
}

/** Returns a SHA-256, in progress, over the rows of the pull, which must match its checkpoint. */
export async function hashRows(
  file: string,
  { rowsAt, progress }: Interrupted,
  signal: AbortSignal,
): Promise<Hash> {
  const hash = await hashOf(rowsAt, progress?.bytes ?? 0, signal);
  if (progress === undefined || hash.copy().digest("hex") === progress.sha256) return hash;
  throw modified(file);
}

function modified(file: string): Failure {
  return fail("checkpoint", `cannot resume ${file}: it was modified after the interruption`, {
    next: "start over with --force instead of --resume, or name another file",
  });
}

/** Whether a file holds exactly these bytes. */
export async function holdsExactly(
  file: string,
  bytes: number,
  sha256: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (lstatSync(file, { throwIfNoEntry: false })?.size !== bytes) return false;
  return await beginsWithRows(file, bytes, sha256, signal);
}

async function beginsWithRows(
  file: string,
  bytes: number,
  sha256: string,
  signal: AbortSignal,
): Promise<boolean> {
  const hash = await hashOf(file, bytes, signal);
  return hash.digest("hex") === sha256;
}

/** SHA-256, in progress, over the first `bytes` of a file. */
async function hashOf(file: string, bytes: number, signal: AbortSignal): Promise<Hash> {
  const hash = createHash("sha256");
  if (bytes === 0) return hash;
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) {
    signal.throwIfAborted();
    hash.update(Buffer.from(chunk));
  }
  return hash;
}
