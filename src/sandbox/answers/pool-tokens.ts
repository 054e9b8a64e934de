import { writeInstant } from "../instant.ts";
import type { JsonObject } from "../json-writer.ts";
import type { Market, TokenFacts } from "../market/types.ts";
import { searchWindow } from "./search-window.ts";
import { fdvUsd } from "./valuation.ts";
import { eachWindow, searchWindowSeconds } from "./windows.ts";

export type PoolTokens = (token: TokenFacts, at: number, detailed: boolean) => JsonObject;

/**
 * Tokens in the rows of one page of pool search: three fields, with `detailed` names, facts and windows (wire-facts
 * 4.8). The same few tokens stand in many rows, so each is described once.
 */
export function createPoolTokens(market: Market): PoolTokens {
  const described = new Map<TokenFacts, JsonObject>();
  return (token, at, detailed) => {
    const known = described.get(token);
    if (known !== undefined) return known;
    const made = detailed ? detailedToken(market, token, at) : plainToken(token);
    described.set(token, made);
    return made;
  };
}

function plainToken(token: TokenFacts): JsonObject {
  return { id: token.address, chain: token.network.id, has_image: token.hasImage };
}

function detailedToken(market: Market, token: TokenFacts, at: number): JsonObject {
  return {
    ...plainToken(token),
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
