import { wrapWords } from "../../../base/text/wrap-words.ts";
import type { Paint } from "../painter.ts";
import { type Cell, type CellStyle, plain, showCell } from "../values/cell.ts";
import { percentBetween } from "../values/decimal.ts";
import { cutText, ellipsis, separator, textWidth } from "../values/width.ts";
import type { CandleColumn, CandleColumns } from "./candle-columns.ts";

export interface ChartStyle {
  readonly isUnicode: boolean;
  readonly isColored: boolean;
  readonly paint: Paint;
}

/** All strings are safe to print. */
export interface ChartSubject {
  /** `ethereum:0xc02a…` */
  readonly name: string;
  /** `15m` */
  readonly interval: string;
  /** Seconds. */
  readonly unit: number;
  readonly quote: string;
  /** `2026-11-21 08:00 to 2026-11-21 12:00 UTC` */
  readonly window: string;
}

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
    `${interval} candles${count > 1 ? `, ${count > 60 ? lengthOf(span) : count} per column` : ""}`,
    quote,
    window,
    ...(whole === undefined ? ["no trades"] : []),
    ...(whole?.isPartial === true ? ["* partial"] : isCut ? ["* cut off by time range"] : []),
    ...(whole === undefined || (isColored && isUnicode) ? [] : [isUnicode ? "║ up ┃ down" : "O up # down"]),
  ];
  const title: readonly Cell[] = [{ text: name, tone: "heading" }, ...subject.map(plain)];
  return [
    ...lines(title, columns, style),
    ...(whole === undefined ? [] : lines(readings(whole, isUnicode), columns, style)),
  ];
}

/** Returns a duration such as `3d`, which is clearer than a number of candles. */
function lengthOf(span: number): string {
  const [unit, name] = span % 86_400 === 0 ? [86_400, "d"] : span % 3600 === 0 ? [3600, "h"] : [60, "m"];
  return `${span / unit}${name}`;
}

function readings({ open, close, high, low, volume }: CandleColumn, isUnicode: boolean): readonly Cell[] {
  const style: CellStyle = {
    now: 0,
    hasAges: false,
    isUnicode,
    countsZeros: isUnicode,
    isRoomy: false,
    findAsset: undefined,
  };
  const price = (value: number): string => showCell(value, "price", style).text;
  const change = percentBetween(open, close);
  return [
    { text: `last ${price(close)}`, tone: "heading" },
    ...(change === "" ? [] : [showCell(change, "change", style)]),
    plain(`high ${price(high)}`),
    plain(`low ${price(low)}`),
    plain(`volume ${showCell(volume, "amount", style).text} USD`),
  ];
}

/** A part that does not fit on the current line starts a new one. */
function lines(parts: readonly Cell[], columns: number, { paint, isUnicode }: ChartStyle): readonly string[] {
  const between = separator(isUnicode);
  const drawn: string[] = [];
  let used = 0;
  for (const { text, tone } of parts) {
    for (const [index, words] of wrapWords(text, columns, textWidth).entries()) {
      const fitting = cutText(words, columns, ellipsis(isUnicode));
      const width = textWidth(fitting);
      const fits = index === 0 && used > 0 && used + between.length + width <= columns;
      const before = fits ? `${drawn.pop() ?? ""}${between}` : "";
      drawn.push(before + paint(fitting, tone));
      used = fits ? used + between.length + width : width;
    }
  }
  return drawn;
}
