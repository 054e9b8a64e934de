import { isWaitTooLong, waitTooLong } from "../client/pace/retry-after.ts";
import type { Failure } from "../contract/failure.ts";

/** A client must not reconnect after this status (WHATWG HTML, Server-sent events). */
export const endedForGood = 204;

/**
 * The service, or a proxy that requires a password, sends these intentionally and would send them again. All other
 * statuses (408, a redirect, a proxy's error page) come from an intermediary and are transient.
 */
export const permanentStatuses: ReadonlySet<number> = new Set([204, 400, 401, 402, 403, 404, 405, 407, 410]);

/** Milliseconds, without jitter. */
const [first, longest] = [1000, 60_000];

/**
 * The wait in milliseconds after this many consecutive failures: 1, 2, 4 … 60 s, plus up to half of that as jitter, but
 * never less than the service requests or than `least`, the stream's `retry` field. Rounded up to tenths of a second,
 * or to full seconds from ten seconds on, so messages and `--events` show the same number. `random` is in [0, 1).
 * Throws if the requested wait is too long.
 */
export function reconnectWait(attempt: number, failure: Failure, random: number, least = 0): number {
  if (isWaitTooLong(failure)) throw waitTooLong(failure);
  const backoff = Math.min(first * 2 ** Math.min(attempt - 1, 16), longest) * (1 + random / 2);
  const { retryAfter } = failure.details;
  // Wait slightly longer: timers may fire a millisecond early, and processes should not all reconnect at once.
  const requested = retryAfter === undefined ? 0 : retryAfter + 20 + random * 250;
  const wait = Math.max(backoff, requested, Math.min(least, longest));
  const step = wait < 10_000 ? 100 : 1000;
  return Math.ceil(wait / step) * step;
}
