import type { Failure } from "../../contract/failure.ts";
import { isWaitTooLong } from "./retry-after.ts";

export interface RetryPolicy {
  /** Requests after the first, at most. */
  readonly retries: number;
  /** Statuses retried in addition to 429 and 500. */
  readonly retryOn: ReadonlySet<number>;
  /** Total milliseconds of waiting for one request; a wait beyond it does not begin. */
  readonly maxTime: number;
}

export const defaultRetryPolicy: RetryPolicy = { retries: 4, retryOn: new Set(), maxTime: 180_000 };

/** The attempts at one request so far. */
export interface Tries {
  /** The number of times it was sent. */
  readonly attempt: number;
  /** Milliseconds waited so far. */
  readonly waited: number;
}

type FinalReason = "final" | "service-wait" | "retries" | "time";

type Decision =
  | { readonly again: true; readonly wait: number }
  | { readonly again: false; readonly reason: FinalReason; readonly wait?: number };

/** Milliseconds before a request is sent again: 1, 2, 4 … s. Jitter only adds. `random` in [0, 1). */
export function backoffAfter(attempt: number, random: number): number {
  return 1000 * 2 ** Math.min(attempt - 1, 6) * (1 + random / 2);
}

/**
 * Whether and when the same request is sent again. Specification, Status codes: only 429 (after Retry-After) and 500, with
 * 1, 2, 4 … s; after connection errors, a GET is safe to repeat. Jitter only adds, so no retry is early. `random` in [0, 1).
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
  // A little more than requested: timers may fire a millisecond early, and processes should not return at the same time.
  const requested = retryAfter === undefined ? 0 : retryAfter + 20 + progress.random * 250;
  const wait = Math.ceil(Math.max(backoff, requested));
  if (progress.waited + wait > policy.maxTime) return { again: false, reason: "time", wait };
  return { again: true, wait };
}
