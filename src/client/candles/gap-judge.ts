import { type CandleSlice, restOf, wholeSeconds } from "./candle-slices.ts";
import type { Candle } from "./slice-answer.ts";

/** A gap of up to this many intervals never counts as a truncated response. */
const usualGap = 9;
/** A gap at the end of a slice is requested again if, by the market's other gaps, it is less likely than this. */
const unlikely = 1e-4;

export interface GapJudge {
  /** What to request again if the candles of a slice end long before it does, although the market has few gaps. */
  readonly restInDoubt: (slice: CandleSlice, candles: readonly Candle[]) => CandleSlice | undefined;
  /** The candles of that request. If there are none, the market counts as quiet until it has candles again. */
  readonly settle: (later: readonly Candle[]) => void;
}

/** Judges the slices of one market, in any order. `now`: milliseconds; nothing is due after it. */
export function createGapJudge(now = Number.POSITIVE_INFINITY): GapJudge {
  let [intervals, trades] = [0, 0];
  let isQuiet = false;
  const restInDoubt: GapJudge["restInDoubt"] = (slice, candles) => {
    const { interval } = slice;
    const start = wholeSeconds(slice.start);
    const due = Math.min(wholeSeconds(slice.end), now / 1000);
    const last = candles.at(-1)?.opens ?? start - interval;
    if (candles.length > 0) {
      isQuiet = false;
      intervals += (last - start) / interval + 1;
      trades += candles.length;
    }
    const gap = Math.floor((due - last) / interval) - 1;
    const share = intervals === 0 ? 0 : Math.min(1, trades / intervals);
    // Before the first candle, nothing is known about the market.
    const isUnlikely = intervals === 0 || (1 - share) ** gap < unlikely;
    const isDoubtful = gap > usualGap && !isQuiet && isUnlikely;
    return isDoubtful ? restOf(slice, last) : undefined;
  };
  return {
    restInDoubt,
    settle: (later) => {
      isQuiet = later.length === 0;
    },
  };
}
