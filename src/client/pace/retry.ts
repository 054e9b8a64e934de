import type { Failure } from "../../contract/failure.ts";
import { isWaitTooLong } from "./retry-after.ts";

export interface RetryPolicy {
  /** In addition to the first attempt. */
  readonly retries: number;
  /** In addition to 429 and 500. */
  readonly retryOn: ReadonlySet<number>;
  /** In milliseconds, for all of one request's waits combined. A wait that would exceed this limit does not start. */
  readonly maxTime: number;
}

export const defaultRetryPolicy: RetryPolicy = { retries: 4, retryOn: new Set(), maxTime: 180_000 };

export interface Tries {
  readonly attempt: number;
  /** In milliseconds. */
  readonly waited: number;
}

type FinalReason = "final" | "service-wait" | "retries" | "time";

type Decision =
  | { readonly again: true; readonly wait: number }
  | { readonly again: false; readonly reason: FinalReason; readonly wait?: number };

/** In milliseconds: 1, 2, 4 … s. Jitter only increases the wait. `random` is in [0, 1). */
export function backoffAfter(attempt: number, random: number): number {
  return 1000 * 2 ** Math.min(attempt - 1, 6) * (1 + random / 2);
}

/**
 * Retries only 429 (after Retry-After) and 500, after 1, 2, 4 … s (specification, Status codes), plus connection
 * errors, because a GET is safe to repeat. Jitter only increases the wait. `random` is in [0, 1).
 */
export function decideRetry(
  failure: Failure,
  policy: RetryPolicy,
  progress: Tries & { readonly random: number },
): Decision {
  const { status, retryable = false, retryAfter } = failure.details;
  const isRetried = retryable || (status !== undefined && policy.retryOn.has(status));
  if (!isRetried) return { again: false, reason: "final" };
  if (isWaitTooLong(failure)) return { again: false, reason: "service-wait" };
  if (progress.attempt > policy.retries) return { again: false, reason: "retries" };
  const backoff = backoffAfter(progress.attempt, progress.random);
  // Wait slightly longer: timers may fire a millisecond early, and processes should not all retry at once.
  const requested = retryAfter === undefined ? 0 : retryAfter + 20 + progress.random * 250;
  const wait = Math.ceil(Math.max(backoff, requested));
  if (progress.waited + wait > policy.maxTime) return { again: false, reason: "time", wait };
  return { again: true, wait };
}
