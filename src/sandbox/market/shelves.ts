import type { MarketPool, MarketToken } from "./pool-catalogue.ts";
import { Catalogue } from "./pools.ts";
import type { NetworkFacts, PoolFacts, TokenFacts } from "./types.ts";
import { NETWORK_ROWS } from "./well-known.ts";

export interface Shelf {
  readonly catalogue: Catalogue;
  readonly pools: (at: number) => readonly PoolFacts[];
  readonly tokens: (at: number) => readonly TokenFacts[];
  readonly findPool: (id: string) => MarketPool | undefined;
  readonly findToken: (address: string) => MarketToken | undefined;
}

// Maximum number of pools per network, so that serial numbers are unique across networks.
const SERIALS = 32_768;

/** Networks are generated on first use. Throws for a network outside the market. */
export function createShelves(seed: number): (network: NetworkFacts) => Shelf {
  const shelves = new Map<NetworkFacts, Shelf>();
  return (network) => {
    const kept = shelves.get(network);
    if (kept !== undefined) return kept;
    const index = NETWORK_ROWS.findIndex((row) => row === network);
    const row = NETWORK_ROWS[index];
    if (row === undefined) throw new Error(`${network.id}: not a network of this market`);
    const shelf = makeShelf(new Catalogue(seed, row, index * SERIALS));
    shelves.set(network, shelf);
    return shelf;
  };
}

function makeShelf(catalogue: Catalogue): Shelf {
  const { network, pools, tokens } = catalogue;
  return {
    catalogue,
    pools: makeGrowingList(pools, (pool) => pool.facts.createdAt),
    tokens: makeGrowingList(tokens, firstSeen),
    findPool: makeFinder(network, pools, (pool) => pool.facts.id),
    findToken: makeFinder(network, tokens, (token) => token.facts.address),
  };
}

/** Caches the list of existing items until the next one appears. */
function makeGrowingList<Item extends { readonly facts: unknown }>(
  items: readonly Item[],
  bornAt: (item: Item) => number,
): (at: number) => readonly Item["facts"][] {
  let kept: Item["facts"][] = [];
  let [from, until] = [0, 0];
  return (at) => {
    if (at >= from && at < until) return kept;
    kept = [];
    [from, until] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const item of items) {
      const born = bornAt(item);
      if (born > at) until = Math.min(until, born);
      else {
        from = Math.max(from, born);
        kept.push(item.facts);
      }
    }
    return kept;
  };
}

/** A token appears with its first pool. */
export function firstSeen(token: MarketToken): number {
  return token.pools[0]?.facts.createdAt ?? Number.POSITIVE_INFINITY;
}

/** EVM addresses match regardless of case and are stored in lowercase. */
function makeFinder<Item>(
  network: NetworkFacts,
  items: readonly Item[],
  idOf: (item: Item) => string,
): (id: string) => Item | undefined {
  let index: Map<string, Item> | undefined;
  return (id) => {
    index ??= new Map(items.map((item) => [idOf(item), item]));
    return index.get(network.addressFamily === "evm" ? id.toLowerCase() : id);
  };
}
