import type { Document } from "../document.ts";
import { readRows } from "../page.ts";
import { createAnswerCutter } from "../response/byte-rows.ts";
import { createPlainTimes } from "../../base/time/plain-times.ts";
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

function openingsOf({ bytes, spans, stride, places: [place = 0] }: LocatedRows): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const readTime = createPlainTimes();
  const openings: number[] = [];
  for (let at = place; at < spans.length; at += stride) {
    const [from = -1, to = -1] = [spans[at], spans[at + 1]];
    // Without the quotes of a string.
    const opens = readTime(view, from + 1, to - 1);
    const named = () => (from < 0 ? {} : { time_open: JSON.parse(bytes.toString("utf8", from, to)) });
    openings.push(Number.isNaN(opens) ? openingOf(named()) : opens);
  }
  return openings;
}

/** The response is malformed, or so unusual that its rows could not be cut out of the bytes. */
function rowsOfText(document: Document): Rows {
  const { text, value } = document.read();
  return textRows(readRows(text, value, "candles"));
}

export const candleRows = (candles: readonly Candle[]): Rows =>
  textRows(candles.map(({ row }) => ({ row, value: parseRow(row) })));
