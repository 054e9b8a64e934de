import type { Cell } from "../values/cell.ts";
import { type Decimal, readDecimal } from "../values/decimal.ts";
import { showAmount, showChange, showPrice } from "../values/numbers.ts";
import { percentBetween } from "../values/percent-between.ts";
import { cutText, textWidth } from "../values/width.ts";
import { wrapWords } from "../table/wrap-words.ts";
import { candleTone, type ChartStyle } from "./candle-cells.ts";
import type { CandleColumn, CandleColumns } from "./candle-columns.ts";

/** What the chart is of: safe to print. */
export interface ChartSubject {
  /** `ethereum:0xc02a…` */
  readonly name: string;
  /** `15m` */
  readonly interval: string;
  /** Seconds of it. */
  readonly unit: number;
  /** What a price is counted in. */
  readonly quote: string;
  /** `2026-11-21 08:00 to 2026-11-21 12:00 UTC` */
  readonly window: string;
}

/** What it is a picture of, then what can be read from it; as many lines as that takes. */
export function chartHeading(
  { name, interval, unit, quote, window }: ChartSubject,
  whole: CandleColumn | undefined,
  { span, isCut }: CandleColumns,
  columns: number,
  style: ChartStyle,
): readonly string[] {
  const { isUnicode, isColored } = style;
  const count = span / unit;
  const subject = [
    `${interval} candles${count > 1 ? `, ${count > 60 ? lengthOf(span) : count} to a column` : ""}`,
    quote,
    window,
    ...(whole === undefined ? ["no trade in it"] : []),
    ...(whole?.isPartial === true ? ["* still running"] : isCut ? ["* cut by the window"] : []),
    ...(whole === undefined || (isColored && isUnicode) ? [] : [isUnicode ? "║ up ┃ down" : "O up # down"]),
  ];
  const title: readonly Cell[] = [{ text: name, tone: "heading" }, ...subject.map(plain)];
  return [
    ...lines(title, columns, style),
    ...(whole === undefined ? [] : lines(readings(whole, isUnicode), columns, style)),
  ];
}

/** `3d`, of so many candles that their number says less than the time they take. */
function lengthOf(span: number): string {
  const [unit, name] = span % 86_400 === 0 ? [86_400, "d"] : span % 3600 === 0 ? [3600, "h"] : [60, "m"];
  return `${span / unit}${name}`;
}

function readings(whole: CandleColumn, isUnicode: boolean): readonly Cell[] {
  const price = (value: number): string =>
    shown(value, (decimal) => showPrice(decimal, undefined, isUnicode));
  const change = percentBetween(whole.open, whole.close);
  return [
    { text: `last ${price(whole.close)}`, tone: "heading" },
    ...(change === "" ? [] : [{ text: shown(change, showChange), tone: candleTone(whole) }]),
    plain(`high ${price(whole.high)}`),
    plain(`low ${price(whole.low)}`),
    plain(`volume ${shown(whole.volume, showAmount)} USD`),
  ];
}

function plain(text: string): Cell {
  return { text, tone: "plain" };
}

function shown(value: number | string, show: (decimal: Decimal) => string): string {
  const decimal = readDecimal(value);
  return decimal === undefined ? String(value) : show(decimal);
}

/** Parts one after the other; a part begins a line of its own where it would not fit behind the others. */
function lines(parts: readonly Cell[], columns: number, { paint, isUnicode }: ChartStyle): readonly string[] {
  const separator = isUnicode ? " · " : ", ";
  const drawn: string[] = [];
  let used = 0;
  for (const { text, tone } of parts) {
    for (const [index, words] of wrapWords(text, columns).entries()) {
      const fitting = cutText(words, columns, isUnicode ? "…" : "...");
      const width = textWidth(fitting);
      const fits = index === 0 && used > 0 && used + separator.length + width <= columns;
      const before = fits ? `${drawn.pop() ?? ""}${separator}` : "";
      drawn.push(before + paint(fitting, tone));
      used = fits ? used + separator.length + width : width;
    }
  }
  return drawn;
}
