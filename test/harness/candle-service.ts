import { json, type Reply, type SeenRequest } from "./scripted-server.ts";

/** The behavior of a candle service, where services may differ. */
export interface CandleService {
  readonly interval: number;
  /** Whether the interval that opens at this time, in unix seconds, has a candle; all have one by default. */
  readonly has?: (opens: number) => boolean;
  /** The maximum number of rows in a response, for any `limit`. */
  readonly cap?: number;
  /** A candle that opens at `end` is in the response. */
  readonly isEndInclusive?: boolean;
  /** `start` is rounded down to an interval. */
  readonly roundsStart?: boolean;
  /** `count_back` returns the last candles before `end`. */
  readonly countsBack?: boolean;
  /** Returns a candle as JSON; `candle` by default. */
  readonly row?: (opens: number, interval: number) => string;
}

/** Returns the candle that opens at this time: its digits identify it, and a double would lose them. */
export function candle(opens: number, interval: number): string {
  const price = `${opens}.10`;
  return (
    `{"time_open":"${utc(opens)}","time_close":"${utc(opens + interval)}",` +
    `"open":${price},"high":${price},"low":${price},"close":${price},"volume":7}`
  );
}

const formatted = new Map<number, string>();

/** Formats a time like `2026-11-21T08:00:00Z`. Remembered, because responses overlap: it was a tenth of the time of their tests. */
export function utc(seconds: number): string {
  const known = formatted.get(seconds);
  if (known !== undefined) return known;
  const text = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
  formatted.set(seconds, text);
  return text;
}

/** Returns the response to one request of a pull: forward from `start`, up to `limit` rows. */
export function answerCandles({ query }: SeenRequest, service: CandleService): Reply {
  const { interval, has = () => true, cap = Number.POSITIVE_INFINITY, row = candle } = service;
  const { start, end, limit } = askedOf(query);
  const first = (service.roundsStart === true ? Math.floor : Math.ceil)(start / interval) * interval;
  const opens: number[] = [];
  for (let at = first; at < end || (at === end && service.isEndInclusive === true); at += interval)
    if (has(at)) opens.push(at);
  const most = Math.min(cap, limit);
  const isBack = service.countsBack === true && query.has("count_back");
  const given = isBack ? opens.slice(-most) : opens.slice(0, most);
  return json(`[${given.map((at) => row(at, interval)).join(",")}]`);
}

export interface AskedWindow {
  readonly start: number;
  readonly end: number;
  readonly limit: number;
}

/** Returns the time range and limit of a request, in unix seconds. */
export function askedOf(query: URLSearchParams): AskedWindow {
  const [start, end, limit] = ["start", "end", "limit"].map((name) => Number(query.get(name)));
  if (start === undefined || end === undefined || limit === undefined || Number.isNaN(start + end + limit))
    throw new Error(`the program always asks with start, end and limit, not ${query.toString()}`);
  return { start, end, limit };
}
