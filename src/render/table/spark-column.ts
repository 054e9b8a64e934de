import { blank, type Cell, type CellStyle } from "../values/cell.ts";
import { sparkline } from "../values/sparkline.ts";
import { valueAt } from "../values/value-at.ts";
import { drawnColumn } from "./columns.ts";

/** The points are at uneven intervals. Prices are computed from the current price and its changes. */
const points: readonly { readonly title: string; readonly changes: readonly string[] }[] = [
  { title: "24H", changes: ["price_change_percentage_24h", "24h.last_price_usd_change"] },
  { title: "6H", changes: ["price_change_percentage_6h", "6h.last_price_usd_change"] },
  { title: "1H", changes: ["price_change_percentage_1h", "1h.last_price_usd_change"] },
  { title: "5M", changes: ["price_change_percentage_5m", "5m.last_price_usd_change"] },
  { title: "NOW", changes: [] },
];

export const sparkColumn = drawnColumn({
  title: points.map(({ title }) => title).join(" "),
  // Comes after the columns that identify a row, but before all optional ones.
  priority: 2.5,
  kind: "text",
  draw: drawSpark,
});

function drawSpark(row: unknown, { isUnicode }: CellStyle): Cell {
  const price = numberAt(row, "price_usd");
  const prices = points.map(({ title, changes }) =>
    title === "NOW"
      ? price
      : priceBefore(price, changes.map((change) => numberAt(row, change)).find(isKnown)),
  );
  const known = prices.filter(isKnown);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || known.length < 2) return blank;
  const bars = sparkline(prices, isUnicode);
  const text = points.map(({ title }, index) => bars.charAt(index).repeat(title.length)).join(" ");
  return { text, tone: last > first ? "up" : last < first ? "down" : "plain" };
}

/** Undefined after a fall of 100%, from which the price cannot be computed. */
function priceBefore(price: number | undefined, change: number | undefined): number | undefined {
  if (price === undefined || change === undefined) return undefined;
  const before = price / (1 + change / 100);
  return Number.isFinite(before) && before >= 0 ? before : undefined;
}

function numberAt(row: unknown, path: string): number | undefined {
  const value = valueAt(row, path.split("."));
  return typeof value === "number" ? value : undefined;
}

function isKnown(value: number | undefined): value is number {
  return value !== undefined;
}
