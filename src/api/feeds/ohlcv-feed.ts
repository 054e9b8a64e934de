import { parseTimeBound } from "../../base/time/time.ts";
import { invalidInput } from "../../base/failure.ts";
import { type Feed, unixSeconds } from "../feed.ts";
import { address, amount, count, each, optional, price, text } from "../record.ts";

export const ohlcvFeed: Feed<"ohlcv"> = {
  name: "ohlcv",
  path: "/sse/ohlcv",
  kinds: [
    {
      by: "token",
      method: "token_ohlcv",
      event: {
        name: "candle-event",
        record: {
          chain: text,
          token_id: address,
          interval: optional(text),
          timestamp: unixSeconds,
          ...each("open high low close", price),
          avg: optional(price),
          volume_usd: optional(amount),
          txns: optional(count),
        },
      },
    },
  ],
  events: new Set(["token_ohlcv"]),
  batches: "never",
  plan: "dev",
  params: ["interval", "since"],
  times: ["timestamp"],
  isSeries: false,
  hasTimeIds: true,
  shown: [
    { title: "CLOSE", reads: "price", names: ["close"] },
    { title: "VOLUME", reads: "amount", names: ["volume_usd"] },
  ],
};

/** Wire-facts 5.2. */
export const streamIntervals = ["1s", "5s", "60s"] as const;
export type StreamInterval = (typeof streamIntervals)[number];

/** In seconds: the maximum age of the candle that a stream can start with. */
export const longestBackfill = 15 * 60;

/** In seconds. Without this margin, a time just within the limit would be too old when the service reads it. */
const onTheWay = 5;

/** The earliest time in Unix seconds at which a stream that is opened now can start. `now` is in milliseconds. */
export function oldestSince(now: number): number {
  return Math.floor(now / 1000) - longestBackfill + onTheWay;
}

/** Returns Unix seconds. `name` is the input as typed, and `now` is in milliseconds. */
export function readSince(name: string, typed: string, now: number): number {
  const label = `${name} "${typed}"`;
  const instant = parseTimeBound(typed, now);
  if ("problem" in instant) throw invalidInput(label, instant.problem, instant.next);
  const age = Math.floor(now / 1000) - instant.seconds;
  if (age < 0) throw invalidInput(label, "must not be in the future", "omit it to start now");
  if (age > longestBackfill)
    throw invalidInput(label, "must be within the last 15 minutes", "get older candles: dexdata ohlcv");
  return Math.max(instant.seconds, oldestSince(now));
}
