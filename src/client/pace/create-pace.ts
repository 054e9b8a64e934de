import type { Context } from "../../context/context.ts";
import { fail, type Failure } from "../../contract/failure.ts";
import { formatDuration } from "../../contract/duration.ts";
import { type Pace, type PaceRate, planAllowance, type SendKind, type Turn } from "./pace.ts";
import { isNews, learn } from "./pace-learning.ts";
import { current, noState, type PaceState } from "./pace-state.ts";
import { arrivedLate, isLate, takeTurn } from "./pace-turn.ts";

/** Where the pace is kept: a file for all processes, or this one's memory. */
export interface PaceStore {
  /** Changes it while nobody else does. `change` may be called again when another got in between. */
  readonly update: <T>(
    change: (before: PaceState) => { readonly after: PaceState; readonly result: T },
  ) => Promise<T>;
}

/** Of this process alone. */
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

export interface PaceOptions {
  readonly rate: PaceRate;
  readonly store: PaceStore;
  /** Nothing leaves for so many milliseconds. One line for people says why, once, where that is worth a line. */
  readonly pausing: (milliseconds: number, line: string | undefined) => void;
}

/** Waits up to this long, in milliseconds, are not worth a line. */
const shortWait = 2000;
/** Those who were held back together come back within so many milliseconds, not in step. */
const spread = 250;

/**
 * Requests leave in order of arrival, one at a time: many may wait at once, and only the first checks the state. A stream
 * that may not be reopened yet lets the requests behind it pass.
 */
export function createPace(
  context: Pick<Context, "clock" | "random" | "signal">,
  { rate, store, pausing }: PaceOptions,
): Pace {
  const { clock, random, signal } = context;
  const now = (): number => Math.floor(clock.elapsed());
  const said = new Set<string>();
  let known = noState;
  const [inTurn, inTurnToReopen] = [createQueue(), createQueue()];

  const update: PaceStore["update"] = (change) =>
    store.update((before) => {
      const changed = change(before);
      known = changed.after;
      return changed;
    });

  const pause = async (milliseconds: number, what: string, line: string, until = signal): Promise<void> => {
    const isWorthALine = milliseconds > shortWait && !said.has(what);
    if (isWorthALine) said.add(what);
    pausing(milliseconds, isWorthALine ? line : undefined);
    await clock.sleep(milliseconds, until);
  };

  /** Returns milliseconds where a stream may not be reopened yet: that wait happens outside the queue. */
  const takePlace = async (kind: SendKind): Promise<Turn | number> => {
    for (;;) {
      signal.throwIfAborted();
      const attempt = await update((before) => takeTurn(before, rate, now(), kind));
      if ("turn" in attempt) return attempt.turn;
      const { wait, because } = attempt;
      if (because === "reopening") return wait;
      // Longer than any pace: whether that is waited for is --retry-max-time's to say, as with an answer of 429.
      if (because === "hold" && wait > planAllowance(1).window) throw heldBack(wait);
      if (because === "hold") await pause(wait + spread * random(), `until ${attempt.until}`, holdLine(wait));
      else await pause(wait, "pace", paceLine(wait, attempt.perMinute, rate));
    }
  };

  const waitForTurn = async (kind: SendKind, until?: AbortSignal): Promise<Turn> => {
    for (;;) {
      until?.throwIfAborted();
      const place = await inTurn(() => takePlace(kind));
      if (typeof place !== "number") return place;
      await pause(place, "reopening", reopeningLine(place), until);
    }
  };

  return {
    turn: (kind = "request", until) =>
      kind === "reopening" ? inTurnToReopen(() => waitForTurn(kind, until)) : waitForTurn(kind),
    heard: async (news, turn) => {
      const isArrivedLate = isLate(rate, known, turn, now());
      if (!isArrivedLate && !isNews(news, known, now())) return;
      await update((before) => {
        const state = current(before, now());
        const learned = learn(state, news, turn, rate, now());
        return { after: isArrivedLate ? arrivedLate(learned, turn, now()) : learned, result: undefined };
      });
    },
  };
}

/** Runs one after the other, whatever became of those before. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}

function heldBack(wait: number): Failure {
  return fail("rate_limited", "too many requests: the service asked all who use this key to wait", {
    next: undefined,
    retryAfter: wait,
  });
}

function holdLine(wait: number): string {
  return `waiting ${seconds(wait)} s, as the service asked all who use this key`;
}

function paceLine(wait: number, perMinute: number, rate: PaceRate): string {
  return `waiting ${seconds(wait)} s for the pace of ${perMinute} request${perMinute === 1 ? "" : "s"} a minute (${reason(perMinute, rate)})`;
}

function reopeningLine(wait: number): string {
  return `waiting ${formatDuration(wait)} to reconnect: streams reopen within half of the rate limit`;
}

function reason(perMinute: number, rate: PaceRate): string {
  if (rate.kind === "fixed") return `set by ${rate.where}`;
  if (rate.kind === "plan" && rate.perMinute === perMinute) return `${rate.plan} plan; see --rpm`;
  return "learned from the service; see --rpm";
}

const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);
