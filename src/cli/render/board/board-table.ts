import type { Feed, FeedKind } from "../../../api/feed.ts";
import type { FeedName } from "../../../api/feeds.ts";
import type { Paint } from "../terminal.ts";
import { shownText } from "../../../base/text/unsafe-text.ts";
import { GAP } from "../table/fit-columns.ts";
import { alertMark, type Cell, type FindAsset, sparkline } from "../values/cell.ts";
import { assetLabel, cutText, ellipsis, padding, textWidth } from "../values/width.ts";
import type { NamedRow } from "./asset-row.ts";
import { shortAddress, type Subject } from "../../../client/subject.ts";

export interface BoardOptions {
  readonly feed: FeedName;
  /** What the assets are. */
  readonly by: FeedKind["by"];
  /** In row order. */
  readonly assets: readonly Subject[];
  readonly isSimulated: boolean;
  readonly isUnicode: boolean;
  readonly paint: Paint;
  /** Milliseconds on the monotonic clock. */
  readonly start: number;
  readonly findAsset: FindAsset;
  /** Whether an alert is on for the asset. Undefined without alerts that last. */
  readonly isOn: ((asset: string) => boolean) | undefined;
}

interface BoardView {
  readonly shown: Feed["shown"];
  readonly elapsed: number;
  readonly order: BoardOrder;
  /** The first row that is drawn, and the number of rows. */
  readonly first: number;
  readonly visible: number;
}

/** A longer label is truncated; the address next to it stays. */
const longestLabel = 16;

/** Measures all rows, so that columns stay in place while the list scrolls. */
export function drawTable(
  { isUnicode, paint, isOn }: Pick<BoardOptions, "isUnicode" | "paint" | "isOn">,
  rows: readonly NamedRow[],
  columns: number,
  { elapsed, order, first, visible, shown: values }: BoardView,
) {
  const mark = ellipsis(isUnicode);
  const hasLabels = rows.some(({ label }) => label !== undefined);
  const heads = [...values.map(({ title }) => title), "SINCE START", "/MIN"];
  const titled = (title: string): string => (order === title ? `${title}${isUnicode ? "▼" : "*"}` : title);
  const widthOf = (title: string, textOf: (row: NamedRow) => string): number =>
    rows.reduce((most, row) => Math.max(most, textWidth(textOf(row))), textWidth(titled(title)));
  const shownLabel = ({ label = "" }: NamedRow): string =>
    cutText(shownText(label, { isUnicode }), longestLabel, mark);
  const lines = rows.slice(first, first + visible).map((line) => {
    const cells = [...line.row.values(), line.row.change(), line.row.updates(elapsed)];
    return { ...line, cells };
  });
  const natural = heads.map((head, index) => {
    const ofAll = widthOf(head, ({ row }) => row.values()[index]?.text ?? "");
    return Math.max(ofAll, ...lines.map(({ cells }) => textWidth(cells[index]?.text ?? "")));
  });
  const labels = hasLabels ? widthOf("LABEL", shownLabel) : 0;
  const widest = widthOf("ASSET", ({ asset }) => shownText(asset, { isUnicode }));
  const markOf = (asset?: string): string => {
    if (isOn === undefined) return "";
    return asset !== undefined && isOn(asset) ? `${paint(alertMark(isUnicode), "down")} ` : "  ";
  };
  const room = columns - markOf().length - (hasLabels ? labels + GAP : 0);
  const { width: fitting, widths, trend } = fitBoard({ widest, hasLabels, natural }, room);
  const shownAsset = ({ asset }: NamedRow): string =>
    hasLabels ? shortAsset(asset, fitting, isUnicode) : assetLabel(asset, fitting, isUnicode);
  const width = hasLabels ? widthOf("ASSET", shownAsset) : fitting;
  const draw = (start: string, cells: readonly Cell[], course: string): string => {
    let left = room - width;
    const drawn = cells.map(({ text, tone }, index) => {
      const size = widths[index] ?? 0;
      if (size === 0 || left <= GAP) return "";
      const most = Math.min(size, left - GAP);
      const kept = cutText(text, most, mark);
      left -= most + GAP;
      return " ".repeat(GAP) + padding(kept, most) + paint(kept, tone);
    });
    return (start + drawn.join("") + (trend > 0 ? " ".repeat(GAP) + course : "")).trimEnd();
  };
  const begin = (label: string, asset: string): string =>
    hasLabels ? label + padding(label, labels) + " ".repeat(GAP) + asset : asset;
  return {
    heads: draw(
      markOf() + paint(begin(titled("LABEL"), titled("ASSET").padEnd(width).slice(0, width)), "heading"),
      heads.map((text) => ({ text: titled(text), tone: "heading" })),
      paint("TREND", "heading"),
    ),
    rows: lines.map(({ cells, ...line }) => {
      const text = shownAsset(line);
      const course = trend > 0 ? line.row.course(trend, elapsed) : [];
      return draw(
        markOf(line.asset) + begin(shownLabel(line), text + padding(text, width)),
        cells,
        sparkline(course, isUnicode),
      );
    }),
  };
}

