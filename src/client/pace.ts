import { showSeconds } from "../base/time/time.ts";
import { createQueue } from "../base/concurrent.ts";
import type { Context } from "../base/context/context.ts";
import { failAsService } from "../api/service-errors.ts";
import type { Failure } from "../base/failure.ts";
import { formatDuration, formatSeconds } from "../api/duration.ts";
import { counted } from "../base/text/words.ts";
import {
  type Allowance,
  allowanceOf,
  countBetween,
  current,
  learn,
  minute,
  noState,
  type PaceRate,
  type PaceState,
  planAllowance,
  rateInForce,
  type RateNews,
  type Sends,
  type Turn,
  withPeak,
  withSend,
} from "./pace-state.ts";

/** Decides when a request may be sent, for all processes with the same key. */
export interface Pace {
  /** The request counts as sent when this resolves. `until` cancels a stream's wait to be reopened. */
  readonly turn: (kind?: SendKind, until?: AbortSignal) => Promise<Turn>;
  readonly record: (news: RateNews, turn: Turn) => Promise<void>;
}

/**
 * All kinds count toward the limit, but reopening streams may use only half of it, so that a service that keeps closing
 * streams cannot use up the key's entire rate limit.
 */
export type SendKind = "request" | "opening" | "reopening";

/** Kept either in a file for all processes or in this process's memory. */
export interface PaceStore {
  /** No other process changes the state in the meantime. `change` may be called again after a conflict. */
  readonly update: <T>(
    change: (before: PaceState) => { readonly after: PaceState; readonly result: T },
  ) => Promise<T>;
}

export function memoryStore(): PaceStore {
  let state = noState;
  return {
    update: (change) => {
      const { after, result } = change(state);
      state = after;
      return Promise.resolve(result);
    },
  };
}

interface PaceOptions {
  readonly rate: PaceRate;
  readonly store: PaceStore;
  /** Called before a wait. `line` states the reason, once per reason and only if the wait is long enough to report. */
  readonly pausing: (milliseconds: number, line: string | undefined) => void;
}

/** In milliseconds. Shorter waits are not reported. */
const shortWait = 2000;
/** In milliseconds, so that processes waiting for the same hold do not all continue at once. */
const spread = 250;

/**
 * Requests are sent in order of arrival; only the first one waiting checks the state. A stream that may not be reopened
 * yet does not block the requests behind it.
 */
export function createPace(
  context: Pick<Context, "clock" | "random" | "signal">,
  { rate, store, pausing }: PaceOptions,
): Pace {
  const { clock, random, signal } = context;
  const now = (): number => Math.floor(clock.elapsed());
  const reported = new Set<string>();
  let known = noState;
  const [inTurn, inTurnToReopen] = [createQueue(), createQueue()];

  const update: PaceStore["update"] = (change) =>
    store.update((before) => {
      const changed = change(before);
      known = changed.after;
      return changed;
    });

  const pause = async (milliseconds: number, what: string, line: string, until = signal): Promise<void> => {
    const isReported = milliseconds > shortWait && !reported.has(what);
    if (isReported) reported.add(what);
    pausing(milliseconds, isReported ? line : undefined);
    await clock.sleep(milliseconds, until);
  };

  /** Returns a wait in milliseconds if a stream may not be reopened yet, because it waits outside the queue. */
  const takePlace = async (kind: SendKind): Promise<Turn | number> => {
    for (;;) {
      signal.throwIfAborted();
      const attempt = await update((before) => takeTurn(before, rate, now(), kind));
      if ("turn" in attempt) return attempt.turn;
      const { wait } = attempt;
      if (attempt.because === "reopening") return wait;
      if (attempt.because === "rate") {
        await pause(wait, "pace", paceLine(wait, attempt.perMinute, rate));
        continue;
      }
      // This wait is longer than any rate limit requires, so --retry-max-time decides whether to wait, as with a 429.
      if (wait > planAllowance(1).window) throw heldBack(wait, clock.now() + wait);
      const line = `waiting ${formatSeconds(wait)}: the service requested a pause for this key`;
      await pause(wait + spread * random(), `until ${attempt.until}`, line);
    }
  };

  const waitForTurn = async (kind: SendKind, until?: AbortSignal): Promise<Turn> => {
    for (;;) {
      until?.throwIfAborted();
      const place = await inTurn(() => takePlace(kind));
      if (typeof place !== "number") return place;
      const line = `waiting ${formatDuration(place)} to reconnect: reconnects may use at most half of the rate limit`;
      await pause(place, "reopening", line, until);
    }
  };

  return {
    turn: (kind = "request", until) =>
      kind === "reopening" ? inTurnToReopen(() => waitForTurn(kind, until)) : waitForTurn(kind),
    record: async (news, turn) => {
      const isArrivedLate = isLate(rate, known, turn, now());
      const learned = (state: PaceState): PaceState => learn(state, news, turn, rate, now());
      // Most responses teach nothing, and then the file stays as it is.
      const before = current(known, now());
      if (!isArrivedLate && learned(before) === before) return;
      await update((stored) => {
        const after = learned(current(stored, now()));
        return { after: isArrivedLate ? arrivedLate(after, turn, now()) : after, result: undefined };
      });
    },
  };
}

