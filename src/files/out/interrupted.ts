import { createHash, type Hash } from "node:crypto";
import { closeSync, constants, createReadStream, lstatSync, rmSync } from "node:fs";
import { fail, type Failure } from "../../contract/failure.ts";
import { checkRegular, openRegular } from "../regular-file.ts";
import { isSameFile } from "../same-file.ts";
import { type CheckpointHeader, type FoundProgress, type Progress, readJournal } from "./checkpoint.ts";
import { partOf } from "./out-names.ts";
import { hashEnd } from "./row-file.ts";

/** A pull that an earlier run has not finished, with rows that a run can continue. */
export interface Interrupted extends FoundProgress {
  readonly header: CheckpointHeader;
  /** The file that holds its rows. */
  readonly rowsAt: string;
}

/** What an earlier run left of a pull into `file`; undefined where there is nothing to continue. */
export async function findInterrupted(file: string, signal: AbortSignal): Promise<Interrupted | undefined> {
  const journal = readJournal(file);
  if (journal === undefined) return undefined;
  const { header, upTo } = journal;
  const at = (rowsAt: string): Interrupted | undefined => {
    const size = lstatSync(rowsAt, { throwIfNoEntry: false })?.size;
    if (size === undefined) return undefined;
    const found = { header, rowsAt, ...upTo(size) };
    const { progress, complete, isCut } = found;
    // What is behind the rows of a pull that did not end may be a page of its own; it is cut off. Here it is not: rows
    // that another program has added to a complete file, or a file that never was the one of the pull.
    const isLonger = complete !== undefined && size > complete;
    const isOther = isCut && size > 0 && (progress?.bytes ?? 0) === 0;
    if (rowsAt === file && (isLonger || isOther)) throw modified(file);
    return found;
  };
  // A user who deleted the rows wants them again, in the time range of today.
  if (header.rows === "file") return at(file);
  const isPlaced = dropPlacedPart(file);
  const found = at(isPlaced ? file : partOf(file));
  // Before the first page there is nothing to lose.
  if (found?.progress === undefined) return undefined;
  return isPlaced && !(await isUnchanged(file, found.progress, signal)) ? undefined : found;
}

/**
 * Whether the rows already have the name `file`: the run was killed before it removed its checkpoint. In between they
 * have both names.
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

async function isUnchanged(file: string, progress: Progress, signal: AbortSignal): Promise<boolean> {
  const hash = await hashOf(file, progress.bytes, signal);
  return isHashOf(file, hash, progress);
}

/** SHA-256, in progress, over the rows of the pull, which must still be as the checkpoint describes them. */
export async function hashRows(
  file: string,
  { rowsAt, progress }: Interrupted,
  signal: AbortSignal,
): Promise<Hash> {
  const hash = await hashOf(rowsAt, progress?.bytes ?? 0, signal);
  if (progress === undefined || isHashOf(rowsAt, hash, progress)) return hash;
  throw modified(file);
}

function modified(file: string): Failure {
  return fail("checkpoint", `cannot resume ${file}: it was modified after the interruption`, {
    next: "start over with --force instead of --resume, or name another file",
  });
}

function isHashOf(file: string, hash: Hash, { bytes, sha256, end }: Progress): boolean {
  if (bytes === 0) return true;
  if (sha256 !== undefined) return hash.copy().digest("hex") === sha256;
  const descriptor = openRegular(file, constants.O_RDONLY);
  try {
    return hashEnd(descriptor, bytes) === end;
  } finally {
    closeSync(descriptor);
  }
}

/** SHA-256, in progress, over the first `bytes` of a file. */
export async function hashOf(file: string, bytes: number, signal?: AbortSignal): Promise<Hash> {
  const hash = createHash("sha256");
  if (bytes === 0) return hash;
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) {
    signal?.throwIfAborted();
    hash.update(Buffer.from(chunk));
  }
  return hash;
}
