import {
  type CandleColumn,
  type CandleColumns,
  type Candles,
  createPriceAxis,
  type PriceAxis,
  timeAxis,
} from "./candle-columns.ts";
import { showVolume, chartHeading, type ChartSubject } from "./draw-chart.ts";

/** In pixels. All characters of the font have the same width. */
const [width, character, line, margin, priceHeight, volumeHeight, gap] = [960, 7.3, 18, 16, 300, 60, 14];
const maxColumns = 240;
const widestBody = 14;

/** The colors are those of the reader's system: light or dark. */
const style = `
svg{--back:#fff;--text:#1f2328;--grid:#d8dee4;--up:#1a7f37;--down:#cf222e;--flat:#6e7781}
@media (prefers-color-scheme:dark){svg{--back:#0d1117;--text:#e6edf3;--grid:#30363d;--up:#3fb950;--down:#f85149;--flat:#8b949e}}
.back{fill:var(--back)} text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--text);white-space:pre}
.name{font-weight:bold} .end{text-anchor:end} .mid{text-anchor:middle} path{fill:none;stroke-width:1}
.grid{stroke:var(--grid)} .up{stroke:var(--up);fill:var(--up)} .down{stroke:var(--down);fill:var(--down)}
.flat{stroke:var(--flat);fill:var(--flat)} .volume{fill:var(--flat);opacity:.6}
`;

/** Draws the candles as an SVG image with a title, axes and volumes. Names come from the service, so text is escaped. */
export function drawSvgChart(subject: ChartSubject, candles: Candles): string {
  const whole = candles.whole();
  const plain = { isUnicode: true, isColored: true, paint: (text: string): string => text };
  const axis = whole === undefined ? undefined : createPriceAxis(whole, true);
  const right = width - margin - Math.ceil(Math.max(axis?.width ?? 0, 5) * character) - 8;
  const merged = candles.merged(Math.min(maxColumns, Math.floor((right - margin) / 3)));
  const room = Math.floor((width - 2 * margin) / character);
  const heading = chartHeading(subject, whole, merged, room, plain);
  const titles = heading.map((text, index) =>
    textAt(margin, margin + line * (index + 0.7), text, index === 0 ? "name" : ""),
  );
  const top = margin + line * heading.length + gap;
  const bottom = top + priceHeight + gap + volumeHeight;
  const height = bottom + line + margin;
  const plot = { merged, right, top, bottom, pitch: (right - margin) / merged.columns.length };
  const drawn =
    axis === undefined ? [] : [...priceAxis(plot, axis), ...drawColumns(plot, axis), ...timeLabels(plot)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(heading.join(", "))}</title>`,
    `<style>${style}</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    ...titles,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

interface Plot {
  readonly merged: CandleColumns;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Pixels per candle. */
  readonly pitch: number;
}

/** To a tenth of a pixel. */
function heightOf({ top }: Plot, axis: PriceAxis, price: number): number {
  return top + priceHeight - axis.halfRow(price, priceHeight * 5) / 10;
}

function priceAxis(plot: Plot, axis: PriceAxis): readonly string[] {
  const ticks = axis.ticks(6).map((tick) => [heightOf(plot, axis, Number(tick)), axis.label(tick)] as const);
  const lines = ticks.map(([y]) => `M${margin} ${y}H${plot.right}`);
  return [pathOf("grid", lines), ...ticks.map(([y, label]) => textAt(width - margin, y + 4, label, "end"))];
}

function drawColumns(plot: Plot, axis: PriceAxis): readonly string[] {
  const { pitch, bottom } = plot;
  const body = Math.max(1, Math.min(widestBody, pitch * 0.7));
  const largest = Math.max(...plot.merged.columns.map((column) => column?.volume ?? 0));
  const paths: Record<Tone | "volume", string[]> = { up: [], down: [], flat: [], volume: [] };
  for (const [index, column] of plot.merged.columns.entries()) {
    if (column === undefined) continue;
    const middle = margin + (index + 0.5) * pitch;
    const [open = 0, high = 0, low = 0, close = 0] = [column.open, column.high, column.low, column.close].map(
      (price) => heightOf(plot, axis, price),
    );
    const upper = Math.min(open, close);
    const bar = rectangle(middle - body / 2, upper, body, Math.max(0.5, Math.abs(close - open)));
    paths[toneOf(column)].push(`M${round(middle)} ${high}V${low}${bar}`);
    const share = largest > 0 ? (column.volume / largest) * volumeHeight : 0;
    if (share > 0) paths.volume.push(rectangle(middle - body / 2, bottom - share, body, share));
  }
  return [
    ...Object.entries(paths).map(([name, parts]) => pathOf(name, parts)),
    textAt(width - margin, bottom - volumeHeight + 8, showVolume(largest), "end"),
    textAt(width - margin, bottom - volumeHeight + 8 + line, "USD", "end"),
  ];
}

function timeLabels(plot: Plot): readonly string[] {
  const { merged, right, bottom, pitch } = plot;
  const { marked } = timeAxis(merged, pitch / character, (right - margin) / character);
  const ticks = [...marked].map(([index, text]) => ({ x: round(margin + (index + 0.5) * pitch), text }));
  return [
    pathOf("grid", [`M${margin} ${bottom}H${right}`, ...ticks.map(({ x }) => `M${x} ${bottom}v4`)]),
    ...ticks.map(({ x, text }) => textAt(x, bottom + line, text, "mid")),
  ];
}

type Tone = "up" | "down" | "flat";

function toneOf({ open, close, isFilled }: CandleColumn): Tone {
  if (isFilled || close === open) return "flat";
  return close > open ? "up" : "down";
}

const round = (value: number): number => Math.round(value * 10) / 10;

function rectangle(x: number, y: number, across: number, down: number): string {
  return `M${round(x)} ${round(y)}h${round(across)}v${round(down)}h${round(-across)}z`;
}

const pathOf = (name: string, parts: readonly string[]): string =>
  `<path class="${name}" d="${parts.join("")}"/>`;

function textAt(x: number, y: number, text: string, name: string): string {
  return `<text class="${name}" x="${round(x)}" y="${round(y)}">${escapeXml(text)}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
