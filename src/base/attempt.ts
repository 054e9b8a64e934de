import { Failure } from "./failure.ts";

/** Undefined if `work` throws, whatever the error is. */
export function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The failure as a value. Any other error is a bug or an interruption, and is thrown. */
export function asFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  throw cause;
}

/** The result of `work`, or its failure. */
export function attempt<T>(work: () => T): T | Failure {
  try {
    return work();
  } catch (cause) {
    return asFailure(cause);
  }
}
