import { readDecimal } from "./decimal.ts";

/** The change in percent, as text; empty where there is none that could be told. */
export function percentBetween(first: number, last: number): string {
  const change = String(((last - first) / Math.abs(first)) * 100);
  return readDecimal(change) === undefined ? "" : change;
}
