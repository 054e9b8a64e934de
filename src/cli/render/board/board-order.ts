import type { Feed } from "../../../api/feed.ts";
import type { NamedRow } from "./asset-row.ts";

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
    const numbers = row.numbers(elapsed);
    if (order === "SINCE START") return numbers.change;
    return order === main.title ? numbers.value : numbers.updates;
  };
  const known = rows.map((row) => ({ row, number: numberOf(row) }));
  return known.toSorted((a, b) => compareNumbers(b.number, a.number)).map(({ row }) => row);
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function compareNumbers(a: number, b: number): number {
  const [first, second] = [a, b].map((each) => (Number.isNaN(each) ? -Infinity : each));
  return first === second ? 0 : Number(first) - Number(second);
}
