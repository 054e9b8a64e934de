import type { Market, TokenFacts } from "../market/types.ts";

/** Fully diluted value in USD; null for a token without a price. */
export function fdvUsd(market: Market, token: TokenFacts, at: number): number | null {
  const price = market.tokenPriceUsd(token, at);
  return price === undefined ? null : (price * Number(token.totalSupply)) / 10 ** token.decimals;
}
