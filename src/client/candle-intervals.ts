import type { Args } from "../api/args.ts";
import { madeIntervals } from "../api/endpoints/ohlcv.ts";
import { SECONDS_PER_DAY, writeUtc } from "../base/time/time.ts";

/** In JSON: Unix seconds if the service uses them; otherwise, RFC 3339 with its fraction and UTC suffix. */
export function timeLike(time: unknown, seconds: number): string {
  if (typeof time === "number") return String(seconds);
  const ending = typeof time === "string" ? /(?:\.\d+)?(?:[Zz]|[+-]00:00)$/u.exec(time)?.[0] : undefined;
  return `"${writeUtc(seconds)}${ending ?? "Z"}"`;
}

const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** For example, of `1h` or `1w`; NaN for other text. */
export function intervalSeconds(interval: string): number {
  const match = /^(\d+)([mhdw])$/u.exec(interval);
  return Number(match?.[1]) * (unitSeconds[match?.[2] ?? ""] ?? Number.NaN);
}

/** An interval that the service lacks. Its candles are made from those of the largest interval that divides it. */
export interface MadeInterval {
  readonly source: string;
  /** In seconds. */
  readonly length: number;
  /** How many candles of the source fit into one. */
  readonly parts: number;
}

/** Undefined for an interval of the service. */
export function madeInterval(interval: string | undefined): MadeInterval | undefined {
  const source = interval === undefined ? undefined : madeIntervals[interval];
  if (interval === undefined || source === undefined) return undefined;
  const length = intervalSeconds(interval);
  return { source, length, parts: length / intervalSeconds(source) };
}

/** 1970-01-01 was a Thursday, and weeks begin on Monday. */
const firstMonday = 4 * SECONDS_PER_DAY;

/** When candles of this length open, in seconds after a multiple of it. */
export function openingOffset(length: number): number {
  return length % (7 * SECONDS_PER_DAY) === 0 ? firstMonday : 0;
}

/** The start of the interval that contains the time. Times and lengths are in seconds. */
export function intervalStart(seconds: number, length: number): number {
  const offset = openingOffset(length);
  return Math.floor((seconds - offset) / length) * length + offset;
}

/** The first start of an interval at or after the time. */
export function nextIntervalStart(seconds: number, length: number): number {
  const start = intervalStart(seconds, length);
  return start < seconds ? start + length : start;
}

/** The arguments to send. As many candles of the source as fit into the wanted ones are counted back. */
export function sourceArgs(args: Args, { source, parts }: MadeInterval): Args {
  const count = args.get("count_back");
  const counted = count === undefined ? [] : [["count_back", String(Number(count) * parts)] as const];
  return new Map([...args, ["interval", source], ...counted]);
}

/** A multiple of `parts`, so that all candles that make up one arrive in the same response. */
export function sourceLimit(maxLimit: number, { parts }: MadeInterval): number {
  return maxLimit - (maxLimit % parts);
}
