import type { Clock } from "../context/context.ts";

/** In milliseconds. */
const repetition = 60_000;
/** The maximum number of different messages to remember. */
const mostSaid = 1000;

/**
 * Returns how often a message has occurred since it was last printed, or undefined if that was less than a minute ago.
 * Without this limit, a service that fails for days could fill the disk with log lines.
 */
export function createRepeatLimiter({
  elapsed,
}: Pick<Clock, "elapsed">): (words: string) => number | undefined {
  const said = new Map<string, { at: number; times: number }>();
  return (words) => {
    const before = said.get(words);
    const times = (before?.times ?? 0) + 1;
    if (before !== undefined && elapsed() - before.at < repetition) {
      before.times = times;
      return undefined;
    }
    if (said.size >= mostSaid) said.clear();
    said.set(words, { at: elapsed(), times: 0 });
    return times;
  };
}
