import { blank, type Cell, type CellStyle } from "../values/cell.ts";
import { sparkline } from "../values/sparkline.ts";
import { valueAt } from "../values/value-at.ts";
import { drawnColumn } from "./columns.ts";

/** The points are at uneven intervals. Prices are computed from the current price and its changes. */
const windows = ["24h", "6h", "1h", "5m"];
const titles = [...windows, "now"].map((name) => name.toUpperCase());

export const sparkColumn = drawnColumn({
  title: titles.join(" "),
  // Comes after the columns that identify a row, but before all optional ones.
  priority: 2.5,
  // Inverted bars could not be read, so a change is not marked.
  kind: "mark",
  draw: drawSpark,
});

function drawSpark(row: unknown, { isUnicode }: CellStyle): Cell {
  const price = numberAt(row, "price_usd");
  const changes = windows.map(
    (window) =>
      numberAt(row, `price_change_percentage_${window}`) ?? numberAt(row, `${window}.last_price_usd_change`),
  );
  const prices = [...changes.map((change) => priceBefore(price, change)), price];
  const known = prices.filter((each) => each !== undefined);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || known.length < 2) return blank;
  const bars = sparkline(prices, isUnicode);
  const text = titles.map((title, index) => bars.charAt(index).repeat(title.length)).join(" ");
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
