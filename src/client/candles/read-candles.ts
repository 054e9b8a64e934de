import type { Document } from "../document.ts";
import { readRows } from "../page.ts";
import { createAnswerCutter } from "../response/byte-rows.ts";
import { areSame } from "../../base/json/pattern.ts";
import { type LocatedRows, parseRow, type Rows, textRows } from "../rows.ts";
import { openingOf } from "../candle-windows.ts";

export interface Candle {
  /** In Unix seconds. */
  readonly opens: number;
  readonly row: string;
}

/** Most candles of a price at a time are only placed, so a row is read from the response when it is needed. */
class CutCandle implements Candle {
  readonly opens: number;
  readonly #rows: Rows;
  readonly #index: number;

  constructor(opens: number, rows: Rows, index: number) {
    this.opens = opens;
    this.#rows = rows;
    this.#index = index;
  }

  get row(): string {
    return this.#rows.text(this.#index);
  }
}

const cut = createAnswerCutter(undefined, { identity: ["time_open"] });

export function readCandles(document: Document): readonly Candle[] {
  const rows = cut(document.bytes)?.rows ?? rowsOfText(document);
  const located = rows.locate(["time_open"]);
  const openings = located === undefined ? rows.marks().map(openingOf) : openingsOf(located);
  return openings.map((opens, index) => new CutCandle(opens, rows, index));
}

/** Usually, a candle opens on the day of the one before, so that only its time of day is read. */
function openingsOf({ bytes, spans, stride, places: [place = 0] }: LocatedRows): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const openings: number[] = [];
  let [day, midnight] = [0, Number.NaN];
  for (let at = place; at < spans.length; at += stride) {
    const [from = -1, to = -1] = [spans[at], spans[at + 1]];
    const time = to - from === plainLength ? secondsOfDay(bytes, from + timeAt) : Number.NaN;
    const isSameDay = !Number.isNaN(time + midnight) && areSame(view, day, day + timeAt, view, from);
    const named = () => (from < 0 ? {} : { time_open: JSON.parse(bytes.toString("utf8", from, to)) });
    const opens = isSameDay ? midnight + time : openingOf(named());
    [day, midnight] = [from, opens - time];
    openings.push(opens);
  }
  return openings;
}

const [plainLength, timeAt] = ['"2026-11-20T12:00:00Z"'.length, '"2026-11-20T'.length];
const [COLON, UPPER_Z] = [58, 90];

/** NaN unless the bytes are like those of `12:00:00Z`. Second 60 may be on another day. */
function secondsOfDay(bytes: Uint8Array, at: number): number {
  if (bytes[at + 2] !== COLON || bytes[at + 5] !== COLON || bytes[at + 8] !== UPPER_Z) return Number.NaN;
  return twoDigits(bytes, at, 24) * 3600 + twoDigits(bytes, at + 3, 60) * 60 + twoDigits(bytes, at + 6, 60);
}

function twoDigits(bytes: Uint8Array, at: number, below: number): number {
  const [tens, ones] = [(bytes[at] ?? 0) ^ 48, (bytes[at + 1] ?? 0) ^ 48];
  const value = tens * 10 + ones;
  return tens < 10 && ones < 10 && value < below ? value : Number.NaN;
}

/** The response is malformed, or so unusual that its rows could not be cut out of the bytes. */
function rowsOfText(document: Document): Rows {
  const { text, value } = document.read();
  return textRows(readRows(text, value, "candles"));
}

export const candleRows = (candles: readonly Candle[]): Rows =>
  textRows(candles.map(({ row }) => ({ row, value: parseRow(row) })));
