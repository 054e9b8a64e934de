import type { Clock } from "../context/context.ts";
import { fail, type Failure } from "../contract/failure.ts";
import { type Moment, momentOf } from "./moment.ts";

/** Looks after one open connection, from its opening until it is released. */
export interface Watch {
  /** A byte came. */
  readonly heard: () => void;
  /** While our own reader is slow the socket is not read: its silence is ours then. */
  readonly pause: () => void;
  readonly resume: () => void;
  /**
   * When the machine was last known to be here, where it has been away since, or its clock was set: bytes that the
   * system had kept are read on waking, before any timer comes, and say nothing about the time between.
   */
  readonly awaySince: () => Moment | undefined;
  readonly release: () => void;
}

/** The clocks may part by so many milliseconds between two ticks: somebody corrects a clock by less now and then. */
const drift = 5000;
/** A timer may come so late on a machine that is busy. */
const lateness = 10_000;

/**
 * Ends the connection after so many milliseconds without a byte, or when the machine was away: suspended (the wall
 * clock moved on alone, or the timer came far too late), or with its clock set. Counted in whole ticks without a byte,
 * so that silence is never found too early, and up to a ninth late.
 */
export function watchOver(clock: Clock, silence: number, stop: (failure: Failure) => void): Watch {
  const tick = silence / 9;
  const done = new AbortController();
  let isHeard = false;
  let isPaused = false;
  let before = momentOf(clock);
  const absence = (): Failure | undefined => {
    const at = momentOf(clock);
    const passed = at.elapsed - before.elapsed;
    const jumped = at.now - before.now - passed;
    if (Math.abs(jumped) > drift) return clockJump(jumped);
    return passed - tick > lateness ? clockJump(passed - tick) : undefined;
  };

  const keepWatch = async (): Promise<void> => {
    let quietTicks = 0;
    for (;;) {
      await clock.sleep(tick, done.signal);
      const away = absence();
      if (away !== undefined) return stop(away);
      before = momentOf(clock);
      quietTicks = isHeard || isPaused ? 0 : quietTicks + 1;
      isHeard = false;
      if (quietTicks >= 9) return stop(silent(silence));
    }
  };
  keepWatch().catch(() => undefined);

  return {
    heard: () => {
      isHeard = true;
    },
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      isHeard = true;
    },
    awaySince: () => (absence() === undefined ? undefined : before),
    release: () => done.abort(),
  };
}

function silent(milliseconds: number): Failure {
  return fail("timeout", `nothing came for ${milliseconds / 1000} s, not even a ping`, { next: undefined });
}

function clockJump(milliseconds: number): Failure {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  const message =
    milliseconds > 0
      ? `this machine was away for ${seconds} s, or its clock was set forward`
      : `the clock of this machine was set back by ${seconds} s`;
  return fail("clock_jump", message, { next: undefined });
}
