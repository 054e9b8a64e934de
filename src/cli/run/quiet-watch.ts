import type { Clock } from "../../base/context/context.ts";

/**
 * Reports once which sources were quiet for the given time, which is divided into ten ticks. Activity at any point
 * during a tick counts for the entire tick, so no source is reported too early.
 */
export function createQuietWatch<Key>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  sources: () => readonly Key[],
  report: (quiet: readonly Key[]) => void,
) {
  /** `pending` is the number of deliveries that the consumer is still processing. */
  const watched = new Map<Key, { ticks: number; isHeard: boolean; pending: number }>();
  const of = (key: Key) => {
    const each = watched.get(key) ?? { ticks: 0, isHeard: true, pending: 0 };
    watched.set(key, each);
    return each;
  };

  const watch = async (): Promise<void> => {
    for (let quiet: readonly Key[] = []; quiet.length === 0;) {
      await clock.sleep(milliseconds / 10, signal);
      quiet = sources().filter((key) => {
        const each = of(key);
        each.ticks = each.isHeard || each.pending > 0 ? 0 : each.ticks + 1;
        each.isHeard = false;
        return each.ticks >= 10;
      });
      if (quiet.length > 0) report(quiet);
    }
  };
  watch().catch(() => undefined);

  const change = (key: Key, pending: number): void => {
    const each = of(key);
    each.isHeard = true;
    each.pending += pending;
  };
  return {
    /** Until `resume`, the consumer is processing an event, and the source's silence does not count. */
    pause: (key: Key) => change(key, 1),
    resume: (key: Key) => change(key, -1),
  };
}
