import type { Market, TokenFacts } from "../market/types.ts";
import { NETWORK_ROWS } from "../market/well-known.ts";

const PREVIEW_ASSETS = 35;

/**
 * Whether streams show the token without a key (public dialect). Which 35 assets these are is not public but for
 * WETH on ethereum and wrapped SOL on solana; here, they are what most pools quote in on each of 35 networks.
 */
export function isPreviewAsset(market: Market, token: TokenFacts, at: number): boolean {
  const row = NETWORK_ROWS.slice(0, PREVIEW_ASSETS).find(({ id }) => id === token.network.id);
  const symbol = row?.hubs[0];
  // Others may have taken the symbol for their own; the true one stands further up.
  return market.tokens(token.network, at).find((each) => each.symbol === symbol) === token;
}
