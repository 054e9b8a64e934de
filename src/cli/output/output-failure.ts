import { diskAdvice } from "../../model/disk-advice.ts";
import { errorCode } from "../../model/error-code.ts";
import { Failure } from "../../model/failure.ts";

/** Writing failed for a reason that is the machine's: a full disk, a device that is gone. */
export function outputFailure(cause: unknown): Failure | undefined {
  const isWrite =
    cause instanceof Error &&
    "syscall" in cause &&
    (cause.syscall === "write" || diskAdvice(errorCode(cause)) !== undefined);
  if (!isWrite) return undefined;
  return new Failure(`the output cannot be written (${errorCode(cause)})`, {
    exit: 1,
    code: "output",
    retryable: false,
    next: diskAdvice(errorCode(cause)),
    cause,
  });
}
