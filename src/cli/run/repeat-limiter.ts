import type { Clock } from "../../base/context/context.ts";

/** In milliseconds. */
const repetition = 60_000;
/** The maximum number of different messages to remember. */
const maxSaid = 1000;

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
    if (said.size >= maxSaid) said.clear();
    said.set(words, { at: elapsed(), times: 0 });
    return times;
  };
}

/** Of a series of failures, only the first one and new reasons are news. */
export function createSeries(clock: Pick<Clock, "elapsed">) {
  const timesToTell = createRepeatLimiter(clock);
  let last: string | undefined;
  return {
    isNews: (reason: string): boolean => {
      const isNew = reason !== last && timesToTell(reason) !== undefined;
      last = reason;
      return isNew;
    },
    end: (): void => {
      last = undefined;
    },
    /** Undefined after the end of the series. */
    reason: () => last,
  };
}

/** The number of different messages in a minute. */
const maxInBurst = 10;

/**
 * Returns how many messages with this key were suppressed since the last one that was printed, or undefined if this one
 * is suppressed, too. Messages may differ by a number, so that no two of them are equal.
 */
export function createBurstLimiter({ elapsed }: Pick<Clock, "elapsed">): (key: string) => number | undefined {
  const bursts = new Map<string, { from: number; told: number; held: number }>();
  return (key) => {
    const burst = bursts.get(key) ?? { from: elapsed(), told: 0, held: 0 };
    bursts.set(key, burst);
    if (elapsed() - burst.from >= repetition) [burst.from, burst.told] = [elapsed(), 0];
    if (burst.told >= maxInBurst) {
      burst.held += 1;
      return undefined;
    }
    const { held } = burst;
    burst.told += 1;
    burst.held = 0;
    return held;
  };
}

/** Returns only powers of two. Otherwise, a service that fails for days could fill the disk with log lines. */
export function createSparseCount(): () => number | undefined {
  let count = 0;
  return () => {
    count += 1;
    return (count & (count - 1)) === 0 ? count : undefined;
  };
}
