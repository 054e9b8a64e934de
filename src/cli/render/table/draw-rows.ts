import CliTable from "cli-table3";
import { isPlain } from "../values/width.ts";
import { between, type DrawRows, withoutTrailingBlanks, writeLines } from "./table-section.ts";

/** cli-table3 measures each cell eight times, which takes 0.2 ms per row and more than linear time per table. */
const maxRows = 32;

/**
 * Draws only the first rows with cli-table3. Later ones have the same widths and are drawn without it, as is everything
 * from the first text on that is not plain, because cli-table3 measures code points.
 */
export const drawRows: DrawRows = (columns, rows, paint) => {
  const hard = rows.findIndex((row) => row.some(({ text }) => !isPlain(text)));
  const count = Math.min(maxRows, hard < 0 ? rows.length : hard);
  const table = new CliTable({
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ isRight }) => (isRight ? "right" : "left")),
    chars: { ...Object.fromEntries(borders.map((name) => [name, ""])), middle: between },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.slice(0, count).map((row) => row.map(({ text, tone }) => paint(text, tone))));
  const drawn = count === 0 ? [] : table.toString().split("\n");
  const lines = drawn.map((line) => `${withoutTrailingBlanks(line)}\n`).join("");
  return lines + writeLines(columns, rows.slice(count), paint);
};

/** cli-table3 omits the borders if there are no lines between its rows, and ignores unknown combinations. */
const borders = ["top", "mid", "bottom", "left", "right"].flatMap((side) =>
  ["", "-left", "-mid", "-right"].map((corner) => side + corner),
);
