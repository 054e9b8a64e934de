import type { Cell } from "../values/cell.ts";
import { visibleText } from "../sanitise.ts";
import { cutText, textWidth } from "../values/width.ts";
import { assetLabel } from "../values/asset-label.ts";
import type { AssetRow } from "./asset-row.ts";
import type { BoardOptions } from "./board-options.ts";
import { type BoardWidths, fitBoard, gap } from "./fit-board.ts";
import { shownOf } from "./readings.ts";
import { sparkline } from "../values/sparkline.ts";

/** What a table is drawn from. */
export interface Drawing extends Pick<BoardOptions, "isUnicode" | "paint" | "feed"> {
  readonly assets: readonly string[];
  readonly rows: readonly AssetRow[];
}

export function drawTable(
  drawing: Drawing,
  count: number,
  columns: number,
  elapsed: number,
): { readonly heads: string; readonly rows: readonly string[] } {
  const { assets, isUnicode, feed, paint } = drawing;
  const titles = shownOf[feed].map(({ title }) => title);
  const heads = [...titles, "CHANGE", "/MIN"];
  const lines = drawing.rows.slice(0, count).map((row, index) => ({
    asset: assets[index] ?? "",
    row,
    cells: [...row.values(), row.change(), row.updates(elapsed)],
  }));
  const widths = heads.map((head, index) =>
    Math.max(head.length, ...lines.map(({ cells }) => textWidth(cells[index]?.text ?? ""))),
  );
  const needed = {
    asset: Math.max(5, ...lines.map(({ asset }) => textWidth(visibleText(asset)))),
    values: widths.slice(0, titles.length),
    change: widths.at(-2) ?? 0,
    updates: widths.at(-1) ?? 0,
  };
  const fitted = fitBoard(needed, columns);
  const draw = (label: string, cells: readonly Cell[], course: string): string =>
    drawRow(drawing, fitted, columns, label, cells, course);
  return {
    heads: draw(
      paint("ASSET".padEnd(fitted.asset).slice(0, fitted.asset), "heading"),
      heads.map((text) => ({ text, tone: "heading" as const })),
      paint("TREND", "heading"),
    ),
    rows: lines.map(({ asset, row, cells }) => {
      const label = assetLabel(asset, fitted.asset, isUnicode);
      const padding = " ".repeat(Math.max(0, fitted.asset - textWidth(label)));
      const course = fitted.course > 0 ? row.course(fitted.course, elapsed) : [];
      return draw(label + padding, cells, sparkline(course, isUnicode));
    }),
  };
}

function drawRow(
  { paint, isUnicode }: Drawing,
  widths: BoardWidths,
  columns: number,
  label: string,
  cells: readonly Cell[],
  course: string,
): string {
  const columnWidths = [...widths.values, widths.change, widths.updates];
  let room = columns - widths.asset;
  const drawn = columnWidths.map((width, index) => {
    const { text, tone } = cells[index] ?? { text: "", tone: "plain" };
    if (width === 0 || room <= gap) return "";
    const fitting = Math.min(width, room - gap);
    const kept = cutText(text, fitting, isUnicode ? "…" : "...");
    room -= fitting + gap;
    return " ".repeat(gap + fitting - textWidth(kept)) + paint(kept, tone);
  });
  const end = widths.course > 0 ? " ".repeat(gap) + course : "";
  return (label + drawn.join("") + end).trimEnd();
}