/** `until` is in milliseconds since the epoch. */
function heldBack(wait: number, until: number): Failure {
  const time = showSeconds(Math.ceil(until / 1000));
  const problem = `rate limit exceeded: the service requested a pause for this key until ${time}`;
  return failAsService("rate_limited", problem, { next: undefined, retryAfter: wait });
}

function paceLine(wait: number, perMinute: number, rate: PaceRate): string {
  const limit = `${counted(perMinute, "request")}/min`;
  return `waiting ${formatSeconds(wait)} for the rate limit of ${limit} (${reason(perMinute, rate)})`;
}

function reason(perMinute: number, rate: PaceRate): string {
  if (rate.kind === "fixed") return `set by ${rate.where}`;
  if (rate.kind === "plan" && rate.perMinute === perMinute) return `${rate.plan} plan; see --rpm`;
  return "learned from the service; see --rpm";
}

type Attempt =
  | { readonly turn: Turn }
  | { readonly wait: number; readonly because: "hold"; readonly until: number }
  | { readonly wait: number; readonly because: "reopening" }
  | { readonly wait: number; readonly because: "rate"; readonly perMinute: number };

export function takeTurn(
  before: PaceState,
  rate: PaceRate,
  now: number,
  kind: SendKind,
): { readonly after: PaceState; readonly result: Attempt } {
  const state = current(before, now);
  if (state.hold !== undefined) {
    const { until } = state.hold;
    return { after: state, result: { wait: until - now, because: "hold", until } };
  }
  const turn = { at: now, before: countBetween(state.sends, now - minute, now) };
  if (rate.kind === "unlimited") return { after: state, result: { turn } };
  const perMinute = rateInForce(rate, state);
  if (perMinute !== undefined) {
    const half = Math.max(1, Math.floor(perMinute / 2));
    const reopening = kind === "reopening" ? freeAt(state.openings, allowanceOf(rate, half), now) : now;
    if (reopening > now) return { after: state, result: { wait: reopening - now, because: "reopening" } };
    const free = freeAt(state.sends, allowanceOf(rate, perMinute), now);
    if (free > now) return { after: state, result: { wait: free - now, because: "rate", perMinute } };
  }
  const openings = kind === "request" ? state.openings : withSend(state.openings, now);
  const sends = withSend(state.sends, now);
  return { after: withPeak({ ...state, openings, sends }, now), result: { turn } };
}

function freeAt(all: readonly Sends[], { sends, window }: Allowance, now: number): number {
  let used = countBetween(all, now - window, Number.POSITIVE_INFINITY);
  for (const { at, count } of all) {
    if (used < sends) break;
    if (at <= now - window) continue;
    used -= count;
    if (used < sends) return Math.ceil(at + window);
  }
  return now;
}

function isLate(rate: PaceRate, known: PaceState, turn: Turn, now: number): boolean {
  const perMinute = rateInForce(rate, known);
  return perMinute !== undefined && now - turn.at > allowanceOf(rate, perMinute).slack;
}

/**
 * Moves a late request to its response time, because the service counts requests when they arrive. Otherwise, its turn
 * would be given to another request too early.
 */
function arrivedLate(state: PaceState, turn: Turn, now: number): PaceState {
  const index = state.sends.findIndex(({ at }) => at >= turn.at);
  const found = state.sends[index];
  if (found === undefined) return state;
  const rest = { ...found, count: found.count - 1 };
  const others = state.sends.toSpliced(index, 1, ...(rest.count > 0 ? [rest] : []));
  return { ...state, sends: withSend(others, now) };
}
