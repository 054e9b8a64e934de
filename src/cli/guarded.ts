import { type Context, exitOfInterruption, isInterruption } from "../base/context/context.ts";
import { fail, Failure } from "../base/failure.ts";
import { systemFailure } from "../base/files/file-errors.ts";
import type { TypedFlags } from "./run/flags/flag.ts";

/** Returns the exit code of `work` or its failure. All errors are handled here. */
export async function guarded(
  context: Context,
  /** The flags that have been parsed so far. */
  typed: () => TypedFlags,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (cause) {
    if (context.signal.aborted)
      return isInterruption(context.signal.reason) ? exitOfInterruption(context.signal.reason) : 130;
    const { errorFormat, reportFailure } = await import("./run/failure-text.ts");
    const failure = cause instanceof Failure ? cause : (systemFailure(cause) ?? bug(cause));
    await reportFailure(context, failure, errorFormat(typed(), context), typed().has("sandbox"));
    return failure.exit;
  }
}

function bug(cause: unknown): Failure {
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return fail("bug", `internal error: ${what} (this is a bug in dexdata)`, { cause });
}
