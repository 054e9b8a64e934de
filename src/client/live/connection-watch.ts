import type { Clock } from "../../base/context/context.ts";
import { formatDuration } from "../../api/duration.ts";
import { fail, type Failure } from "../../base/failure.ts";
import { drift, momentOf } from "../gap.ts";

/** How late a timer may fire on a busy machine, in milliseconds. */
const lateness = 10_000;
/** In milliseconds. A process that was stopped for longer than that has let bytes pile up. */
const noticed = 1000;

export type ConnectionWatch = ReturnType<typeof watchOver>;

/**
 * Stops the connection if no data arrives for this long, if the machine was suspended (only the wall clock advanced, or
 * the timer fired far too late), or if the clock was set. Silence is measured in complete ticks without data, so it is
 * never detected too early, but may be detected up to a ninth too late. `start` begins the watch, and calls `onLate` if
 * the process was stopped for a few seconds.
 */
export function watchOver(clock: Clock, silence: number) {
  const tick = silence / 9;
  const done = new AbortController();
  let isHeard = false;
  let isPaused = false;
  let before = momentOf(clock);
  /** How much later than expected it is, on the clock and on the wall clock alone. */
  const delay = () => {
    const at = momentOf(clock);
    const passed = at.elapsed - before.elapsed;
    return { late: passed - tick, jumped: at.now - before.now - passed };
  };
  const isLate = (): boolean => {
    const { late, jumped } = delay();
    return late > noticed || Math.abs(jumped) > drift;
  };

  const keepWatch = async (stop: (failure: Failure) => void, onLate: () => void): Promise<void> => {
    for (let quietTicks = 0; ;) {
      await clock.sleep(tick, done.signal);
      const { late, jumped } = delay();
      if (isLate()) onLate();
      if (Math.abs(jumped) > drift) return stop(clockJump(jumped));
      if (late > lateness) return stop(clockJump(late));
      before = momentOf(clock);
      quietTicks = isHeard || isPaused ? 0 : quietTicks + 1;
      isHeard = false;
      if (quietTicks >= 9) {
        const message = `no data for ${formatDuration(silence)}, not even a ping`;
        return stop(fail("timeout", message, { next: undefined }));
      }
    }
  };

  return {
    start: (stop: (failure: Failure) => void, onLate: () => void): void => {
      keepWatch(stop, onLate).catch(() => undefined);
    },
    dataReceived: (): void => {
      isHeard = true;
    },
    /** While the consumer is slow, the socket is not read, so silence is ignored until `resume`. */
    pause: (): void => {
      isPaused = true;
    },
    resume: (): void => {
      isPaused = false;
      isHeard = true;
    },
    /**
     * Whether the process was just stopped for a few seconds. When it continues, bytes buffered by the system arrive
     * before any timer fires.
     */
    isLate,
    release: (): void => done.abort(),
  };
}

function clockJump(milliseconds: number): Failure {
  const jump = formatDuration(Math.round(Math.abs(milliseconds) / 1000) * 1000);
  const message =
    milliseconds > 0
      ? `this machine was suspended for ${jump}, or its clock was set forward`
      : `this machine's clock was set back by ${jump}`;
  return fail("clock_jump", message, { next: undefined });
}
