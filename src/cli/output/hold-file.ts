import type { Context } from "../../model/context.ts";
import { fail, Failure } from "../../model/failure.ts";
import { unwritable } from "../../pull/check-out-file.ts";
import { type FileLock, holdLock } from "../../settings/file-lock.ts";

/** The lock of a file that one process at a time may write; a failure where another process has it. */
export async function holdFile(
  context: Pick<Context, "clock" | "random" | "signal">,
  file: string,
  lockFile: string,
): Promise<FileLock> {
  const lock = await holdLock(context, lockFile).catch((thrown: unknown) => {
    // The lock is the first file that is created there, so its folder and its disk are what the message is about.
    if (thrown instanceof Failure && thrown.cause !== undefined)
      throw unwritable(`--out "${file}"`, thrown.cause);
    throw thrown;
  });
  if ("release" in lock) return lock;
  throw fail("busy", `${file} is in use by ${lock.holder}`, {
    next: `wait until it has finished, or stop it; if it is not dexdata, delete ${lockFile}`,
  });
}
