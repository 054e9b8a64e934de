import { Failure } from "../../model/failure.ts";

/** Writing failed for a reason that is the machine's: a full disk, a device that is gone. */
export function outputFailure(cause: unknown): Failure | undefined {
  const isWrite =
    cause instanceof Error && "syscall" in cause && cause.syscall === "write" && "code" in cause;
  if (!isWrite) return undefined;
  return new Failure(`the output cannot be written (${String(cause.code)})`, {
    exit: 1,
    code: "output",
    retryable: false,
    next: cause.code === "ENOSPC" ? "the disk is full: make room, or write elsewhere" : undefined,
    cause,
  });
}
