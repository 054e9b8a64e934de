import type { Failure } from "../../contract/failure.ts";
import { isWaitTooLong } from "./retry-after.ts";

export interface RetryPolicy {
  /** Requests after the first, at most. */
  readonly retries: number;
  /** Statuses retried besides 429 and 500. */
  readonly retryOn: ReadonlySet<number>;
  /** Milliseconds of waiting for one request; a wait that would pass it is not begun. */
  readonly maxTime: number;
}

export const defaultRetryPolicy: RetryPolicy = { retries: 4, retryOn: new Set(), maxTime: 180_000 };

/** One request so far. */
export interface Tries {
  /** How often it was sent. */
  readonly attempt: number;
  /** Milliseconds already waited for it. */
  readonly waited: number;
}

export type Decision =
  | { readonly again: true; readonly wait: number }
  | {
      readonly again: false;
      readonly reason: "final" | "service-wait" | "retries" | "time";
      readonly wait?: number;
    };

/** Milliseconds before a request is sent again: 1, 2, 4 … s. Jitter only adds. `random` in [0, 1). */
export function backoffAfter(attempt: number, random: number): number {
  return 1000 * 2 ** Math.min(attempt - 1, 6) * (1 + random / 2);
}

/**
 * Whether and when the same request is sent again. Specification, Status codes: only 429 (after Retry-After) and
 * 500, with 1, 2, 4 … s; connection faults of a GET are safe to repeat. Jitter only adds, so nothing comes early.
 * `random` in [0, 1).
 */
export function decideRetry(
  failure: Failure,
  policy: RetryPolicy,
  progress: Tries & { readonly random: number },
): Decision {
  const { status } = failure.details;
  const isRetried =
    failure.details.retryable === true || (status !== undefined && policy.retryOn.has(status));
  if (!isRetried) return { again: false, reason: "final" };
  if (isWaitTooLong(failure)) return { again: false, reason: "service-wait" };
  if (progress.attempt > policy.retries) return { again: false, reason: "retries" };
  const backoff = backoffAfter(progress.attempt, progress.random);
  // A little more than asked for: timers may fire a millisecond early, and processes should not return in step.
  const asked =
    failure.details.retryAfter === undefined ? 0 : failure.details.retryAfter + 20 + progress.random * 250;
  const wait = Math.ceil(Math.max(backoff, asked));
  if (progress.waited + wait > policy.maxTime) return { again: false, reason: "time", wait };
  return { again: true, wait };
}
