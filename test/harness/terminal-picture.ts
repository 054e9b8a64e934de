import { textWidth } from "../../src/render/values/width.ts";

/** Options of a terminal screen as an SVG that is the same on every machine. */
export interface PictureOptions {
  /** The command as typed. */
  readonly command: string;
  /** Its output, with colors. */
  readonly text: string;
  readonly columns: number;
}

const CELL = { width: 8.4, height: 16 };
const MARGIN = 16;
const COLORS: Readonly<Record<string, string>> = {
  "31": "#f47067",
  "32": "#57c76d",
  "33": "#d9a93b",
  "34": "#6cb6ff",
  "35": "#dcbdfb",
  "36": "#56d4dd",
  "90": "#7d8590",
};
const [BACKGROUND, FOREGROUND] = ["#161b22", "#dde3ea"];

interface Style {
  readonly color: string;
  readonly isBold: boolean;
  readonly isFaint: boolean;
}

const plain: Style = { color: FOREGROUND, isBold: false, isFaint: false };

/** Renders each word at its column in the terminal, for any font. */
export function terminalPicture({ command, text, columns }: PictureOptions): string {
  const lines = [`\u001b[90m$\u001b[39m dexdata ${command}`, ...text.trimEnd().split("\n")];
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  const body = lines.map((line, row) => drawLine(line, MARGIN + (row + 0.75) * CELL.height));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" xml:space="preserve">`,
    ...body.flat(),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function drawLine(line: string, y: number): readonly string[] {
  const drawn: string[] = [];
  let style = plain;
  let column = 0;
  // oxlint-disable-next-line no-control-regex -- the colors are read here
  for (const piece of line.split(/(\u001b\[[\d;]*m)/u)) {
    // oxlint-disable-next-line no-control-regex
    const codes = /^\u001b\[([\d;]*)m$/u.exec(piece)?.[1];
    if (codes !== undefined) {
      style = codes.split(";").reduce(changed, style);
      continue;
    }
    for (const run of piece.split(/(^ +| {2,})/u)) {
      if (run.trim() !== "") drawn.push(drawRun(run, MARGIN + column * CELL.width, y, style));
      column += textWidth(run);
    }
  }
  return drawn;
}

function drawRun(run: string, x: number, y: number, { color, isBold, isFaint }: Style): string {
  const length = (textWidth(run) * CELL.width).toFixed(1);
  const weight = isBold ? ' font-weight="bold"' : "";
  const opacity = isFaint ? ' opacity="0.6"' : "";
  const escaped = run.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<text x="${x.toFixed(1)}" y="${y}" textLength="${length}" fill="${color}"${weight}${opacity}>${escaped}</text>`;
}

function changed(style: Style, code: string): Style {
  if (code === "0" || code === "") return plain;
  if (code === "1") return { ...style, isBold: true };
  if (code === "2") return { ...style, isFaint: true };
  if (code === "22") return { ...style, isBold: false, isFaint: false };
  return { ...style, color: COLORS[code] ?? FOREGROUND };
}
