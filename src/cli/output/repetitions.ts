import type { Clock } from "../../context/context.ts";

/** The same words are said again after so many milliseconds. */
const repetition = 60_000;
/** So many different ones are remembered. */
const mostSaid = 1000;

/**
 * How often these words have come since they were last said, where it is time to say them; undefined where they were
 * said a moment ago. A service that goes wrong for days must not fill the disk of a log.
 */
export function createRepetitions({
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
