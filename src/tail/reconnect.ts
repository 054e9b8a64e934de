import { isWaitTooLong, waitTooLong } from "../client/pace/retry-after.ts";
import type { Failure } from "../contract/failure.ts";

/** The service ended the stream, and a client must not reconnect (WHATWG HTML, Server-sent events). */
export const endedForGood = 204;

/**
 * Statuses that the service, or a proxy that requires a password, sends on purpose, and will send again. Anything else
 * (408, a redirect, the page of a proxy) comes from something in between and is transient.
 */
export const permanentStatuses: ReadonlySet<number> = new Set([204, 400, 401, 402, 403, 404, 405, 407, 410]);

/** Milliseconds of the first wait and of the longest, before jitter. */
const [first, longest] = [1000, 60_000];

/**
 * Milliseconds before the next connection or read, by the number that failed in a row: 1, 2, 4 … 60 s, plus jitter of up to
 * half, and never less than the service requested. Rounded up to tenths of a second, from ten seconds on to seconds, so
 * that messages and `--events` give the same number. Throws where the requested wait is too long.
 *
 * @param random in [0, 1)
 * @param least milliseconds of the stream's `retry` field
 */
export function reconnectWait(attempt: number, failure: Failure, random: number, least = 0): number {
  if (isWaitTooLong(failure)) throw waitTooLong(failure);
  const backoff = Math.min(first * 2 ** Math.min(attempt - 1, 16), longest) * (1 + random / 2);
  const { retryAfter } = failure.details;
  // A little more than requested: timers may fire a millisecond early, and processes should not return in step.
  const requested = retryAfter === undefined ? 0 : retryAfter + 20 + random * 250;
  const wait = Math.max(backoff, requested, Math.min(least, longest));
  const step = wait < 10_000 ? 100 : 1000;
  return Math.ceil(wait / step) * step;
}
