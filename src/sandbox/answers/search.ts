import type { DexFacts, PoolFacts, TokenFacts } from "../market/types.ts";
import { invalidParam, missingParam } from "../refusal.ts";
import { type Answer, supportedNetworks } from "./answer.ts";
import { closest, distanceOf, isGeneric } from "./closeness.ts";
import { foundDex, foundPool, foundToken } from "./search-rows.ts";

// The specification has no paging here.
const MOST = 20;

/** Specification, endpoint 5: names, symbols and addresses, whatever their case; best effort. */
export const answerSearch: Answer = (asked) => {
  const query = asked.query.raw("query");
  if (query === undefined) throw missingParam("query");
  const words = query.trim().toLowerCase();
  if (words === "") throw invalidParam("query", "must not be empty");
  if (isGeneric(words)) return { tokens: [], pools: [], dexes: [] };
  const { market, at, dialect } = asked;
  const networks = supportedNetworks(asked);
  const distances = new Map<TokenFacts, number>();
  const ofToken = (token: TokenFacts): number => {
    const known = distances.get(token);
    if (known !== undefined) return known;
    const distance = nearest(words, token.address, token.symbol, token.name);
    distances.set(token, distance);
    return distance;
  };
  const tokenLists = networks.map((network) => market.tokens(network, at));
  const poolLists = networks.map((network) => market.pools(network, at));
  const dexLists = networks.map((network) => market.dexes(network));
  // Pools are found by their tokens too; there are ten times as many, so each token is looked at once.
  const ofPool = ({ id, tokens }: PoolFacts): number => Math.min(nearest(words, id), ...tokens.map(ofToken));
  const ofDex = ({ dexId, dexName }: DexFacts): number => nearest(words, dexId, dexName);
  return {
    tokens: closest(tokenLists, ofToken, MOST).map((token) => foundToken(market, token, at, dialect)),
    pools: closest(poolLists, ofPool, MOST).map((pool) => foundPool(market, pool, at, dialect)),
    dexes: closest(dexLists, ofDex, MOST).map((dex) => foundDex(market, dex, at)),
  };
};

function nearest(words: string, ...names: readonly string[]): number {
  return Math.min(...names.map((name) => distanceOf(name.toLowerCase(), words)));
}
