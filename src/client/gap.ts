import type { Clock } from "../base/context/context.ts";

/** A time in milliseconds on two clocks: the wall clock for display, and a monotonic clock for durations. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

export function momentOf(clock: Pick<Clock, "now" | "elapsed">): Moment {
  return { now: clock.now(), elapsed: clock.elapsed() };
}

/** A moment in the past, known from the wall clock only. */
export function momentAt(clock: Pick<Clock, "now" | "elapsed">, now: number): Moment {
  return { now, elapsed: clock.elapsed() - (clock.now() - now) };
}

/** A time range in which events may be missing. */
export interface Gap {
  /** When the connection was last known to be up to date. */
  readonly from: Moment;
  /** When the stream was open again. */
  readonly to: Moment;
  readonly reason: string;
  /** Milliseconds by which the wall clock moved on its own, if it was set or the machine was suspended. */
  readonly clockJump: number | undefined;
}

/** Milliseconds by which the two clocks may differ. Small corrections to the wall clock are normal. */
export const drift = 5000;

/**
 * If the wall clock was set in the meantime, it is unknown which of its readings was right, so the gap covers the time
 * according to both.
 */
export function gapBetween(from: Moment, to: Moment, reason: string): Gap {
  const passed = to.elapsed - from.elapsed;
  const jump = to.now - from.now - passed;
  return {
    from: { ...from, now: Math.min(from.now, to.now - passed) },
    to: { ...to, now: Math.max(to.now, from.now + passed) },
    reason,
    clockJump: Math.abs(jump) > drift ? jump : undefined,
  };
}
