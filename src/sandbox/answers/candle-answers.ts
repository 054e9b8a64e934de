import { intervals } from "../../contract/endpoints/ohlcv.ts";
import { candleSeconds, defaultInterval, writeInstant } from "../request-times.ts";
import type { Json } from "../json-writer.ts";
import type { Candle, CandleWindow } from "../market/types.ts";
import { required } from "../query.ts";
import { type Answer, type Asked, networkOf, poolOf, tokenOf } from "./answer.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1000;

/** Wire-facts 4.4: prices in the pool's other token, `inversed` the other way round. */
export const answerPoolOhlcv: Answer = (asked) => {
  const range = readRange(asked);
  const inversed = asked.query.boolean("inversed") ?? false;
  const pool = poolOf(asked);
  return answerCandles(range, (window) => asked.market.poolCandles(pool, { ...window, inversed }));
};

/** Wire-facts 4.5: prices in USD, over all pools of the token. */
export const answerTokenOhlcv: Answer = (asked) => {
  const range = readRange(asked);
  const token = tokenOf(asked);
  return answerCandles(range, (window) => asked.market.tokenCandles(token, window));
};

/** An unknown network is rejected before a wrong parameter, an unknown address after it. */
function readRange(asked: Asked) {
  networkOf(asked);
  const { query, at } = asked;
  const from = required("start", query.from("start"));
  const end = query.from("end") ?? at + 1;
  const interval = query.choice("interval", intervals) ?? defaultInterval;
  return {
    // No candle opens after the request, and the current one contains what has happened by then.
    window: { from, to: Math.min(end, at + 1), intervalSeconds: candleSeconds(interval) ?? 0, asOf: at },
    limit: query.integer("limit", 1, MAX_LIMIT),
    countBack: query.integer("count_back", 1, Number.MAX_SAFE_INTEGER),
  };
}

/** Forward from `start`; with `count_back` the last ones before `end`, none of them before `start`. */
function answerCandles({ window, limit, countBack }: ReturnType<typeof readRange>, fold: Fold): Json {
  const candles =
    countBack === undefined
      ? candlesForward(window, limit ?? DEFAULT_LIMIT, fold)
      : candlesBack(window, Math.min(countBack, limit ?? MAX_LIMIT), fold);
  return candles.map(({ timeOpen, timeClose, open, high, low, close, volume }) => ({
    time_open: writeInstant(timeOpen),
    time_close: writeInstant(timeClose),
    open,
    high,
    low,
    close,
    // The service leaves the key out where the volume rounds to 0.
    volume: volume === 0 ? undefined : volume,
  }));
}

type Fold = (window: CandleWindow) => readonly Candle[];

/**
 * The first `count` candles of the window. Intervals without a swap have none, so the necessary range is unknown: steps
 * that double work for a few candles of a busy pool and for years of a quiet one.
 */
function candlesForward(window: CandleWindow, count: number, fold: Fold): readonly Candle[] {
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
function candlesBack(window: CandleWindow, count: number, fold: Fold): readonly Candle[] {
  let candles: readonly Candle[] = [];
  let step = count * window.intervalSeconds;
  for (let to = window.to; to > window.from && candles.length < count; step *= 2) {
    const from = Math.max(window.from, to - step);
    candles = [...fold({ ...window, from, to }), ...candles];
    to = from;
  }
  return candles.slice(-count);
}
