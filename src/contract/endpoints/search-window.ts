import { amount, count, nullable, percent, record } from "../record.ts";

/** Activity in one window of a search row (specification, resource Token search row; wire-facts 4.8). */
export const searchWindow = record({
  volume_usd: nullable(amount),
  buys: nullable(count),
  sells: nullable(count),
  txns: nullable(count),
  last_price_usd_change: nullable(percent),
});
