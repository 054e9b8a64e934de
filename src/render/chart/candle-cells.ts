import type { Cell, Tone } from "../values/cell.ts";
import type { Paint } from "../painter.ts";
import type { CandleColumn } from "./candle-columns.ts";
import type { PriceAxis } from "./price-axis.ts";

/** What the halves of a cell hold, a wick 1 and a body 2: three times the lower plus the upper is the index. */
const shapes = {
  unicode: { filled: " ╵╹╷│╿╻╽┃", hollow: " ╵║╷│║║║║", level: " ╵┼╷│┼┼┼┼", gap: "╌" },
  ascii: { filled: " |#||####", hollow: " |O||OOOO", level: " |+||++++", gap: "-" },
} as const;

export interface ChartStyle {
  readonly isUnicode: boolean;
  readonly isColored: boolean;
  readonly paint: Paint;
}

export function candleTone({ open, close }: CandleColumn): Tone {
  return close > open ? "up" : close < open ? "down" : "plain";
}

/** The cells of one candle, from the highest row to the lowest. Without colour one that rose is hollow. */
export function candleCells(
  candle: CandleColumn,
  axis: PriceAxis,
  rows: number,
  { isUnicode, isColored }: ChartStyle,
): readonly Cell[] {
  const { open, high, low, close, isFilled } = candle;
  const [highest = 0, top = 0, bottom = 0, lowest = 0] = [
    high,
    Math.max(open, close),
    Math.min(open, close),
    low,
  ].map((price) => axis.halfRow(price, rows));
  const half = (index: number): number => {
    if (index > highest || index < lowest) return 0;
    return index > top || index < bottom ? 1 : 2;
  };
  const tone = candleTone(candle);
  const { filled, hollow, level, gap } = shapes[isUnicode ? "unicode" : "ascii"];
  const isHollow = tone === "up" && !(isColored && isUnicode);
  const shape = tone === "plain" ? level : isHollow ? hollow : filled;
  return Array.from({ length: rows }, (_, row) => {
    const lower = (rows - 1 - row) * 2;
    const held = half(lower) * 3 + half(lower + 1);
    return isFilled && held > 0 ? { text: gap, tone: "faint" } : { text: shape.charAt(held), tone };
  });
}

/** The cells of one bar, from the highest row to the lowest; what is not nothing is seen. */
export function barCells(share: number, rows: number, isUnicode: boolean): readonly Cell[] {
  const levels = isUnicode ? " ▁▂▃▄▅▆▇█" : " .:#";
  const most = levels.length - 1;
  const height = share > 0 ? Math.max(1, Math.round(share * rows * most)) : 0;
  return Array.from({ length: rows }, (_, row) => {
    const level = Math.max(0, Math.min(most, height - (rows - 1 - row) * most));
    return { text: levels.charAt(level), tone: "faint" };
  });
}
