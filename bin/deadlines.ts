import type { Clock } from "../src/context/context.ts";

/** Longer waits would fire at once: the timer counts milliseconds in 31 bits. */
export const longestTimer = 2_147_483_647;

/**
 * Waits that mostly do not come to their end, such as that of each request. They share one timer, which stays set for
 * those to come: to set it and take it back for each takes Node longer than all the rest of a wait. It keeps no process
 * running; what is waited for does.
 */
export function createDeadlines(elapsed: Clock["elapsed"]): Clock["after"] {
  const deadlines = new Set<{ readonly at: number; readonly call: () => void }>();
  let timer: NodeJS.Timeout | undefined;
  let rings = Number.POSITIVE_INFINITY;

  const set = (at: number): void => {
    if (at >= rings) return;
    clearTimeout(timer);
    rings = at;
    timer = setTimeout(ring, Math.min(Math.max(Math.ceil(at - elapsed()), 1), longestTimer));
    timer.unref();
  };

  const ring = (): void => {
    rings = Number.POSITIVE_INFINITY;
    const now = elapsed();
    for (const deadline of deadlines) {
      if (deadline.at > now) continue;
      deadlines.delete(deadline);
      deadline.call();
    }
    for (const { at } of deadlines) set(at);
  };

  return (milliseconds, call) => {
    const deadline = { at: elapsed() + milliseconds, call };
    deadlines.add(deadline);
    set(deadline.at);
    return () => deadlines.delete(deadline);
  };
}
