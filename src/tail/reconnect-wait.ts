import type { Failure } from "../model/failure.ts";

/** Milliseconds of the first wait and of the longest, before jitter. */
const [first, longest] = [1000, 60_000];

/**
 * How long to wait before the `attempt`-th connection in a row that follows one without data: 1, 2, 4 … 60 s, half as
 * much again at most, and never less than the service asked for. `random` in [0, 1).
 */
export function reconnectWait(attempt: number, failure: Failure, random: number): number {
  const backoff = Math.min(first * 2 ** Math.min(attempt - 1, 16), longest) * (1 + random / 2);
  const { retryAfter } = failure.details;
  // A little more than asked for: timers may fire a millisecond early, and processes should not return in step.
  const asked = retryAfter === undefined ? 0 : retryAfter + 20 + random * 250;
  return Math.ceil(Math.max(backoff, asked));
}
