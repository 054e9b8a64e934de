import type { DexFacts, PoolFacts, TokenFacts } from "../market/types.ts";
import { invalidParam, missingParam } from "../refusal.ts";
import { type Answer, supportedNetworks } from "./answer.ts";
import { closest, isGeneric } from "./closeness.ts";
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
  const find = <T>(lists: readonly (readonly T[])[], namesOf: (item: T) => readonly string[]): readonly T[] =>
    closest(lists, words, namesOf, MOST);
  const tokens = find(
    networks.map((network) => market.tokens(network, at)),
    tokenNames,
  );
  const pools = find(
    networks.map((network) => market.pools(network, at)),
    poolNames,
  );
  const dexes = find(
    networks.map((network) => market.dexes(network)),
    dexNames,
  );
  return {
    tokens: tokens.map((token) => foundToken(market, token, at)),
    pools: pools.map((pool) => foundPool(market, pool, at, dialect)),
    dexes: dexes.map((dex) => foundDex(market, dex, at)),
  };
};

const tokenNames = ({ address, symbol, name }: TokenFacts): readonly string[] => [address, symbol, name];
const poolNames = ({ id, tokens }: PoolFacts): readonly string[] => [id, ...tokens.flatMap(tokenNames)];
const dexNames = ({ dexId, dexName }: DexFacts): readonly string[] => [dexId, dexName];
