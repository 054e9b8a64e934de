import { fail, usageFailure } from "../base/failure.ts";
import { counted } from "../base/text/words.ts";
import { alreadyExists, holdFile, checkpointOf, lockOf, partOf } from "./out-file.ts";
import type { Interrupted, PublishedPull } from "./checkpoint.ts";
import type { FileLock, Locking } from "../base/files/file-lock.ts";
import { isTaken } from "../base/files/paths.ts";

/** The files that the flags name. */
export interface WantedDestination {
  /** Undefined for stdout. A symbolic link is resolved to its target. Rows of several files are staged under this name. */
  readonly file: string | undefined;
  /** The path as typed, if it has fields that select the file of each row. */
  readonly pattern: string | undefined;
  /** Whether to continue an interrupted run in the file. Otherwise, the file appears only when it is complete. */
  readonly isResumed: boolean;
  readonly isForced: boolean;
  readonly receipt: string | undefined;
}

/** A file that no other process can write, and what earlier runs left of it. */
export interface OutputClaim {
  readonly file: string;
  /** The file in messages, such as `--out "rows.ndjson"`. */
  readonly label: string;
  readonly lock: FileLock;
  readonly interrupted: Interrupted | undefined;
  /** The pull is complete, but its run was killed before it removed the checkpoint. */
  readonly published: PublishedPull | undefined;
  /** The file has no checkpoint. With --resume, only a receipt can then prove that it is complete. */
  readonly isUnproven: boolean;
}

type FileToClaim = Pick<WantedDestination, "isResumed" | "isForced" | "pattern"> & { readonly file: string };

/** Fails if an earlier run left the file unfinished and no flag specifies what to do. */
export async function claimFile(
  context: Locking,
  to: FileToClaim,
  hint: (text: string) => void,
): Promise<OutputClaim> {
  const { file, pattern = file } = to;
  const lock = await holdFile(context, file, lockOf(file), hint);
  try {
    return { file, label: `--out "${pattern}"`, lock, ...(await findLeft(context.signal, to)) };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

async function findLeft(
  signal: AbortSignal,
  to: FileToClaim,
): Promise<Omit<OutputClaim, "file" | "label" | "lock">> {
  const { file, isResumed, isForced, pattern = file } = to;
  const isThere = isTaken(file);
  // Another run may have created the file after the flags were checked.
  if (isThere && !isResumed && !isForced) throw alreadyExists(file);
  if (!isTaken(checkpointOf(file)) && !isTaken(partOf(file)))
    return { interrupted: undefined, published: undefined, isUnproven: isThere };
  const { checkReplaceable, findInterrupted, findPublished } = await import("./checkpoint.ts");
  const published = isForced ? undefined : findPublished(file);
  if (published !== undefined && isResumed) return { interrupted: undefined, published, isUnproven: false };
  const interrupted = isForced ? undefined : await findInterrupted(file, signal);
  if (interrupted === undefined) checkReplaceable(file);
  else if (!isResumed) {
    const rows = counted(interrupted.progress?.rows ?? 0, "row");
    throw fail("unfinished", `${pattern} has an unfinished pull: ${rows} in ${interrupted.rowsAt}`);
  }
  const mayExist = interrupted?.header.mayReplace === true || interrupted?.files !== undefined;
  if (interrupted !== undefined && interrupted.rowsAt !== file && isThere && !mayExist)
    throw usageFailure(
      `${file} already exists, and the unfinished pull in ${interrupted.rowsAt} would replace it`,
      `move ${file} out of the way, or start over with --force`,
    );
  return { interrupted, published: undefined, isUnproven: isThere && interrupted === undefined };
}
