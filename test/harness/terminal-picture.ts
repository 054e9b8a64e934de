import { textWidth } from "../../src/cli/render/values/width.ts";

/** Options of a terminal screen as an SVG that is the same on every machine. */
export interface PictureOptions {
  /** The command as typed. */
  readonly command: string;
  /** Its output, with colors. */
  readonly text: string;
  readonly columns: number;
  /** Dark by default. */
  readonly palette?: Palette;
}

const CELL = { width: 8.4, height: 16 };
const MARGIN = 16;
interface Palette {
  readonly background: string;
  readonly foreground: string;
  /** By the number of the escape sequence. */
  readonly colors: Readonly<Record<string, string>>;
}

export const palettes: Readonly<Record<"dark" | "light", Palette>> = {
  dark: {
    background: "#161b22",
    foreground: "#dde3ea",
    colors: {
      "31": "#f47067",
      "32": "#57c76d",
      "33": "#d9a93b",
      "34": "#6cb6ff",
      "35": "#dcbdfb",
      "36": "#56d4dd",
      "90": "#7d8590",
    },
  },
  light: {
    background: "#ffffff",
    foreground: "#1f2328",
    colors: {
      "31": "#cf222e",
      "32": "#116329",
      "33": "#7d4e00",
      "34": "#0969da",
      "35": "#8250df",
      "36": "#1b7c83",
      "90": "#59636e",
    },
  },
};

interface Style {
  /** Undefined for the foreground. */
  readonly color: string | undefined;
  readonly isInverse: boolean;
  readonly isBold: boolean;
  readonly isFaint: boolean;
}

const plain: Style = { color: undefined, isInverse: false, isBold: false, isFaint: false };

/** Renders each word at its column in the terminal, for any font. */
export function terminalPicture({ command, text, columns, palette = palettes.dark }: PictureOptions): string {
  const lines = [`\u001b[90m$\u001b[39m dexdata ${command}`, ...text.trimEnd().split("\n")];
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  const body = lines.map((line, row) => drawLine(line, MARGIN + (row + 0.75) * CELL.height, palette));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="${palette.background}"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" xml:space="preserve">`,
    ...body.flat(),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function drawLine(line: string, y: number, palette: Palette): readonly string[] {
  const drawn: string[] = [];
  let style = plain;
  let column = 0;
  // oxlint-disable-next-line no-control-regex -- the colors are read here
  for (const piece of line.split(/(\u001b\[[\d;]*m)/u)) {
    // oxlint-disable-next-line no-control-regex
    const codes = /^\u001b\[([\d;]*)m$/u.exec(piece)?.[1];
    if (codes !== undefined) {
      style = codes.split(";").reduce((before, code) => changed(before, code, palette), style);
      continue;
    }
    for (const run of piece.split(/(^ +| {2,})/u)) {
      if (run.trim() !== "") drawn.push(drawRun(run, [MARGIN + column * CELL.width, y], style, palette));
      column += textWidth(run);
    }
  }
  return drawn;
}

function drawRun(
  run: string,
  [x, y]: readonly [number, number],
  { color, isInverse, isBold, isFaint }: Style,
  { background, foreground }: Palette,
): string {
  const length = (textWidth(run) * CELL.width).toFixed(1);
  const weight = isBold ? ' font-weight="bold"' : "";
  const opacity = isFaint ? ' opacity="0.6"' : "";
  const escaped = run.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const ink = color ?? foreground;
  const behind = `<rect x="${x.toFixed(1)}" y="${y - CELL.height * 0.75}" width="${length}" height="${CELL.height}" fill="${ink}"/>`;
  const text = `<text x="${x.toFixed(1)}" y="${y}" textLength="${length}" fill="${isInverse ? background : ink}"${weight}${opacity}>${escaped}</text>`;
  return isInverse ? behind + text : text;
}

function changed(style: Style, code: string, { colors }: Palette): Style {
  if (code === "0" || code === "") return plain;
  if (code === "1") return { ...style, isBold: true };
  if (code === "2") return { ...style, isFaint: true };
  if (code === "7" || code === "27") return { ...style, isInverse: code === "7" };
  if (code === "22") return { ...style, isBold: false, isFaint: false };
  return { ...style, color: colors[code] };
}
