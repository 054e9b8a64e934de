import { intervals } from "../../api/endpoints/ohlcv.ts";
import { candleSeconds, DAY, defaultInterval, writeInstant } from "../wire/request-times.ts";
import type { Json } from "../wire/json-writer.ts";
import { inverse } from "../market/fold-candles.ts";
import { HISTORY_START, LAST_TRADE } from "../market/history.ts";
import type { Candle, CandleWindow } from "../market/types.ts";
import { required } from "../wire/query.ts";
import type { Work } from "../work.ts";
import { type Answer, type Asked, networkOf, poolOf, tokenOf } from "./answer.ts";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 1000;

/** Wire-facts 4.4: prices are in the pool's other token. `inversed` swaps the two tokens. */
export const answerPoolOhlcv: Answer = (asked) => {
  const range = readRange(asked);
  const inversed = asked.query.boolean("inversed") ?? false;
  const pool = poolOf(asked);
  return answerCandles(range, function* fold(window) {
    yield;
    const candles = asked.market.poolCandles(pool, window);
    return inversed ? candles.map(inverse) : candles;
  });
};

/** Wire-facts 4.5: prices are in USD, across all of the token's pools. */
export const answerTokenOhlcv: Answer = (asked) => {
  const range = readRange(asked);
  const token = tokenOf(asked);
  return answerCandles(range, (window) => asked.market.tokenCandles(token, window));
};

/** An unknown network is rejected before an invalid parameter, and an unknown address after it. */
function readRange(asked: Asked) {
  networkOf(asked);
  const { query, at } = asked;
  const from = required("start", query.from("start"));
  const end = query.from("end") ?? at + 1;
  const interval = query.choice("interval", intervals) ?? defaultInterval;
  return {
    // The current candle contains all trades up to the time of the request. Outside the history, there are none.
    window: {
      from: Math.max(from, HISTORY_START),
      to: Math.min(end, at + 1, LAST_TRADE + 1),
      intervalSeconds: candleSeconds(interval) ?? 0,
      asOf: at,
    },
    limit: query.integer("limit", 1, MAX_LIMIT),
    countBack: query.integer("count_back", 1, Number.MAX_SAFE_INTEGER),
  };
}

/** Returns candles forward from `start` or, with `count_back`, the last ones before `end`. */
function* answerCandles({ window, limit, countBack }: ReturnType<typeof readRange>, fold: Fold): Work<Json> {
  const isBack = countBack !== undefined;
  const count = isBack ? Math.min(countBack, limit ?? MAX_LIMIT) : (limit ?? DEFAULT_LIMIT);
  const candles = yield* collectCandles(window, count, fold, isBack);
  return candles.map(({ timeOpen, timeClose, open, high, low, close, volume }) => ({
    time_open: writeInstant(timeOpen),
    time_close: writeInstant(timeClose),
    open,
    high,
    low,
    close,
    // The service omits the field if the volume rounds to 0.
    volume: volume === 0 ? undefined : volume,
  }));
}

type Fold = (window: CandleWindow) => Work<readonly Candle[]>;

/**
 * Intervals without a swap have no candle, so the time range needed is unknown and the step doubles. A busy pool has
 * thousands of swaps in a day, so no step is longer. In ascending order.
 */
function* collectCandles(
  window: CandleWindow,
  count: number,
  fold: Fold,
  isBack: boolean,
): Work<readonly Candle[]> {
  let { from, to } = window;
  let candles: readonly Candle[] = [];
  for (let step = count * window.intervalSeconds; from < to && candles.length < count; step *= 2) {
    const edge = isBack ? Math.max(from, to - Math.min(step, DAY)) : Math.min(to, from + Math.min(step, DAY));
    const part = yield* fold({ ...window, from: isBack ? edge : from, to: isBack ? to : edge });
    candles = isBack ? [...part, ...candles] : [...candles, ...part];
    if (isBack) to = edge;
    else from = edge;
  }
  return isBack ? candles.slice(-count) : candles.slice(0, count);
}
