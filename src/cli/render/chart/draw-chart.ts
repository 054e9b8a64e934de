import { blank, type Cell, type Tone, plainStyle, plain, showCell } from "../values/cell.ts";
import { readDecimal, roundSignificant, showAmount, percentBetween } from "../values/decimal.ts";
import type { Paint } from "../terminal.ts";
import {
  type CandleColumn,
  type CandleColumns,
  type Candles,
  createPriceAxis,
  type PriceAxis,
  timeAxis,
} from "./candle-columns.ts";
import { wrapWords } from "../../../base/text/words.ts";
import { cutText, ellipsis, separator, textWidth } from "../values/width.ts";

/** With fewer candle columns, the labels are hidden. */
const fewestColumns = 10;
const widestPitch = 3;

/** Draws candles with prices on the right, and volume and time below. */
export function drawChart(
  subject: ChartSubject,
  candles: Candles,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  style: ChartStyle,
): readonly string[] {
  const whole = candles.whole();
  if (whole === undefined) return chartHeading(subject, undefined, candles.merged(columns), columns, style);
  const axis = createPriceAxis(whole, style.isUnicode);
  const widestLabel = Math.max(axis.width, 5, showVolume(whole.volume).length);
  const labelWidth = columns - widestLabel - 2 < fewestColumns ? 0 : widestLabel;
  const most = columns - (labelWidth === 0 ? 1 : labelWidth + 2);
  const merged = candles.merged(most);
  const heading = chartHeading(subject, whole, merged, columns, style).slice(0, Math.ceil(rows / 2));
  const pitch = Math.max(1, Math.min(widestPitch, Math.floor(most / merged.columns.length)));
  const left = Math.max(5, rows - heading.length - 2);
  const volumeRows = Math.max(1, Math.min(6, Math.round(left / 6)));
  const gapRows = left < 12 ? 0 : 1;
  // A few candles should not look like a tower.
  const highest = Math.max(8, Math.ceil((merged.columns.length * pitch) / 2));
  const plot: Plot = { merged, pitch, labelWidth, style };
  return [
    ...heading,
    ...priceLines(plot, axis, whole, Math.min(left - volumeRows - gapRows, highest)),
    ...drawPanel(
      plot,
      gapRows,
      () => [],
      () => ["side", blank],
    ),
    ...volumeLines(plot, volumeRows),
    ...timeLines(plot, whole, columns),
  ];
}

interface Plot {
  readonly merged: CandleColumns;
  /** Terminal columns per candle. */
  readonly pitch: number;
  /** 0 if there is no room for labels. */
  readonly labelWidth: number;
  readonly style: ChartStyle;
}

function priceLines(plot: Plot, axis: PriceAxis, whole: CandleColumn, rows: number): readonly string[] {
  const rowOf = (price: number): number => rows - 1 - Math.floor(axis.halfRow(price, rows) / 2);
  const ticks = axis.ticks(Math.max(2, Math.round(rows / 2.5)));
  const labels = new Map(ticks.map((tick) => [rowOf(Number(tick)), axis.label(tick)]));
  const last = rowOf(whole.close);
  const cellsOf = (candle: CandleColumn): readonly Cell[] => candleCells(candle, axis, rows, plot.style);
  return drawPanel(plot, rows, cellsOf, (row) => {
    if (row === last) return ["last", { text: axis.label(whole.close), tone: candleTone(whole) }];
    const text = labels.get(row);
    return [text === undefined ? "side" : "tick", { text: text ?? "", tone: "plain" }];
  });
}

function volumeLines(plot: Plot, rows: number): readonly string[] {
  const largest = Math.max(...plot.merged.columns.map((column) => column?.volume ?? 0));
  const cellsOf = ({ volume }: CandleColumn): readonly Cell[] =>
    barCells(largest > 0 ? volume / largest : 0, rows, plot.style.isUnicode);
  return drawPanel(plot, rows, cellsOf, (row) => {
    const text = row === 0 ? showVolume(largest) : row === 1 ? "USD" : "";
    return [row === 0 ? "tick" : "side", { text, tone: "faint" }];
  });
}

export function showVolume(volume: number): string {
  const decimal = readDecimal(volume);
  return decimal === undefined ? "" : showAmount(roundSignificant(decimal, 3));
}

