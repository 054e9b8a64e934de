import type { tradeTypes } from "../../../api/record.ts";

/**
 * The amounts of a swap have opposite signs, and those of a liquidity add or remove the same sign. `?` if an amount is
 * missing or 0: an add of only one token is not a swap.
 */
export type TradeType = (typeof tradeTypes)[number];

/** Takes the signs of the two amounts; NaN if an amount is missing. */
export function tradeType(sign0: number, sign1: number): TradeType {
  const product = sign0 * sign1;
  if (product < 0) return "swap";
  return product > 0 ? "liquidity" : "?";
}

/** In USD, from the unsigned values of both sides. Both sides of a swap are worth the same, as in `volume_usd` of events. */
export function tradeSize(
  type: TradeType,
  value0: number | undefined,
  value1: number | undefined,
): number | undefined {
  if (value0 === undefined || value1 === undefined) return undefined;
  const sum = value0 + value1;
  return type === "swap" ? sum / 2 : sum;
}
