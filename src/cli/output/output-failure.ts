import { fail, type Failure } from "../../contract/failure.ts";
import { cannotBeWritten, diskAdvice, saidOf } from "../../files/file-fault.ts";

/** What the machine refused, which is no bug: the output (a full disk, a device that is gone), or a file by its name. */
export function outputFailure(cause: unknown): Failure | undefined {
  if (!(cause instanceof Error && "syscall" in cause)) return undefined;
  const next = diskAdvice(cause);
  const isWrite = cause.syscall === "write" || next !== undefined;
  const isOfFile = "path" in cause;
  if (!isWrite && !isOfFile) return undefined;
  return fail("output", isOfFile ? saidOf(cause) : `the output ${cannotBeWritten(cause)}`, {
    next,
    cause,
  });
}
