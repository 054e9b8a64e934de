import { type Clock, type Context, onAbort } from "../../../base/context/context.ts";
import { Failure } from "../../../base/failure.ts";
import type { Client } from "../../../client/client.ts";
import { reconnectWait } from "../../../client/retry.ts";
import { isOfNewest } from "../../../client/freshness.ts";
import { formatDuration } from "../../../api/duration.ts";
import type { Run } from "../../run/with-run.ts";
import type { FollowLog } from "../flags/lasting-flags.ts";

/** The share of the rate that a run for many lists uses, so that other commands with the key remain possible. */
const usedShare = 0.9;
/** Every fourth request continues a long read, even if other reads are due. */
const longReadEvery = 4;
/** Requests per minute without a rate limit. */
const ampleRate = 3000;
/** Each has a connection. If the service is slow, requests wait here, where they take little memory. */
const mostAtOnce = 50;
/** After this many failures in a row, of any list, the host is down. */
const failuresOfOutage = 3;

/** Requests per minute that a run for many lists may send. */
export const usedRate = (perMinute = ampleRate): number => usedShare * perMinute;

/** Lets one request go every `gap` milliseconds, unless `mayGo` forbids it. */
function createSlots(
  { elapsed, after }: Pick<Clock, "elapsed" | "after">,
  gap: number,
  mayGo: () => boolean,
) {
  const [due, long] = [new Set<() => void>(), new Set<() => void>()];
  let [nextAt, sent, isTimed] = [elapsed(), 0, false];
  const next = (): void => {
    if (due.size + long.size === 0 || isTimed || !mayGo()) return;
    const wait = nextAt - elapsed();
    if (wait > 0) {
      isTimed = true;
      after(wait, () => {
        isTimed = false;
        next();
      });
      return;
    }
    sent += 1;
    const [queue, other] = sent % longReadEvery === 0 ? [long, due] : [due, long];
    const chosen = queue.size > 0 ? queue : other;
    const [go] = chosen;
    if (go === undefined) return;
    chosen.delete(go);
    nextAt = Math.max(nextAt, elapsed() - gap) + gap;
    go();
    next();
  };
  return {
    next,
    turn: (isDue: boolean, until: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const waiting = isDue ? due : long;
        const go = (): void => {
          release();
          resolve();
        };
        const release = onAbort(until, () => {
          waiting.delete(go);
          reject(until.reason);
        });
        if (until.aborted) return;
        waiting.add(go);
        next();
      }),
    /** No request goes in the next milliseconds. */
    pause: (milliseconds: number): void => {
      nextAt = elapsed() + milliseconds;
    },
  };
}

/**
 * The requests of many lists, evenly spread over the time. The first request of each read comes first, in the order in
 * which the reads became due; a long read continues with every fourth request, or when nothing is due. The requests of
 * the returned client wait here.
 */
export function createReadQueue(
  { clock, random, signal }: Pick<Context, "clock" | "random" | "signal">,
  client: Client,
  perMinute: number | undefined,
  retries: number,
  { down, up, answered }: ReturnType<typeof createBehindReport>,
) {
  let [failures, isProbing, inFlight] = [0, false, 0];
  const isDown = (): boolean => failures >= failuresOfOutage;
  const gap = 60_000 / usedRate(perMinute);
  const slots = createSlots(clock, gap, () => inFlight < mostAtOnce && !(isDown() && isProbing));
  const succeeded = (): void => {
    if (isDown()) up();
    failures = 0;
  };
  const failed = (failure: Failure): void => {
    failures += 1;
    if (!isDown()) return;
    if (failures === failuresOfOutage) down(failure.message);
    slots.pause(reconnectWait(failures - failuresOfOutage + 1, failure, random()));
  };

  /** Retries transient failures, so `client` must not. */
  const ask: Client["ask"] = async (...asked) => {
    const [, args, until = signal] = asked;
    const isDue = isOfNewest(args);
    const began = clock.elapsed();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await slots.turn(isDue, until);
        isProbing = true;
        inFlight += 1;
        const answer = await client.ask(...asked).finally(() => {
          inFlight -= 1;
          slots.next();
        });
        succeeded();
        if (isDue) answered(clock.elapsed() - began);
        return answer;
      } catch (cause) {
        if (!(cause instanceof Failure) || until.aborted) throw cause;
        const { retryable = false, isOutage = false } = cause.details;
        if (retryable || isOutage) failed(cause);
        // The host has answered.
        else succeeded();
        if (!(retryable || isOutage) || attempt > retries) throw cause;
        if (!isDown()) await clock.sleep(reconnectWait(attempt, cause, random()), until);
      } finally {
        isProbing = false;
        slots.next();
      }
    }
  };

  return { isDown, client: { ...client, ask } };
}

/**
 * Reports outages of the host, and reads that take longer than `poll` because the service is slow or other programs use
 * the rate: each twice, when it begins and when it ends.
 */
export function createBehindReport(
  { report, context: { clock } }: Pick<Run, "report" | "context">,
  log: FollowLog,
  poll: number,
) {
  let since: number | undefined;
  /** After an outage, the reads that waited for its end are late. */
  let lateFrom = Number.NEGATIVE_INFINITY;
  const begin = (reason: string): void => {
    if (since !== undefined) return;
    since = clock.elapsed();
    log({ event: "behind", reason });
    report.warn(`${reason}; no row will be lost`);
  };
  const end = (): void => {
    if (since === undefined) return;
    const seconds = Math.round((clock.elapsed() - since) / 1000);
    since = undefined;
    log({ event: "caught_up", seconds });
    report.info(`reading on time again, after ${formatDuration(Math.max(1, seconds) * 1000)}`);
  };
  return {
    down: (reason: string): void => begin(`reads are paused: ${reason}`),
    up: (): void => {
      lateFrom = clock.elapsed() + 2 * poll;
      end();
    },
    answered: (milliseconds: number): void => {
      if (milliseconds > poll && clock.elapsed() > lateFrom)
        begin("reads are late: the service is slow, or other programs use the rate limit");
      else if (milliseconds < poll / 2) end();
    },
  };
}
