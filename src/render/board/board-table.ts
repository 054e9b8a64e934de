import type { Cell } from "../values/cell.ts";
import { visibleText } from "../sanitize.ts";
import { assetLabel, cutText, ellipsis, padding, textWidth } from "../values/width.ts";
import { GAP } from "../table/fit-columns.ts";
import type { AssetRow } from "./asset-row.ts";
import type { BoardOptions } from "./board-lines.ts";
import { feeds } from "../../contract/feeds/all-feeds.ts";
import { sparkline } from "../values/sparkline.ts";

export function drawTable(
  { isUnicode, feed, paint }: Pick<BoardOptions, "isUnicode" | "paint" | "feed">,
  rows: readonly (readonly [asset: string, row: AssetRow])[],
  columns: number,
  elapsed: number,
) {
  const heads = [...feeds[feed].shown.map(({ title }) => title), "CHANGE", "/MIN"];
  const lines = rows.map(([asset, row]) => ({
    asset,
    row,
    cells: [...row.values(), row.change(), row.updates(elapsed)],
  }));
  const natural = heads.map((head, index) =>
    Math.max(head.length, ...lines.map(({ cells }) => textWidth(cells[index]?.text ?? ""))),
  );
  const widestAsset = Math.max(5, ...lines.map(({ asset }) => textWidth(visibleText(asset))));
  const { label, widths, trend } = fitBoard(widestAsset, natural, columns);
  const draw = (asset: string, cells: readonly Cell[], course: string): string => {
    let room = columns - label;
    const drawn = cells.map(({ text, tone }, index) => {
      const width = widths[index] ?? 0;
      if (width === 0 || room <= GAP) return "";
      const fitting = Math.min(width, room - GAP);
      const kept = cutText(text, fitting, ellipsis(isUnicode));
      room -= fitting + GAP;
      return " ".repeat(GAP) + padding(kept, fitting) + paint(kept, tone);
    });
    return (asset + drawn.join("") + (trend > 0 ? " ".repeat(GAP) + course : "")).trimEnd();
  };
  return {
    heads: draw(
      paint("ASSET".padEnd(label).slice(0, label), "heading"),
      heads.map((text) => ({ text, tone: "heading" })),
      paint("TREND", "heading"),
    ),
    rows: lines.map(({ asset, row, cells }) => {
      const text = assetLabel(asset, label, isUnicode);
      const course = trend > 0 ? row.course(trend, elapsed) : [];
      return draw(text + padding(text, label), cells, sparkline(course, isUnicode));
    }),
  };
}

/** A shorter sparkline shows nothing useful, and a longer one adds nothing. */
const [shortestTrend, longestTrend] = [8, 30];
/** Shows the network and most of the address. Other columns are hidden before the label shrinks any further. */
const readableLabel = 26;
/** A truncated price would look like a different price, so the asset label shrinks instead, down to this width. */
const shortestLabel = 6;

/**
 * Fits the columns to the terminal. If space is short, the sparkline shrinks first, then the middle of addresses is
 * cut, and then the least important columns are hidden (width 0). The asset and its first value always stay.
 */
function fitBoard(widestAsset: number, natural: readonly number[], columns: number) {
  const fitted = [...natural, shortestTrend];
  const leftFor = (widths: readonly number[]): number =>
    widths.reduce((left, width) => left - (width > 0 ? width + GAP : 0), columns);
  const [trend, updates, change] = [natural.length, natural.length - 1, natural.length - 2];
  const spare = leftFor(fitted) - widestAsset;
  if (spare >= 0)
    return { label: widestAsset, widths: natural, trend: Math.min(longestTrend, shortestTrend + spare) };
  const least = Math.min(readableLabel, widestAsset);
  const otherValues = [...natural.keys()].slice(1, change);
  for (const leaving of [[], otherValues, [updates], [trend], [change]]) {
    for (const index of leaving) fitted[index] = 0;
    if (leftFor(fitted) >= least) break;
  }
  const label = Math.max(Math.min(shortestLabel, columns), Math.min(widestAsset, leftFor(fitted)));
  return { label, widths: fitted.slice(0, trend), trend: fitted[trend] ?? 0 };
}
