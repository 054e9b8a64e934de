import type { Clock } from "../model/context.ts";
import { Failure } from "../model/failure.ts";
import { momentOf } from "./moment.ts";

/** Looks after one open connection, from its opening until it is released. */
export interface Watch {
  /** A byte came. */
  readonly heard: () => void;
  /** While our own reader is slow the socket is not read: its silence is ours then. */
  readonly pause: () => void;
  readonly resume: () => void;
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

  const keepWatch = async (): Promise<void> => {
    let quietTicks = 0;
    for (let before = momentOf(clock); ;) {
      await clock.sleep(tick, done.signal);
      const at = momentOf(clock);
      const passed = at.elapsed - before.elapsed;
      const jumped = at.now - before.now - passed;
      if (Math.abs(jumped) > drift) return stop(clockJump(jumped));
      if (passed - tick > lateness) return stop(clockJump(passed - tick));
      before = at;
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
    release: () => done.abort(),
  };
}

function silent(milliseconds: number): Failure {
  return new Failure(`nothing came for ${milliseconds / 1000} s, not even a ping`, {
    exit: 7,
    code: "timeout",
    retryable: true,
  });
}

function clockJump(milliseconds: number): Failure {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  const message =
    milliseconds > 0
      ? `this machine was away for ${seconds} s, or its clock was set forward`
      : `the clock of this machine was set back by ${seconds} s`;
  return new Failure(message, { exit: 7, code: "clock_jump", retryable: true });
}
