import { invalidResponse } from "../../base/failure.ts";
import { createPathReader } from "../../base/json/path-reader.ts";
import type { AtRule, NoPriceReason } from "../../api/endpoints/timed-prices.ts";

/** All times and lengths are in seconds. */
export interface PriceRule {
  /**
   * `before`: the close of the newest candle that had closed at the time. `open`: the close of the candle that contains
   * the time, or else of the newest one before it.
   */
  readonly rule: AtRule;
  readonly interval: number;
  /** The maximum time between the close of a candle and the time of the price. */
  readonly maxAge: number;
  readonly now: number;
  /** The newest time that responses are certain to cover. */
  readonly asOf: number;
}

/** `close` and `volume` are the texts of the service. */
export interface PricedCandle {
  readonly opens: number;
  readonly close: string;
  readonly volume: string;
}

/** The texts of a row, so that a price has all its digits. They are copies, which do not keep the response in memory. */
export function pricedCandle({ row, opens }: { readonly row: string; readonly opens: number }): PricedCandle {
  const [close = "", volume = "0"] = readPrice(row);
  // The row is valid JSON, in which only a number begins with one of these.
  if (!/^[-\d]/u.test(close)) throw invalidResponse("invalid response: a candle has no close");
  return { opens, close: copyOf(close), volume: copyOf(volume) };
}

const readPrice = createPathReader([["close"], ["volume"]]);

const copyOf = (text: string): string => Buffer.from(text).toString();

/** The openings of the candles that may price a time: the newest, which is the best, and the oldest. */
export interface CandleChoice {
  readonly newest: number;
  readonly oldest: number;
}

export function candlesFor(at: number, { rule, interval, maxAge }: PriceRule): CandleChoice {
  const current = Math.floor(at / interval) * interval;
  const newest = rule === "open" ? current : current - interval;
  const oldest = Math.ceil((at - maxAge) / interval - 1) * interval;
  return { newest, oldest: Math.min(oldest, newest) };
}

/** The reason for which candles cannot price this time yet; undefined if they may. */
export function reasonOfTime(at: number, rule: PriceRule): NoPriceReason | undefined {
  if (at > rule.now) return "in_future";
  const closes = candlesFor(at, rule).newest + rule.interval;
  return at > rule.asOf || closes > rule.asOf ? "too_recent" : undefined;
}

/** Between the close of the candle and the time, rounded down. 0 if the candle contains the time. */
export function ageAt(at: number, { opens }: Pick<PricedCandle, "opens">, { interval }: PriceRule): number {
  return Math.max(0, Math.floor(at - opens - interval));
}

/** A time that needs a price, and its place in the input. */
export interface WantedPrice extends CandleChoice {
  readonly leg: number;
}

/** The candles to request next, from the one that opens at `from` to the one that opens at `to`. */
export interface CandleBlock {
  readonly from: number;
  readonly to: number;
}

/**
 * The block of up to `most` candles that ends with the newest wanted one. Taking one such block after the other covers
 * all wanted candles with the fewest requests. Its spare candles precede the oldest wanted one, which may not exist.
 */
export function nextBlock(
  wanted: readonly WantedPrice[],
  { interval, most, reach }: { readonly interval: number; readonly most: number; readonly reach: number },
): CandleBlock {
  const to = wanted.reduce((newest, each) => Math.max(newest, each.newest), Number.NEGATIVE_INFINITY);
  const first = to - (most - 1) * interval;
  const inside = wanted.filter(({ newest }) => newest >= first);
  const oldest = inside.reduce((least, each) => Math.min(least, each.oldest), to);
  return { from: Math.max(first, oldest, Math.ceil(reach / interval) * interval), to };
}

/**
 * Divides wanted times by the candles of a block, in ascending order: those with a candle, those whose candle can only be
 * in an earlier block, and those that have none.
 */
export function resolveBlock<C extends { readonly opens: number }>(
  wanted: readonly WantedPrice[],
  { from, to }: CandleBlock,
  candles: readonly C[],
  interval: number,
) {
  const found: { readonly leg: number; readonly candle: C }[] = [];
  const none: WantedPrice[] = [];
  const rest: WantedPrice[] = [];
  for (const each of wanted) {
    if (each.newest < from || each.newest > to) {
      rest.push(each);
      continue;
    }
    const candle = candles[lastUpTo(candles, each.newest)];
    if (candle !== undefined && candle.opens >= each.oldest) found.push({ leg: each.leg, candle });
    else if (candle === undefined && each.oldest < from) rest.push({ ...each, newest: from - interval });
    else none.push(each);
  }
  return { found, none, rest };
}

/** The index of the last candle that opens at `time` or before; -1 if there is none. */
function lastUpTo(candles: readonly { readonly opens: number }[], time: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((candles[middle]?.opens ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
