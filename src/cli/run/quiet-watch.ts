import type { Clock } from "../../base/context/context.ts";

/**
 * Reports once which sources were quiet for the given time, which is divided into ten ticks. Only complete ticks without
 * activity count, so no source is reported too early.
 */
export function createQuietWatch<Key>(
  clock: Clock,
  milliseconds: number,
  signal: AbortSignal,
  sources: () => readonly Key[],
  report: (quiet: readonly Key[]) => void,
) {
  /** The complete ticks without activity. */
  const ticks = new Map<Key, number>();
  const ticksOf = (key: Key): number => ticks.get(key) ?? -1;
  const watch = async (): Promise<void> => {
    for (let quiet: readonly Key[] = []; quiet.length === 0;) {
      await clock.sleep(milliseconds / 10, signal);
      for (const key of sources()) ticks.set(key, ticksOf(key) + 1);
      quiet = sources().filter((key) => ticksOf(key) >= 10);
      if (quiet.length > 0) report(quiet);
    }
  };
  watch().catch(() => undefined);
  return {
    /** Until `resume`, the consumer is processing an event, and the source's silence does not count. */
    pause: (key: Key): void => void ticks.set(key, Number.NEGATIVE_INFINITY),
    resume: (key: Key): void => void ticks.set(key, -1),
  };
}
