import { intervals } from "../../api/endpoints/ohlcv.ts";
import { type Instant, parseDate, parseRfc3339 } from "../../base/time/time.ts";

export const DAY = 86_400;

const SECONDS_PER: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: DAY };

/**
 * Specification, endpoint 1: Unix seconds, an offset with a leading minus, an RFC 3339 timestamp, or a date at 00:00
 * UTC; undefined for anything else. `now` is in Unix seconds on the sandbox's clock.
 */
export function readInstant(text: string, now: number): Instant | undefined {
  // 13 digits would be milliseconds, which the service does not accept.
  if (/^\d{1,11}$/.test(text)) return { seconds: Number(text), fraction: "" };
  const [, count, unit = ""] = /^-(\d{1,10})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return { seconds: now - Number(count) * (SECONDS_PER[unit] ?? 1), fraction: "" };
  return parseDate(text) ?? parseRfc3339(text);
}

/** RFC 3339, in UTC and without a fraction: `2026-09-28T13:07:35Z`. */
export function writeInstant(seconds: number): string {
  return writeInstantMs(seconds).replace(".000Z", "Z");
}

/** With milliseconds, as the service does for pools: `2023-11-26T20:25:08.000Z`. */
export function writeInstantMs(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

type CandleInterval = (typeof intervals)[number];

/** Wire-facts 4.4. */
export const defaultInterval: CandleInterval = "24h";

/** Undefined for an unknown interval. */
export function candleSeconds(word: string = defaultInterval): number | undefined {
  if (!intervals.some((each) => each === word)) return undefined;
  return Number(word.slice(0, -1)) * (SECONDS_PER[word.slice(-1)] ?? 0);
}
