import { candleWindow, openingOf, secondsOf, wholeSeconds } from "../client/candles/candle-slices.ts";
import { writeUtc } from "../time/calendar.ts";
import { member, rawMembers } from "../json/raw-json.ts";
import type { Page, Place, Walk } from "../client/pages/page.ts";
import { type TextRow, textRows } from "../client/rows/rows.ts";
import type { Args } from "../contract/args.ts";

/**
 * The same candles, and what this program knows about them: one that is still running at the run's clock reading
 * says `"partial":true`, and with `--fill` each interval without a trade has a row that says `"filled":true`. Gaps
 * are filled page by page, so a year without a trade needs no more memory than a day.
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

/** Appended to the service's own text, of which nothing else changes; a word of its own on that stands. */
function partial({ row, value }: TextRow): TextRow {
  if (member(value, "partial") !== undefined) return { row, value };
  return { row: `${row.slice(0, -1)},"partial":true}`, value: { ...value, partial: true } };
}

interface Gaps {
  /** The rows for what is missing before this candle, the next one of the service. */
  readonly before: (candle: TextRow) => readonly TextRow[];
  /** The rows for what is missing before this time, in unix seconds. */
  readonly upTo: (seconds: number) => readonly TextRow[];
  /** A place with what filling needs to go on there. */
  readonly placed: (place: Place | undefined) => Place | undefined;
}

/** Knows the next interval that is due, and the last candle. Nothing is missing before the window, or yet to come. */
function createGaps(args: Args, fill: Fill, now: number, start: Place | undefined): Gaps {
  const window = candleWindow(args, start?.value);
  const { interval } = window;
  const end = Math.min(wholeSeconds(window.end), now / 1000);
  let due = Math.ceil(wholeSeconds(window.start) / interval) * interval;
  let last = start?.before === undefined ? undefined : parsed(start.before);

  const upTo = (seconds: number, next?: TextRow): readonly TextRow[] => {
    const rows: TextRow[] = [];
    for (; due < Math.min(seconds, end); due += interval)
      rows.push(filledCandle(due, interval, fill, { sample: last ?? next, before: last }));
    return rows;
  };
  return {
    before: (candle) => {
      const opens = Math.floor(openingOf(candle.value) / interval) * interval;
      // The newest so many may begin before the window that holds as many intervals.
      if (last === undefined && start === undefined) due = Math.min(due, opens);
      const rows = upTo(opens, candle);
      due = Math.max(due, opens + interval);
      last = candle;
      return rows;
    },
    upTo,
    placed: (place) => (place === undefined || last === undefined ? place : { ...place, before: last.row }),
  };
}

/** The text is one that this program has kept. */
function parsed(row: string): TextRow {
  const value: unknown = JSON.parse(row);
  return { row, value: typeof value === "object" && value !== null ? value : {} };
}

/** What stands for an interval without a trade: no price, or the close before, which is the price until the next. */
type Fill = "null" | "previous";

/**
 * A row of our own for the interval that opens then, said to be one. Times look as the service writes them in
 * `sample`; `before` is the last candle before it. Of its price every digit is kept, so `previous` copies its text.
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
