import type { Clock } from "../context/context.ts";
import { formatDuration } from "../contract/duration.ts";
import { fail, type Failure } from "../contract/failure.ts";
import { momentOf } from "./shard-handlers.ts";

/** Milliseconds by which the two clocks may differ between two ticks: small corrections of the wall clock are normal. */
const drift = 5000;
/** Milliseconds by which a timer may be late on a busy machine. */
const lateness = 10_000;

/**
 * Watches one open connection until it is released. It stops the connection after this long without a byte, or when the
 * machine was suspended (the wall clock moved on alone, or the timer was far too late) or its clock was set. Silence is
 * counted in complete ticks without a byte, so it is never found too early, and up to a ninth late.
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
    /** A byte was received. */
    heard: (): void => {
      isHeard = true;
    },
    /** Until `resume`, the consumer is slow and the socket is not read, so silence does not count. */
    pause: (): void => {
      isPaused = true;
    },
    resume: (): void => {
      isPaused = false;
      isHeard = true;
    },
    /**
     * The last time at which the machine was known to run, if it has been suspended since or its clock was set. After
     * waking, bytes that the system had buffered arrive before any timer, and show nothing about the time in between.
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
