import type { Candle, CandleWindow } from "../market/types.ts";

type Fold = (window: CandleWindow) => readonly Candle[];

/**
 * The first `count` candles of the window. Intervals without a swap have none, so how far to look is not known
 * beforehand: steps that double find few candles of a busy pool and years of a quiet one alike.
 */
export function candlesForward(window: CandleWindow, count: number, fold: Fold): readonly Candle[] {
  const candles: Candle[] = [];
  let step = count * window.intervalSeconds;
  for (let from = window.from; from < window.to && candles.length < count; step *= 2) {
    const to = Math.min(window.to, from + step);
    candles.push(...fold({ ...window, from, to }));
    from = to;
  }
  return candles.slice(0, count);
}

/** The last `count` candles of the window, ascending. */
export function candlesBack(window: CandleWindow, count: number, fold: Fold): readonly Candle[] {
  let candles: readonly Candle[] = [];
  let step = count * window.intervalSeconds;
  for (let to = window.to; to > window.from && candles.length < count; step *= 2) {
    const from = Math.max(window.from, to - step);
    candles = [...fold({ ...window, from, to }), ...candles];
    to = from;
  }
  return candles.slice(-count);
}
