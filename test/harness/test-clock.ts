import type { Clock } from "../../src/context/context.ts";

/** A clock in the hands of the test: nothing moves but what sleeps, and what the test advances. */
export interface TestClock extends Clock {
  /** Moves both readings on, and wakes whatever sleeps no longer than that. */
  readonly advance: (milliseconds: number) => void;
  /** The wall clock alone jumps, as when somebody sets it. */
  readonly setNow: (milliseconds: number) => void;
  /** Milliseconds of every sleep asked for, in order, also of those that were aborted. */
  readonly asked: readonly number[];
  /** Sleeping at this moment. */
  readonly pending: () => number;
}

interface Sleeper {
  /** On the flowing time, which decides who wakes first. */
  readonly wake: number;
  readonly resolve: () => void;
  /** What `elapsed` reads at the earliest once it has slept. */
  readonly until: number;
}

/** Called when the time has passed for other reasons: it moves no time. */
interface Repeater {
  readonly interval: number;
  readonly call: () => void;
  /** On the time of `elapsed`. */
  next: number;
}

/**
 * `now` stands still unless advanced. `elapsed` grows by the sleeps that were slept to their end and by nothing
 * else, so that it is the same on a slow machine. Sleeps take real time, `speed` times less of it than asked for.
 *
 * That real time is counted in turns of the event loop, a millisecond or more each, not on a real clock: a busy
 * machine that holds the process up for 50 ms must not let a request's time-out of 30 s (30 turns) run out while
 * the answer is already in the socket. Sleepers always wake in the order of their waking times.
 *
 * `flows`: `now` moves with `elapsed`, for what takes two clocks that part for a sign of a machine that slept.
 */
export function createTestClock(start: number, speed: number, flows = false): TestClock {
  /** What `now` reads, or read when `elapsed` was 0. */
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

  /** What it gives takes it back. */
  const after = (milliseconds: number, call: () => void): (() => void) => {
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
