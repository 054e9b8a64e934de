import CliTable from "cli-table3";
import type { Paint } from "../painter.ts";
import type { Cell } from "../values/cell.ts";
import { isPlain, textWidth } from "../values/width.ts";
import {
  between,
  type DrawnColumn,
  fitRow,
  type TableRow,
  titlesOf,
  withoutTrailingBlanks,
  writeLines,
} from "./table-lines.ts";

/**
 * cli-table3 measures each cell eight times, so it takes 0.2 ms for a row, and more than linear time in the rows of one
 * table: it draws what a person reads at one look, and what follows goes straight to lines of the same widths.
 */
const [libraryRows, chunkRows] = [100, 32];

/** Rows as lines, the titles before them where they are wanted. */
export function drawRows(
  columns: readonly DrawnColumn[],
  rows: readonly TableRow[],
  paint: Paint,
  hasHeader: boolean,
): string {
  const fitted = rows.map((row) => fitRow(columns, row));
  if (!hasHeader) return writeLines(columns, fitted, paint);
  const titles = titlesOf(columns);
  const drawn = [titles, ...fitted.slice(0, libraryRows)];
  let lines = "";
  for (let at = 0; at < drawn.length; at += chunkRows)
    lines += drawWithLibrary(columns, drawn.slice(at, at + chunkRows), paint);
  return lines + writeLines(columns, fitted.slice(libraryRows), paint);
}

/** Measured as nothing: a color that does not exist. */
const mark = "\u001B[1000m";

function drawWithLibrary(
  columns: readonly DrawnColumn[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  // The library counts single code points: what it would measure differently is drawn as a text of the same width.
  const hidden: { readonly painted: string; readonly width: number }[] = [];
  const drawCell = ({ text, tone }: Cell): string => {
    const painted = paint(text, tone);
    if (isPlain(text)) return painted;
    const width = textWidth(text);
    hidden.push({ painted, width });
    return mark + "x".repeat(width);
  };
  const last = columns.length - 1;
  const table = new CliTable({
    // Nothing stands after the last column, so its words may be longer than it.
    colWidths: columns.map(({ width }, index) =>
      index === last ? Math.max(width, ...rows.map((row) => textWidth(row[index]?.text ?? ""))) : width,
    ),
    colAligns: columns.map(({ isRight }) => (isRight ? "right" : "left")),
    chars: BORDERLESS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.map((row) => row.map(drawCell)));
  const [begin = "", ...others] = table.toString().split(mark);
  const shown = others.map((text, index) => {
    const { painted = "", width = 0 } = hidden[index] ?? {};
    return painted + text.slice(width);
  });
  return (begin + shown.join(""))
    .split("\n")
    .map((line) => `${withoutTrailingBlanks(line)}\n`)
    .join("");
}

/** Without lines between its rows cli-table3 leaves them out altogether. */
const BORDERLESS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: between,
};
