import { fail, type Failure, usageFailure } from "../contract/failure.ts";
import { counted } from "../text/counted.ts";
import { alreadyExists, holdFile, journalOf, lockOf, partOf } from "../files/out/out-file.ts";
import type { Interrupted } from "../files/out/checkpoint.ts";
import type { FileLock, Locking } from "../files/file-lock.ts";
import { isTaken } from "../files/paths.ts";

/** Where the rows of a run go, as typed. */
export interface WantedDestination {
  /** Undefined: stdout. Where a link was typed, what that leads to. */
  readonly file: string | undefined;
  /** Go on with what an interrupted run left in the file; else the file is whole or absent. */
  readonly isResumed: boolean;
  /** A file that exists may be replaced. */
  readonly isForced: boolean;
  readonly receipt: string | undefined;
}

/** A file that this run alone may write. */
export interface Claimed {
  readonly file: string;
  readonly lock: FileLock;
  /** What an earlier run left to continue. */
  readonly interrupted: Interrupted | undefined;
  /** The file exists and has no checkpoint: for --resume, only a receipt can prove that it is complete. */
  readonly isUnproven: boolean;
}

type Wanted = Pick<WantedDestination, "isResumed" | "isForced"> & { readonly file: string };

/** Locks the file, and refuses what an earlier run left unless a flag decides about it. */
export async function claimFile(
  context: Locking,
  to: Wanted,
  remark: (text: string) => void,
): Promise<Claimed> {
  const { file } = to;
  const lock = await holdFile(context, file, lockOf(file), remark);
  try {
    return { file, lock, ...(await findLeft(context.signal, to)) };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

async function findLeft(
  signal: AbortSignal,
  to: Wanted,
): Promise<Pick<Claimed, "interrupted" | "isUnproven">> {
  const { file, isResumed, isForced } = to;
  const isThere = isTaken(file);
  // Another run may have created it since the flags were read.
  if (isThere && !isResumed && !isForced) throw alreadyExists(file);
  if (!isTaken(journalOf(file)) && !isTaken(partOf(file)))
    return { interrupted: undefined, isUnproven: isThere };
  const { checkReplaceable, findInterrupted } = await import("../files/out/checkpoint.ts");
  const interrupted = isForced ? undefined : await findInterrupted(file, signal);
  if (interrupted === undefined) checkReplaceable(file);
  else if (!isResumed) throw unfinished(file, interrupted);
  else if (interrupted.rowsAt !== file && isThere && !interrupted.header.mayReplace)
    throw blocked(file, interrupted);
  return { interrupted, isUnproven: isThere && interrupted === undefined };
}

function unfinished(file: string, { rowsAt, progress }: Interrupted): Failure {
  return fail(
    "unfinished",
    `${file} has an unfinished pull: ${counted(progress?.rows ?? 0, "row")} in ${rowsAt}`,
  );
}

function blocked(file: string, { rowsAt }: Interrupted): Failure {
  return usageFailure(
    `${file} already exists, and its unfinished pull in ${rowsAt} would replace it`,
    `move ${file} out of the way, or start over with --force`,
  );
}
