import type { Context } from "../../context/context.ts";
import { fail, Failure } from "../../contract/failure.ts";
import { unwritable } from "../../files/out/check-out-file.ts";
import { type FileLock, holdLock } from "../../files/file-lock.ts";
import type { Notices } from "../notices.ts";

/**
 * The lock of a file that one process at a time may write; a failure where another process has it. That passes, so it is
 * exit 7: a service manager that does not restart a command after a usage error is to try this one again.
 */
export async function holdFile(
  context: Pick<Context, "clock" | "random" | "signal">,
  file: string,
  lockFile: string,
  { remark }: Pick<Notices, "remark">,
): Promise<FileLock> {
  const watch = (): void => remark(`waiting for the lock ${lockFile} of another host or container`);
  const lock = await holdLock(context, lockFile, watch).catch((thrown: unknown) => {
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
