import type { Args } from "../../contract/args.ts";
import { usageFailure } from "../../contract/failure.ts";
import { fromWire, toWire } from "../../time/time.ts";

/** A window of candles; its bounds as on the wire. */
export interface CandleWindow {
  readonly start: string;
  readonly end: string;
  /** Seconds of one candle. */
  readonly interval: number;
}

/** A part of a window that one answer can hold. */
export interface CandleSlice extends CandleWindow {
  /** Candles that open within [start, end). */
  readonly opening: number;
  /** Candles that the slice touches: one more than open in it, should the service round `start` down. */
  readonly touched: number;
  readonly isLast: boolean;
}

/** A century of minutes. Beyond it a bound is mistyped more likely than meant. */
const mostCandles = 50_000_000;

/** The window that a question asks for, or what is left of it from `start` on. */
export function candleWindow(args: Args, start = args.get("start") ?? ""): CandleWindow {
  const typed = args.get("interval") ?? "";
  const window = { start, end: args.get("end") ?? "", interval: intervalSeconds(typed) };
  const { opening } = candlesIn(window);
  if (opening > mostCandles) {
    throw usageFailure(
      `the window holds ${opening} candles of ${typed}; at most ${mostCandles} are asked for at once`,
      "narrow --from and --to, or choose a wider --interval",
    );
  }
  return window;
}

/**
 * The window in parts of at most `most` candles, one after the other without a gap. Inner edges are multiples of the
 * interval from the epoch, where every candle opens whatever the zone, so that none lies in two parts.
 */
export function* slicesOf(window: CandleWindow, most: number): Generator<CandleSlice> {
  const { interval } = window;
  let { start } = window;
  for (;;) {
    const edge = (Math.ceil(wholeSeconds(start) / interval) + most) * interval;
    const isLast = edge >= wholeSeconds(window.end);
    const end = isLast ? window.end : toWire({ seconds: edge, fraction: "" });
    const slice = { start, end, interval };
    yield { ...slice, ...candlesIn(slice), isLast };
    if (isLast) return;
    start = end;
  }
}

/** One slice between two times in unix seconds. */
export function sliceBetween(from: number, to: number, interval: number): CandleSlice {
  const [start, end] = [from, to].map((seconds) => toWire({ seconds, fraction: "" }));
  const slice = { start: start ?? "", end: end ?? "", interval };
  return { ...slice, ...candlesIn(slice), isLast: true };
}

/** What is left of a slice after a candle that opens at `last`; undefined where no other can follow. */
export function restOf(slice: CandleSlice, last: number): CandleSlice | undefined {
  const from = (Math.floor(last / slice.interval) + 1) * slice.interval;
  if (from >= wholeSeconds(slice.end)) return undefined;
  const rest = { ...slice, start: toWire({ seconds: from, fraction: "" }) };
  return { ...rest, ...candlesIn(rest) };
}

function candlesIn({ start, end, interval }: CandleWindow): {
  readonly opening: number;
  readonly touched: number;
} {
  const [from, to] = [wholeSeconds(start), wholeSeconds(end)];
  const past = Math.ceil(to / interval);
  return {
    opening: past - Math.ceil(from / interval),
    touched: Math.max(1, past - Math.floor(from / interval)),
  };
}

/** The first whole second at or after a bound as on the wire: candles open on whole seconds. */
export function wholeSeconds(bound: string): number {
  const { seconds, fraction } = fromWire(bound);
  return seconds + (fraction === "" ? 0 : 1);
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600 };

/** `15m` → 900. */
export function intervalSeconds(interval: string): number {
  const match = /^(\d+)([mh])$/u.exec(interval);
  return Number(match?.[1]) * (unitSeconds[match?.[2] ?? ""] ?? Number.NaN);
}
