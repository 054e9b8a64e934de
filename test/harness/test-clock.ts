import type { Clock } from "../../src/base/context/context.ts";

/** A clock that the test controls: it advances only by sleeps and by the test. */
export interface TestClock extends Clock {
  /** Advances both readings, and wakes all sleepers due by then. */
  readonly advance: (milliseconds: number) => void;
  /** Sets only the wall clock, as a user might. */
  readonly setNow: (milliseconds: number) => void;
  /** Milliseconds of every requested sleep, in order, including aborted ones. */
  readonly asked: readonly number[];
  /** The number of current sleepers. */
  readonly pending: () => number;
}

interface Sleeper {
  /** On the flowing time, which determines the order of waking. */
  readonly wake: number;
  readonly resolve: () => void;
  /** The earliest value of `elapsed` after this sleep. */
  readonly until: number;
}

/** Called when the time has passed for other reasons: it does not advance the clock. */
interface Repeater {
  readonly interval: number;
  readonly call: () => void;
  /** On the time of `elapsed`. */
  next: number;
}

/**
 * `now` does not move unless advanced. `elapsed` grows only by completed sleeps, so that it is the same on a slow
 * machine. Sleeps take real time, divided by `speed`.
 *
 * That real time is counted in turns of the event loop, a millisecond or more each, not on a real clock: on a busy
 * machine that delays the process by 50 ms, a request timeout of 30 s (30 turns) must not end while the response is
 * already in the socket. Sleepers always wake in the order of their wake times.
 *
 * `flows`: `now` moves with `elapsed`, for code that treats diverging clocks as a sign of a suspended machine.
 */
export function createTestClock(start: number, speed: number, flows = false): TestClock {
  /** The value of `now`, or its value when `elapsed` was 0. */
  let now = start;
  let elapsed = 0;
  let flowing = 0;
  let isTicking = false;
  const asked: number[] = [];
  const sleepers = new Set<Sleeper>();
  const repeaters = new Set<Repeater>();

  const wakeDue = (): void => {
    const due = [...sleepers].filter((sleeper) => sleeper.wake <= flowing);
    for (const sleeper of due.toSorted((a, b) => a.wake - b.wake)) {
      sleepers.delete(sleeper);
      elapsed = Math.max(elapsed, sleeper.until);
      repeat();
      sleeper.resolve();
    }
  };

  const repeat = (): void => {
    for (const repeater of repeaters) {
      while (repeater.next <= elapsed) {
        repeater.next += repeater.interval;
        repeater.call();
      }
    }
  };

  const every: Clock["every"] = (interval, call) => {
    const repeater = { interval, next: elapsed + interval, call };
    repeaters.add(repeater);
    return () => void repeaters.delete(repeater);
  };

  const tick = (): void => {
    if (sleepers.size === 0) {
      isTicking = false;
      return;
    }
    const next = Math.min(...[...sleepers].map((sleeper) => sleeper.wake));
    flowing = Math.min(flowing + speed, Math.max(next, flowing));
    wakeDue();
    setTimeout(tick, 1);
  };

  const after: Clock["after"] = (milliseconds, call) => {
    asked.push(milliseconds);
    const length = Math.max(0, milliseconds);
    const sleeper: Sleeper = { wake: flowing + length, until: elapsed + length, resolve: call };
    sleepers.add(sleeper);
    if (!isTicking) {
      isTicking = true;
      setTimeout(tick, 1);
    }
    return () => void sleepers.delete(sleeper);
  };

  const sleep: Clock["sleep"] = (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        asked.push(milliseconds);
        reject(signal.reason);
        return;
      }
      const abort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = after(milliseconds, () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      signal?.addEventListener("abort", abort, { once: true });
    });

  return {
    now: () => (flows ? now + elapsed : now),
    elapsed: () => elapsed,
    sleep,
    after,
    every,
    asked,
    pending: () => sleepers.size,
    setNow: (milliseconds) => {
      now = flows ? milliseconds - elapsed : milliseconds;
    },
    advance: (milliseconds) => {
      if (!flows) now += milliseconds;
      flowing += milliseconds;
      const reached = elapsed + milliseconds;
      wakeDue();
      elapsed = Math.max(elapsed, reached);
      repeat();
    },
  };
}
