import type { Context } from "../context/context.ts";
import { fail, type Failure } from "../contract/failure.ts";

/** A context that also ends when `--deadline` has passed; `release` stops the clock. */
export function bounded(
  context: Context,
  deadline: number | undefined,
): { readonly context: Context; readonly release: () => void } {
  if (deadline === undefined) return { context, release: () => undefined };
  const late = new AbortController();
  const done = new AbortController();
  context.clock.sleep(deadline, done.signal).then(
    () => late.abort(deadlineFailure(deadline)),
    () => undefined,
  );
  const signal = AbortSignal.any([context.signal, late.signal]);
  return { context: { ...context, signal }, release: () => done.abort() };
}

function deadlineFailure(milliseconds: number): Failure {
  return fail("timeout", `not done within the --deadline of ${milliseconds / 1000} s`, {
    next: "allow more time, or ask for less",
  });
}
