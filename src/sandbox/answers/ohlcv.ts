import { candleIntervals, candleSeconds, defaultInterval } from "../candle-intervals.ts";
import { writeInstant } from "../instant.ts";
import type { Json } from "../json-writer.ts";
import type { Candle, CandleWindow } from "../market/types.ts";
import { required } from "../query.ts";
import { type Answer, type Asked, networkOf, poolOf, tokenOf } from "./answer.ts";
import { candlesBack, candlesForward } from "./sparse-candles.ts";

interface CandleQuery {
  readonly start: number;
  readonly end: number;
  readonly intervalSeconds: number;
  readonly limit: number | undefined;
  readonly countBack: number | undefined;
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1000;

/** Wire-facts 4.4: prices in the pool's other token, `inversed` the other way round. */
export const answerPoolOhlcv: Answer = (asked) => {
  networkOf(asked);
  const window = readCandleQuery(asked);
  const inversed = asked.query.boolean("inversed") ?? false;
  const pool = poolOf(asked);
  return answerCandles(asked, window, (each) => asked.market.poolCandles(pool, { ...each, inversed }));
};

/** Wire-facts 4.5: prices in USD, over all pools of the token. */
export const answerTokenOhlcv: Answer = (asked) => {
  networkOf(asked);
  const window = readCandleQuery(asked);
  const token = tokenOf(asked);
  return answerCandles(asked, window, (each) => asked.market.tokenCandles(token, each));
};

function readCandleQuery({ query, at }: Asked): CandleQuery {
  const start = required("start", query.from("start"));
  const end = query.from("end") ?? at + 1;
  const interval = query.choice("interval", candleIntervals) ?? defaultInterval;
  return {
    start,
    end,
    intervalSeconds: candleSeconds(interval) ?? 0,
    limit: query.integer("limit", 1, MAX_LIMIT),
    countBack: query.integer("count_back", 1, Number.MAX_SAFE_INTEGER),
  };
}

/** Forward from `start`; with `count_back` the last ones before `end`, none of them before `start`. */
function answerCandles(
  { at }: Asked,
  { start, end, intervalSeconds, limit, countBack }: CandleQuery,
  fold: (window: CandleWindow) => readonly Candle[],
): Json {
  // No candle opens after the request, and the running one holds what has happened so far.
  const window = { from: start, to: Math.min(end, at + 1), intervalSeconds, asOf: at };
  const candles =
    countBack === undefined
      ? candlesForward(window, limit ?? DEFAULT_LIMIT, fold)
      : candlesBack(window, Math.min(countBack, limit ?? MAX_LIMIT), fold);
  return candles.map((candle) => ({
    time_open: writeInstant(candle.timeOpen),
    time_close: writeInstant(candle.timeClose),
    open: candle.open,
    high: candle.high,
    low: candle.low,
    close: candle.close,
    // The service leaves the key out where the volume rounds to 0.
    volume: candle.volume === 0 ? undefined : candle.volume,
  }));
}
