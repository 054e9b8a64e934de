import CliTable from "cli-table3";
import type { Paint } from "../painter.ts";
import type { Cell } from "../values/cell.ts";
import { isPlain, textWidth } from "../values/width.ts";
import {
  between,
  type DrawnColumn,
  type DrawRows,
  fitRows,
  withoutTrailingBlanks,
  writeLines,
} from "./table-lines.ts";

/**
 * cli-table3 measures each cell eight times, which takes 0.2 ms per row and more than linear time per table. It draws
 * only the first rows; later ones have the same widths and are drawn without it.
 */
const [libraryRows, chunkRows] = [100, 32];

export const drawRows: DrawRows = (columns, rows, paint, hasHeader) => {
  const fitted = fitRows(columns, rows, hasHeader);
  const byLibrary = hasHeader ? fitted.slice(0, libraryRows + 1) : [];
  let lines = "";
  for (let at = 0; at < byLibrary.length; at += chunkRows)
    lines += drawWithLibrary(columns, byLibrary.slice(at, at + chunkRows), paint);
  return lines + writeLines(columns, fitted.slice(byLibrary.length), paint);
};

/** A color that does not exist. cli-table3 counts it as zero columns. */
const mark = "\u001B[1000m";

function drawWithLibrary(
  columns: readonly DrawnColumn[],
  rows: readonly (readonly Cell[])[],
  paint: Paint,
): string {
  // The library measures code points, so a placeholder of the right width replaces each text it would get wrong.
  const hidden: string[] = [];
  const drawCell = ({ text, tone }: Cell): string => {
    const painted = paint(text, tone);
    if (isPlain(text)) return painted;
    hidden.push(painted);
    return mark + "x".repeat(textWidth(text)) + mark;
  };
  const last = columns.length - 1;
  const table = new CliTable({
    // The last column may be wider than planned, because nothing follows it.
    colWidths: columns.map(({ width }, index) =>
      index === last ? Math.max(width, ...rows.map((row) => textWidth(row[index]?.text ?? ""))) : width,
    ),
    colAligns: columns.map(({ isRight }) => (isRight ? "right" : "left")),
    chars: { ...Object.fromEntries(borders.map((name) => [name, ""])), middle: between },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.map((row) => row.map(drawCell)));
  const pieces = table.toString().split(mark);
  return pieces
    .map((piece, index) => (index % 2 === 0 ? piece : (hidden[(index - 1) / 2] ?? "")))
    .join("")
    .split("\n")
    .map((line) => `${withoutTrailingBlanks(line)}\n`)
    .join("");
}

/** cli-table3 omits the borders if there are no lines between its rows, and ignores unknown combinations. */
const borders = ["top", "mid", "bottom", "left", "right"].flatMap((side) =>
  ["", "-left", "-mid", "-right"].map((corner) => side + corner),
);