/** Marks an incomplete last candle with `*`. */
function timeLines(plot: Plot, whole: CandleColumn, columns: number): readonly string[] {
  const { merged, pitch, style } = plot;
  const { isUnicode, paint } = style;
  const { marked, labels } = timeAxis(merged, pitch, columns);
  const [line, tick, corner] = isUnicode ? ["─", "┬", "┘"] : ["-", "+", "+"];
  const ruler = merged.columns.map((_, index) => {
    const isMarked = index === merged.columns.length - 1 && (merged.isCut || whole.isPartial);
    return (isMarked ? "*" : marked.has(index) ? tick : line) + line.repeat(pitch - 1);
  });
  return [paint(ruler.join("") + corner, "faint"), labels];
}

const sides = { side: ["│", "|"], tick: ["┤", "+"], last: ["◂", "<"] } as const;

function drawPanel(
  { merged, pitch, labelWidth, style: { paint, isUnicode } }: Plot,
  rows: number,
  cellsOf: (candle: CandleColumn) => readonly Cell[],
  labelOf: (row: number) => readonly [side: keyof typeof sides, label: Cell],
): readonly string[] {
  const drawn = merged.columns.map((column) => column && cellsOf(column));
  return Array.from({ length: rows }, (_, row) => {
    const cells = drawn.map((column) => column?.[row]);
    const [side, label] = labelOf(row);
    const mark = sides[labelWidth === 0 && side === "tick" ? "side" : side][isUnicode ? 0 : 1];
    const line = paintCells(cells, pitch, paint) + paint(mark, side === "last" ? label.tone : "faint");
    if (labelWidth === 0 || label.text === "") return line;
    return `${line} ${paint(label.text.padStart(labelWidth), label.tone)}`;
  });
}

function paintCells(cells: readonly (Cell | undefined)[], pitch: number, paint: Paint): string {
  let painted = "";
  let run = blank;
  for (const cell of cells) {
    const text = (cell?.text ?? " ").padEnd(pitch);
    const isBlank = cell === undefined || cell.text === " ";
    if (!isBlank && cell.tone !== run.tone) {
      painted += paint(run.text, run.tone);
      run = { text, tone: cell.tone };
    } else run = { text: run.text + text, tone: run.tone };
  }
  return painted + paint(run.text, run.tone);
}

/**
 * Each half of a cell is empty (0) or shows a wick (1) or a body (2). The index is three times the lower half plus the
 * upper half.
 */
const shapes = {
  unicode: { filled: " ╵╹╷│╿╻╽┃", hollow: " ╵║╷│║║║║", level: " ╵┼╷│┼┼┼┼", gap: "╌" },
  ascii: { filled: " |#||####", hollow: " |O||OOOO", level: " |+||++++", gap: "-" },
} as const;

function candleTone({ open, close }: CandleColumn): Tone {
  return close > open ? "up" : close < open ? "down" : "plain";
}

/** Ordered from top to bottom. Without color, a rising candle is hollow. */
function candleCells(
  candle: CandleColumn,
  axis: PriceAxis,
  rows: number,
  { isUnicode, isColored }: ChartStyle,
): readonly Cell[] {
  const { open, high, low, close, isFilled } = candle;
  const prices = [high, Math.max(open, close), Math.min(open, close), low];
  const [highest = 0, top = 0, bottom = 0, lowest = 0] = prices.map((price) => axis.halfRow(price, rows));
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

/** Ordered from top to bottom. A volume above zero is always visible. */
function barCells(share: number, rows: number, isUnicode: boolean): readonly Cell[] {
  const levels = isUnicode ? " ▁▂▃▄▅▆▇█" : " .:#";
  const most = levels.length - 1;
  const height = share > 0 ? Math.max(1, Math.round(share * rows * most)) : 0;
  return Array.from({ length: rows }, (_, row) => {
    const level = Math.max(0, Math.min(most, height - (rows - 1 - row) * most));
    return { text: levels.charAt(level), tone: "faint" };
  });
}

interface ChartStyle {
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
  const style = { ...plainStyle, isUnicode, countsZeros: isUnicode };
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
