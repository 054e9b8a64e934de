import { lstatSync } from "node:fs";
import type { Context } from "../../context/context.ts";
import { fail, type Failure, usageFailure } from "../../contract/failure.ts";
import { counted } from "../../text/counted.ts";
import { alreadyExists } from "../../files/out/check-out-file.ts";
import type { Interrupted } from "../../files/out/interrupted.ts";
import { journalOf, lockOf, partOf } from "../../files/out/out-names.ts";
import type { FileLock } from "../../files/file-lock.ts";
import type { DestinationFlags } from "../flags/destination-flags.ts";
import type { Notices } from "../notices.ts";
import { holdFile } from "./hold-file.ts";

/** A file that this run alone may write. */
export interface Claimed {
  readonly file: string;
  readonly lock: FileLock;
  /** What an earlier run left to continue. */
  readonly interrupted: Interrupted | undefined;
  /** The file exists and has no checkpoint: for --resume, only a receipt can prove that it is complete. */
  readonly isUnproven: boolean;
}

type Wanted = Pick<DestinationFlags, "isResumed" | "isForced"> & { readonly file: string };

/** Locks the file, and refuses what an earlier run left unless a flag decides about it. */
export async function claimFile(
  context: Pick<Context, "clock" | "random" | "signal">,
  to: Wanted,
  notices: Pick<Notices, "remark">,
): Promise<Claimed> {
  const { file } = to;
  const lock = await holdFile(context, file, lockOf(file), notices);
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
  const isThere = exists(file);
  // Another run may have created it since the flags were read.
  if (isThere && !isResumed && !isForced) throw alreadyExists(file);
  if (!exists(journalOf(file)) && !exists(partOf(file)))
    return { interrupted: undefined, isUnproven: isThere };
  const { checkReplaceable } = await import("../../files/out/checkpoint.ts");
  const { findInterrupted } = await import("../../files/out/interrupted.ts");
  const interrupted = isForced ? undefined : await findInterrupted(file, signal);
  if (interrupted === undefined) checkReplaceable(file);
  else if (!isResumed) throw unfinished(file, interrupted);
  else if (interrupted.rowsAt !== file && isThere && !interrupted.header.mayReplace)
    throw blocked(file, interrupted);
  return { interrupted, isUnproven: isThere && interrupted === undefined };
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
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
