import { candleWindow, openingOf, secondsOf, wholeSeconds } from "../client/candles/candle-slices.ts";
import type { Page, Place, Walk } from "../client/pages/page.ts";
import { type TextRow, textRows } from "../client/rows/rows.ts";
import type { Args } from "../contract/args.ts";
import { member, rawMembers } from "../json/raw-json.ts";
import { writeUtc } from "../time/calendar.ts";

/**
 * Marks candles: one whose interval has not ended at the start of the run gets `"partial":true`, and with `--fill` each
 * interval without a trade gets a row with `"filled":true`. Gaps are filled page by page, so a year without a trade needs
 * no more memory than a day.
 */
export async function* markedCandles(
  pages: AsyncIterable<Page>,
  args: Args,
  { fill, now }: NonNullable<Walk["candles"]>,
  start: Place | undefined,
): AsyncGenerator<Page> {
  const { interval } = candleWindow(args);
  const finished = (candle: TextRow): TextRow =>
    (openingOf(candle.value) + interval) * 1000 > now ? partial(candle) : candle;
  const gaps = fill === undefined ? undefined : createGaps(args, fill, now, start);
  for await (const page of pages) {
    const at = gaps?.placed(page.at);
    const rows: TextRow[] = [];
    for (const [index, value] of page.rows.values().entries()) {
      const candle = { row: page.rows.text(index), value };
      rows.push(...(gaps?.before(candle) ?? []), candle);
    }
    const end = page.next?.value ?? args.get("end") ?? "";
    rows.push(...(gaps?.upTo(wholeSeconds(end)) ?? []));
    yield {
      ...page,
      rows: textRows(rows.map(finished)),
      ...(gaps !== undefined && { at, next: gaps.placed(page.next) }),
    };
  }
}

/** Appends a field to the service's text, which is otherwise unchanged, unless the service sent the field itself. */
function partial({ row, value }: TextRow): TextRow {
  if (member(value, "partial") !== undefined) return { row, value };
  return { row: `${row.slice(0, -1)},"partial":true}`, value: { ...value, partial: true } };
}

/** Tracks the next interval and the last candle. Nothing is missing before the time range, or in the future. */
function createGaps(args: Args, fill: Fill, now: number, start: Place | undefined) {
  const window = candleWindow(args, start?.value);
  const { interval } = window;
  const end = Math.min(wholeSeconds(window.end), now / 1000);
  let due = Math.ceil(wholeSeconds(window.start) / interval) * interval;
  let last = start?.before === undefined ? undefined : parsed(start.before);

  /** The rows for the intervals that are missing before this time, in unix seconds. */
  const upTo = (seconds: number, next?: TextRow): readonly TextRow[] => {
    const rows: TextRow[] = [];
    for (; due < Math.min(seconds, end); due += interval)
      rows.push(filledCandle(due, interval, fill, { sample: last ?? next, before: last }));
    return rows;
  };
  return {
    /** The rows for the intervals that are missing before the service's next candle. */
    before: (candle: TextRow): readonly TextRow[] => {
      const opens = Math.floor(openingOf(candle.value) / interval) * interval;
      // The newest N candles may begin before the time range of N intervals.
      if (last === undefined && start === undefined) due = Math.min(due, opens);
      const rows = upTo(opens, candle);
      due = Math.max(due, opens + interval);
      last = candle;
      return rows;
    },
    upTo,
    /** Adds the last candle to a place, so that filling can continue there. */
    placed: (place: Place | undefined): Place | undefined =>
      place === undefined || last === undefined ? place : { ...place, before: last.row },
  };
}

const parsed = (row: string): TextRow => ({ row, value: Object(JSON.parse(row)) });

/** The price of an interval without a trade: null, or the close before, which is the price until the next trade. */
type Fill = "null" | "previous";

/**
 * Creates a marked row for the interval that opens then. Times have the format of `sample`; `before` is the last candle
 * before it. `previous` copies the text of its price, to keep every digit.
 */
function filledCandle(
  opens: number,
  interval: number,
  fill: Fill,
  { sample, before }: { readonly sample: TextRow | undefined; readonly before: TextRow | undefined },
): TextRow {
  const price =
    (fill === "previous" && before !== undefined && rawMembers(before.row).get("close")) || "null";
  const members = [
    ...timesLike(sample?.value, opens, interval),
    ...["open", "high", "low", "close"].map((name) => [name, price] as const),
    ["volume", "0"] as const,
    ["filled", "true"] as const,
  ];
  return parsed(`{${members.map(([name, text]) => `"${name}":${text}`).join(",")}}`);
}

type Member = readonly [name: string, text: string];

/** The row has no time_close if the sample has none, and closes a second early if the sample does. */
function timesLike(sample: object | undefined, opens: number, interval: number): readonly Member[] {
  const [open, close] = [member(sample, "time_open"), member(sample, "time_close")];
  const times: Member[] = [["time_open", timeLike(open, opens)]];
  if (sample !== undefined && close === undefined) return times;
  const [from, to] = [secondsOf(open), secondsOf(close)];
  const length = from === undefined || to === undefined ? interval : to - from;
  return [...times, ["time_close", timeLike(close, opens + length)]];
}

/** As JSON: unix seconds if the service writes those, otherwise RFC 3339 with its fraction and its notation of UTC. */
function timeLike(time: unknown, seconds: number): string {
  if (typeof time === "number") return String(seconds);
  const ending = typeof time === "string" ? /(?:\.\d+)?(?:[Zz]|[+-]00:00)$/u.exec(time)?.[0] : undefined;
  return `"${writeUtc(seconds)}${ending ?? "Z"}"`;
}
