import { blank, type Cell } from "../values/cell.ts";
import { readDecimal, roundSignificant } from "../values/decimal.ts";
import { showAmount } from "../values/numbers.ts";
import type { Paint } from "../painter.ts";
import { barCells, candleCells, candleTone, type ChartStyle } from "./candle-cells.ts";
import type { CandleColumn, CandleColumns, Candles } from "./candle-columns.ts";
import { chartHeading, type ChartSubject } from "./chart-heading.ts";
import { createPriceAxis, type PriceAxis } from "./price-axis.ts";
import { timeAxis } from "./time-axis.ts";

export interface ChartSize {
  readonly columns: number;
  /** Lines of the whole picture. */
  readonly rows: number;
}

/** Fewer columns of candles say less than the labels that would stand beside them. */
const fewestColumns = 10;
const widestPitch = 3;

/** Candles, prices at their right, volume and time below them: lines of at most `columns`. */
export function drawChart(
  subject: ChartSubject,
  candles: Candles,
  { columns, rows }: ChartSize,
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
  // A few candles are no tower.
  const highest = Math.max(8, Math.ceil((merged.columns.length * pitch) / 2));
  const plot: Plot = { merged, pitch, labelWidth, style };
  return [
    ...heading,
    ...priceLines(plot, axis, whole, Math.min(left - volumeRows - gapRows, highest)),
    ...Array.from({ length: gapRows }, () =>
      drawLine(
        plot,
        merged.columns.map(() => undefined),
        "side",
        blank,
      ),
    ),
    ...volumeLines(plot, volumeRows),
    ...timeLines(plot, whole, columns),
  ];
}

interface Plot {
  readonly merged: CandleColumns;
  /** Columns of the terminal for each candle. */
  readonly pitch: number;
  /** Columns of the labels at the right; 0 where there is no room for them. */
  readonly labelWidth: number;
  readonly style: ChartStyle;
}

function priceLines(plot: Plot, axis: PriceAxis, whole: CandleColumn, rows: number): readonly string[] {
  const { merged, style } = plot;
  const drawn = merged.columns.map((column) => column && candleCells(column, axis, rows, style));
  const rowOf = (price: number): number => rows - 1 - Math.floor(axis.halfRow(price, rows) / 2);
  const ticks = axis.ticks(Math.max(2, Math.round(rows / 2.5)));
  const labels = new Map(ticks.map((tick) => [rowOf(Number(tick)), axis.label(tick)]));
  const last = rowOf(whole.close);
  return Array.from({ length: rows }, (_, row) => {
    const cells = drawn.map((column) => column?.[row]);
    if (row === last)
      return drawLine(plot, cells, "last", { text: axis.label(whole.close), tone: candleTone(whole) });
    const text = labels.get(row);
    return drawLine(plot, cells, text === undefined ? "side" : "tick", { text: text ?? "", tone: "plain" });
  });
}

/** The scale is that of the largest bar, and begins at nothing. */
function volumeLines(plot: Plot, rows: number): readonly string[] {
  const { columns } = plot.merged;
  const largest = Math.max(...columns.map((column) => column?.volume ?? 0));
  const drawn = columns.map(
    (column) => column && barCells(largest > 0 ? column.volume / largest : 0, rows, plot.style.isUnicode),
  );
  return Array.from({ length: rows }, (_, row) => {
    const cells = drawn.map((column) => column?.[row]);
    const text = row === 0 ? showVolume(largest) : row === 1 ? "USD" : "";
    return drawLine(plot, cells, row === 0 ? "tick" : "side", { text, tone: "faint" });
  });
}

export function showVolume(volume: number): string {
  const decimal = readDecimal(volume);
  return decimal === undefined ? "" : showAmount(roundSignificant(decimal, 3));
}

/** A candle that is not whole has a mark below it. */
function timeLines(plot: Plot, whole: CandleColumn, columns: number): readonly string[] {
  const { merged, pitch, style } = plot;
  const { isUnicode, paint } = style;
  const { start, span, isCut } = merged;
  const count = merged.columns.length;
  const { marked, labels } = timeAxis({ start, span, count, pitch }, columns);
  const [line, tick, corner] = isUnicode ? ["─", "┬", "┘"] : ["-", "+", "+"];
  const ruler = merged.columns.map((_, index) => {
    const isMarked = index === count - 1 && (isCut || whole.isPartial);
    return (isMarked ? "*" : marked.has(index) ? tick : line) + line.repeat(pitch - 1);
  });
  return [paint(ruler.join("") + corner, "faint"), labels];
}

const sides = { side: ["│", "|"], tick: ["┤", "+"], last: ["◂", "<"] } as const;

function drawLine(
  { pitch, labelWidth, style: { paint, isUnicode } }: Plot,
  cells: readonly (Cell | undefined)[],
  side: keyof typeof sides,
  label: Cell,
): string {
  const mark = sides[labelWidth === 0 && side === "tick" ? "side" : side][isUnicode ? 0 : 1];
  const axis = paint(mark, side === "last" ? label.tone : "faint");
  if (labelWidth === 0 || label.text === "") return paintCells(cells, pitch, paint) + axis;
  return `${paintCells(cells, pitch, paint)}${axis} ${paint(label.text.padStart(labelWidth), label.tone)}`;
}

/** Neighbours of one tone get their colour together. */
function paintCells(cells: readonly (Cell | undefined)[], pitch: number, paint: Paint): string {
  let painted = "";
  let run: Cell = { text: "", tone: "plain" };
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
