import { candleWindow, wholeSeconds } from "../client/candles/candle-slices.ts";
import { openingOf } from "../client/candles/candle-times.ts";
import type { Page } from "../client/pages/page.ts";
import type { Walk } from "../client/pages/pages.ts";
import type { Place } from "../client/pages/place.ts";
import { textRows } from "../client/rows/rows.ts";
import type { Args } from "../contract/args.ts";
import { member } from "../json/own-member.ts";
import { type CandleRow, type Fill, filledCandle } from "./candle-gaps.ts";

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
  const finished = (candle: CandleRow): CandleRow =>
    (openingOf(candle.value) + interval) * 1000 > now ? partial(candle) : candle;
  const gaps = fill === undefined ? undefined : createGaps(args, fill, now, start);
  for await (const page of pages) {
    const at = gaps?.placed(page.at);
    const rows: CandleRow[] = [];
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
function partial({ row, value }: CandleRow): CandleRow {
  if (member(value, "partial") !== undefined) return { row, value };
  return { row: `${row.slice(0, -1)},"partial":true}`, value: { ...value, partial: true } };
}

interface Gaps {
  /** The rows for what is missing before this candle, the next one of the service. */
  readonly before: (candle: CandleRow) => readonly CandleRow[];
  /** The rows for what is missing before this time, in unix seconds. */
  readonly upTo: (seconds: number) => readonly CandleRow[];
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

  const upTo = (seconds: number, next?: CandleRow): readonly CandleRow[] => {
    const rows: CandleRow[] = [];
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
function parsed(row: string): CandleRow {
  const value: unknown = JSON.parse(row);
  return { row, value: typeof value === "object" && value !== null ? value : {} };
}
