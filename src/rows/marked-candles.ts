import type { Args } from "../api/endpoint.ts";
import { more, nextOf, notesOf, type Page, type Position } from "../client/page.ts";
import type { CandleMarks } from "../client/list-plan.ts";
import { type TextRow, textRows } from "../client/rows.ts";
import { member, rawMembers } from "../base/json/json-scan.ts";
import {
  candleWindow,
  openingOf,
  wholeSeconds,
  intervalStart,
  nextIntervalStart,
  timesLike,
} from "../client/candle-windows.ts";

interface Marks extends CandleMarks {
  /** In milliseconds. The responses so far can lack trades since then. */
  readonly asOf: () => number;
}

/**
 * A candle whose interval had not ended, or may lack its last trades, gets `"partial":true`. With `--fill`, each interval
 * without trades gets a row with `"filled":true`. Gaps are filled page by page, so a year without trades needs no more
 * memory than a day.
 */
export async function* markedCandles(
  pages: AsyncIterable<Page>,
  args: Args,
  { fill, now, asOf, address }: Marks,
  start: Position | undefined,
): AsyncGenerator<Page> {
  const { interval } = candleWindow(args);
  const asset = address === undefined ? undefined : { chain: args.get("network"), id: args.get(address) };
  const finished = (candle: TextRow): TextRow => {
    const marked = (openingOf(candle.value) + interval) * 1000 > asOf() ? partial(candle) : candle;
    return asset === undefined ? marked : withAsset(marked, asset);
  };
  const gaps = fill === undefined ? undefined : createGaps(args, fill, now, start);
  for await (const page of pages) {
    const at = gaps?.placed(page.at);
    for (const { seconds } of notesOf(page, "complete from")) gaps?.startFrom(seconds);
    const rows: TextRow[] = [];
    for (const [index, value] of page.rows.values().entries()) {
      const candle = { row: page.rows.text(index), value };
      rows.push(...(gaps?.before(candle) ?? []), candle);
    }
    const next = nextOf(page);
    const end = next?.value ?? args.get("end") ?? "";
    rows.push(...(gaps?.upTo(wholeSeconds(end)) ?? []));
    yield {
      ...page,
      rows: textRows(rows.map(finished)),
      ...(gaps !== undefined && { at, ...(next !== undefined && { end: more(gaps.placed(next)) }) }),
    };
  }
}

/** The original text stays unchanged, as does a field that the service already sent. */
function partial({ row, value }: TextRow): TextRow {
  if (member(value, "partial") !== undefined) return { row, value };
  return { row: `${row.slice(0, -1)},"partial":true}`, value: { ...value, partial: true } };
}

/** The original text follows unchanged. */
function withAsset({ row, value }: TextRow, asset: object): TextRow {
  const members = row.slice(1).trimStart();
  const separator = members.startsWith("}") ? "" : ",";
  return {
    row: `${JSON.stringify(asset).slice(0, -1)}${separator}${members}`,
    value: { ...asset, ...value },
  };
}

/** Candles before the time range or in the future do not count as missing. */
function createGaps(args: Args, fill: Fill, now: number, start: Position | undefined) {
  const window = candleWindow(args, start?.value);
  const { interval } = window;
  const end = Math.min(wholeSeconds(window.end), now / 1000);
  let due = nextIntervalStart(wholeSeconds(window.start), interval);
  let last = start?.before === undefined ? undefined : parsed(start.before);

  /** `seconds` is a Unix time. */
  const upTo = (seconds: number, next?: TextRow): readonly TextRow[] => {
    const rows: TextRow[] = [];
    for (; due < Math.min(seconds, end); due += interval)
      rows.push(filledCandle(due, interval, fill, { sample: last ?? next, before: last }));
    return rows;
  };
  return {
    before: (candle: TextRow): readonly TextRow[] => {
      const opens = intervalStart(openingOf(candle.value), interval);
      // With --count-back, the newest N candles may begin before the time range of N intervals.
      if (last === undefined && start === undefined) due = Math.min(due, opens);
      const rows = upTo(opens, candle);
      due = Math.max(due, opens + interval);
      last = candle;
      return rows;
    },
    upTo,
    startFrom: (seconds: number): void => {
      due = Math.max(due, nextIntervalStart(seconds, interval));
    },
    /** Stores in the place what is needed to continue filling from there. */
    placed: <P extends Position | undefined>(position: P): P =>
      position === undefined || last === undefined ? position : { ...position, before: last.row },
  };
}

const parsed = (row: string): TextRow => ({ row, value: Object(JSON.parse(row)) });

/** `previous` is the last close, which remains the price until the next trade. */
type Fill = "null" | "previous";

/**
 * Times use the format of `sample`; `before` is the preceding candle. With `previous`, its price text is copied, so
 * that every digit is preserved.
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
