import { writeInstant } from "../instant.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Market, TokenFacts } from "../market/types.ts";
import { searchWindow } from "./search-window.ts";
import { fdvUsd } from "./valuation.ts";
import { eachWindow, searchWindowSeconds } from "./windows.ts";

/** A token in a row of pool search: three fields, with `detailed` names, facts and windows (wire-facts 4.8). */
export function searchedPoolToken(
  market: Market,
  token: TokenFacts,
  at: number,
  detailed: boolean,
): JsonObject {
  const plain = { id: token.address, chain: token.network.id, has_image: token.hasImage };
  if (!detailed) return plain;
  return {
    ...plain,
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    total_supply: token.totalSupply,
    description: token.description,
    website: token.website,
    explorer: token.explorer,
    added_at: writeInstant(token.addedAt),
    fdv: fdvUsd(market, token, at),
    ...eachWindow(searchWindowSeconds, (seconds) => searchWindow(market.tokenActivity(token, at, seconds))),
  };
}
