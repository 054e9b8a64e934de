import { secondsOf } from "../client/candles/candle-times.ts";
import { writeUtc } from "../time/calendar.ts";
import { member } from "../json/own-member.ts";
import { rawMembers } from "../json/raw-json.ts";

/** What stands for an interval without a trade: no price, or the close before, which is the price until the next. */
export type Fill = "null" | "previous";

/** A candle of the service: its own text, and the same parsed. */
export interface CandleRow {
  readonly row: string;
  readonly value: object;
}

/**
 * A row of our own for the interval that opens then, said to be one. Times look as the service writes them in
 * `sample`; `before` is the last candle before it. Of its price every digit is kept, so `previous` copies its text.
 */
export function filledCandle(
  opens: number,
  interval: number,
  fill: Fill,
  { sample, before }: { readonly sample: CandleRow | undefined; readonly before: CandleRow | undefined },
): CandleRow {
  const price =
    (fill === "previous" && before !== undefined && rawMembers(before.row).get("close")) || "null";
  const members = [
    ...timesLike(sample?.value, opens, interval),
    ...["open", "high", "low", "close"].map((name) => [name, price] as const),
    ["volume", "0"] as const,
    ["filled", "true"] as const,
  ];
  return {
    row: `{${members.map(([name, text]) => `"${name}":${text}`).join(",")}}`,
    value: Object.fromEntries(members.map(([name, text]) => [name, JSON.parse(text) as unknown])),
  };
}

type Member = readonly [name: string, text: string];

/** Where the sample has no time_close, nor has the row; one that closes a second early does so in every row. */
function timesLike(sample: object | undefined, opens: number, interval: number): readonly Member[] {
  const [open, close] = [member(sample, "time_open"), member(sample, "time_close")];
  const times: Member[] = [["time_open", timeLike(open, opens)]];
  if (sample !== undefined && close === undefined) return times;
  const [from, to] = [secondsOf(open), secondsOf(close)];
  const length = from === undefined || to === undefined ? interval : to - from;
  return [...times, ["time_close", timeLike(close, opens + length)]];
}

/** As JSON: unix seconds where the service writes those, else RFC 3339 with its fraction and its way to say UTC. */
function timeLike(time: unknown, seconds: number): string {
  if (typeof time === "number") return String(seconds);
  const ending = typeof time === "string" ? /(?:\.\d+)?(?:[Zz]|[+-]00:00)$/u.exec(time)?.[0] : undefined;
  return `"${writeUtc(seconds)}${ending ?? "Z"}"`;
}
