import { formatDuration, formatSeconds } from "../api/duration.ts";
import { failAsService } from "../api/service-errors.ts";
import { fail, Failure } from "../base/failure.ts";

/** Which failures are retried, and for how long. */
export interface RetryPolicy {
  /** In addition to the first attempt. */
  readonly retries: number;
  /** The same for responses that cannot be correct, if another part of the run decides when to retry. */
  readonly repeats?: number;
  /** In addition to 429 and 500. */
  readonly retryOn: ReadonlySet<number>;
  /** Also retries after an outage if the run has not had a response yet, because it is meant to outlast outages. */
  readonly outlastsOutages: boolean;
  /** In milliseconds, for all of one request's waits combined. A wait that would exceed this limit does not start. */
  readonly maxTime: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  retries: 4,
  retryOn: new Set(),
  outlastsOutages: false,
  maxTime: 180_000,
};

interface Tries {
  readonly attempt: number;
  /** In milliseconds. */
  readonly waited: number;
  /** The service has responded to an earlier request of this run with a 2xx status. */
  readonly hasAnswered: boolean;
  /** In [0, 1). */
  readonly random: number;
}

/** In milliseconds: 1, 2, 4 … s. Jitter only increases the wait. `random` is in [0, 1). */
export function backoffAfter(attempt: number, random: number): number {
  return 1000 * 2 ** Math.min(attempt - 1, 6) * (1 + random / 2);
}

/**
 * Returns the wait in milliseconds. Throws the failure if it is not retried: only 429 (after Retry-After) and 500 are,
 * after 1, 2, 4 … s (specification, Status codes), plus connection errors, because a GET is safe to repeat. An outage of
 * a gateway or name server counts as a connection error once the service has responded, so that it does not end a long
 * run. Before that, the host may be the wrong one.
 */
export function waitBeforeRetry(
  failure: Failure,
  policy: RetryPolicy,
  { attempt, waited, hasAnswered, random }: Tries,
): number {
  const { status, retryable = false, isOutage = false } = failure.details;
  const isChosen = status !== undefined && policy.retryOn.has(status);
  const isTooEarly = isOutage && !hasAnswered && !policy.outlastsOutages;
  if (!isChosen && isTooEarly) throw withRetryOn(failure);
  if (!isChosen && !retryable) throw failure;
  if (isWaitTooLong(failure)) throw waitTooLong(failure);
  if (attempt > policy.retries) throw failure;
  const wait = Math.ceil(Math.max(backoffAfter(attempt, random), requestedWait(failure, random)));
  if (waited + wait > policy.maxTime) throw tooLong(failure, wait, waited);
  return wait;
}

/** Slightly longer: timers may fire a millisecond early, and processes should not all continue at once. */
function requestedWait({ details: { retryAfter } }: Failure, random: number): number {
  return retryAfter === undefined ? 0 : retryAfter + 20 + random * 250;
}

/** The page of another server, with a lower status, has a hint of its own. */
function withRetryOn(failure: Failure): Failure {
  const { status } = failure.details;
  if (status === undefined || status < 500) return failure;
  const next = `try again later, or use --retry-on ${status}`;
  return new Failure(failure.message, { ...failure.details, next });
}

function tooLong(failure: Failure, wait: number, waited: number): Failure {
  const { status, retryAfter } = failure.details;
  // Without a status, nothing was sent: an earlier response asked for the pause.
  const isHeldBack = status === undefined && retryAfter !== undefined;
  const ways = isHeldBack
    ? "raise it, use another key (--profile), or add --rpm unlimited"
    : "try again later, or raise it";
  const next =
    waited === 0
      ? `waiting ${formatSeconds(wait)} would exceed --retry-max-time; ${ways}`
      : `after ${formatSeconds(waited)}, waiting ${formatSeconds(wait)} more would exceed --retry-max-time`;
  return new Failure(failure.message, { ...failure.details, next });
}

/** In milliseconds, without jitter. */
const [firstReconnect, longestReconnect] = [1000, 60_000];

/**
 * The wait in milliseconds after this many consecutive failures: 1, 2, 4 … 60 s, plus up to half of that as jitter, but
 * never less than the service requests or than `least`, the stream's `retry` field. `most` limits it before the
 * jitter. Rounded up to tenths of a second, from 10 s on to seconds, so messages and `--events` show the same number.
 * `random` is in [0, 1). Throws if the requested wait is too long.
 */
export function reconnectWait(
  attempt: number,
  failure: Failure,
  random: number,
  least = 0,
  most = longestReconnect,
): number {
  if (isWaitTooLong(failure)) throw waitTooLong(failure);
  const backoff =
    Math.min(firstReconnect * 2 ** Math.min(attempt - 1, 16), longestReconnect, most) * (1 + random / 2);
  const wait = Math.max(backoff, requestedWait(failure, random), Math.min(least, longestReconnect));
  const step = wait < 10_000 ? 100 : 1000;
  return Math.ceil(wait / step) * step;
}

/** In milliseconds. A service can mistakenly request a wait of years, which would block other commands too. */
export const maxServiceWait = 3_600_000;

export function isWaitTooLong({ details: { retryAfter } }: Failure): boolean {
  return retryAfter !== undefined && retryAfter > maxServiceWait;
}

function waitTooLong({ details }: Failure): Failure {
  const wait = formatDuration(details.retryAfter ?? 0);
  const limit = formatDuration(maxServiceWait);
  const { status, why, retryable, body, retryAfter } = details;
  const problem = `the service requested a wait of ${wait}, longer than the limit of ${limit}`;
  const next = `try again in ${wait}, or use another key (--profile)`;
  return fail("wait_too_long", problem, { status, why, retryable, body, retryAfter, next });
}

const permanentStatuses: ReadonlySet<number> = new Set([204, 400, 401, 402, 403, 404, 405, 407, 410]);

/**
 * The service, or a proxy that requires a password, sends these statuses intentionally and would send them again. Others,
 * such as 408 or a redirect, are transient. So are error pages of an intermediary, once the host is known to be the right
 * one.
 */
export const isPermanent = (failure: Failure, isHostKnown: boolean): boolean =>
  permanentStatuses.has(failure.details.status ?? 0) && !(isHostKnown && isOfIntermediary(failure));

/**
 * Whether another server than the service sent the rejection: a balancer or proxy, which sends pages of its own while
 * the service is replaced. The service's bodies are JSON with `message` or `error`; 204 has none. A proxy that opened
 * tunnels before may ask for a password while its directory of users is down.
 */
export function isOfIntermediary({ code, details: { status, body } }: Failure): boolean {
  if (code === "proxy") return true;
  return status !== undefined && status !== 204 && !(body?.has("message") || body?.has("error"));
}

/**
 * Once the host is known to be the right one, an error page of an intermediary says nothing about the key, the credits or
 * an asset, so the failure must not either. It is like any other outage. Others stay as they are.
 */
export function asErrorPage(failure: Failure): Failure {
  const { status = 0, retryAfter } = failure.details;
  if (!permanentStatuses.has(status) || failure.code === "proxy" || !isOfIntermediary(failure))
    return failure;
  const page = `a load balancer or proxy responded with an error page (HTTP ${status})`;
  return failAsService("unavailable", page, { next: undefined, retryAfter });
}
