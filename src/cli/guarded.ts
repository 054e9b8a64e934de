import { type Context, exitOfInterruption, isInterruption } from "../base/context/context.ts";
import { fail, Failure } from "../base/failure.ts";
import { errorCode, systemFailure } from "../base/files/file-errors.ts";
import { hideSecrets } from "../base/key.ts";
import { visibleText } from "../base/text/unsafe-text.ts";
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
    const failure = cause instanceof Failure ? cause : (systemFailure(cause) ?? bug(cause));
    const loaded = await import("./run/failure-text.ts").catch(() => undefined);
    if (loaded === undefined) {
      const text = hideSecrets(`error: ${visibleText(failure.message)}\n`);
      await context.stderr.write(text).catch(() => undefined);
    } else {
      const format = loaded.errorFormat(typed(), context);
      await loaded.reportFailure(context, failure, format, typed().has("sandbox"));
    }
    return failure.exit;
  }
}

function bug(cause: unknown): Failure {
  // An update replaces files that this run has not loaded yet.
  if (errorCode(cause) === "MODULE_NOT_FOUND")
    return fail("bug", "dexdata was updated or removed during the run", {
      next: "run the command again",
      cause,
    });
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return fail("bug", `internal error: ${what} (this is a bug in dexdata)`, { cause });
}
