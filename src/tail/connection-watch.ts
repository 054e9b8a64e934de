import type { Clock } from "../context/context.ts";
import { formatDuration } from "../contract/duration.ts";
import { fail, type Failure } from "../contract/failure.ts";
import { momentOf } from "./shard-handlers.ts";

/** Maximum drift in milliseconds between two ticks. Small corrections to the wall clock are normal. */
const drift = 5000;
/** How late a timer may fire on a busy machine, in milliseconds. */
const lateness = 10_000;

/**
 * Stops the connection if no data arrives for this long, if the machine was suspended (only the wall clock advanced, or
 * the timer fired far too late), or if the clock was set. Silence is measured in complete ticks without data, so it is
 * never detected too early, but may be detected up to a ninth too late.
 */
export function watchOver(clock: Clock, silence: number, stop: (failure: Failure) => void) {
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
      if (quietTicks >= 9) {
        const message = `no data for ${formatDuration(silence)}, not even a ping`;
        return stop(fail("timeout", message, { next: undefined }));
      }
    }
  };
  keepWatch().catch(() => undefined);

  return {
    heard: (): void => {
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
     * When the machine last ran, if it was suspended or its clock was set. When it wakes up, bytes buffered by the
     * system arrive before any timer fires, but they do not show whether events were missed.
     */
    awaySince: () => (absence() === undefined ? undefined : before),
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