/** Next to a label, a short address is enough: `ethereum:0x88e6…5640`, or without the network. */
function shortAsset(asset: string, width: number, isUnicode: boolean): string {
  const colon = asset.indexOf(":") + 1;
  const address = shortAddress(asset.slice(colon), ellipsis(isUnicode));
  const fits = [asset, asset.slice(0, colon) + address, address].find(
    (text) => textWidth(shownText(text, { isUnicode })) <= width,
  );
  return assetLabel(fits ?? address, width, isUnicode);
}

/** A shorter sparkline shows nothing useful, and a longer one adds nothing. */
const [shortestTrend, longestTrend] = [8, 30];
/** Shows the network and most of the address. Other columns are hidden before the asset shrinks any further. */
const readableAsset = 26;
/** Next to a label, such as `0x88e6…5640`. */
const labeledAsset = 11;
/** A truncated price would look like a different price, so the asset shrinks instead, down to this width. */
const shortestAsset = 6;

/**
 * Fits the columns to the terminal. If space is short, the sparkline shrinks first, then the middle of addresses is
 * cut, and then the least important columns are hidden (width 0). The asset and its first value always stay.
 */
function fitBoard(
  { widest, hasLabels, natural }: { widest: number; hasLabels: boolean; natural: readonly number[] },
  columns: number,
) {
  const fitted = [...natural, shortestTrend];
  const leftFor = (widths: readonly number[]): number =>
    widths.reduce((left, width) => left - (width > 0 ? width + GAP : 0), columns);
  const [trend, updates, change] = [natural.length, natural.length - 1, natural.length - 2];
  const spare = leftFor(fitted) - widest;
  if (spare >= 0)
    return { width: widest, widths: natural, trend: Math.min(longestTrend, shortestTrend + spare) };
  const least = Math.min(hasLabels ? labeledAsset : readableAsset, widest);
  const otherValues = [...natural.keys()].slice(1, change);
  // The parts of a trade belong together and are more useful than its trend.
  const leaving =
    otherValues.length > 1
      ? [[], [trend], [updates], [change], ...otherValues.toReversed().map((index) => [index])]
      : [[], otherValues, [updates], [trend], [change]];
  for (const indexes of leaving) {
    for (const index of indexes) fitted[index] = 0;
    if (leftFor(fitted) >= least) break;
  }
  const width = Math.max(Math.min(shortestAsset, columns), Math.min(widest, leftFor(fitted)));
  return { width, widths: fitted.slice(0, trend), trend: fitted[trend] ?? 0 };
}

/** The title of the column that the rows are sorted by; undefined for the order of the list. */
export type BoardOrder = string | undefined;

/** In the order in which the key `s` selects them. */
export function boardOrders([main]: Feed["shown"], hasLabels: boolean): readonly BoardOrder[] {
  return [undefined, hasLabels ? "LABEL" : "ASSET", main.title, "SINCE START", "/MIN"];
}

/** Names from A to Z, numbers from high to low. Rows without a number come last. */
export function sortRows(
  rows: readonly NamedRow[],
  order: BoardOrder,
  [main]: Feed["shown"],
  elapsed: number,
): readonly NamedRow[] {
  if (order === undefined) return rows;
  if (order === "LABEL" || order === "ASSET")
    return rows.toSorted(
      (a, b) => compareTexts(a.label ?? "\uffff", b.label ?? "\uffff") || compareTexts(a.asset, b.asset),
    );
  const numberOf = ({ row }: NamedRow): number => {
    const { change, value, updates } = row.numbers(elapsed);
    if (order === "SINCE START") return change;
    return order === main.title ? value : updates;
  };
  const known = rows.map((row) => ({ row, number: numberOf(row) }));
  // The difference of two infinite numbers is not a number.
  return known.toSorted((a, b) => b.number - a.number || 0).map(({ row }) => row);
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
