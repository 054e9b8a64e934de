import type { Catalogue, MarketPool, MarketToken } from "./catalogue.ts";
import { makeNetwork } from "./networks.ts";
import { makeCatalogue } from "./pools.ts";
import type { Market, NetworkFacts, PoolFacts, TokenFacts } from "./types.ts";
import { NETWORK_ROWS } from "./well-known.ts";

/** Finds networks, pools and tokens; the look-up part of a market. */
export interface Listing extends Pick<
  Market,
  "networks" | "network" | "dexes" | "pools" | "tokens" | "pool" | "token"
> {
  /** What the market keeps of the pool; throws for a network of another market. */
  readonly marketPool: (pool: PoolFacts) => MarketPool;
  readonly marketToken: (token: TokenFacts) => MarketToken;
}

// Room for the serial numbers of one network's pools.
const SERIALS = 32_768;

export function createListing(seed: number): Listing {
  const networks = NETWORK_ROWS.map(makeNetwork);
  const bySlug = new Map(networks.map((network) => [network.id, network]));
  const shelves = new Map<NetworkFacts, Shelf>();

  function shelfOf(network: NetworkFacts): Shelf {
    const kept = shelves.get(network);
    if (kept !== undefined) return kept;
    const index = networks.indexOf(network);
    const row = NETWORK_ROWS[index];
    if (row === undefined) throw new Error(`${network.id}: not a network of this market`);
    const made = makeShelf(makeCatalogue(seed, network, row, index * SERIALS));
    shelves.set(network, made);
    return made;
  }

  return {
    networks,
    network: (slug) => bySlug.get(slug),
    dexes: (network) => shelfOf(network).catalogue.dexes,
    pools: (network, at) => shelfOf(network).pools(at),
    tokens: (network, at) => shelfOf(network).tokens(at),
    pool: (network, id, at) => {
      const pool = shelfOf(network).findPool(id);
      return pool !== undefined && pool.facts.createdAt <= at ? pool.facts : undefined;
    },
    token: (network, address, at) => {
      const token = shelfOf(network).findToken(address);
      return token !== undefined && firstSeen(token) <= at ? token.facts : undefined;
    },
    marketPool: (facts) => shelfOf(facts.network).catalogue.pools[facts.rank - 1] ?? missing(facts.id),
    marketToken: (facts) => shelfOf(facts.network).findToken(facts.address) ?? missing(facts.address),
  };
}

/** A network's catalogue with its ways in. */
interface Shelf {
  readonly catalogue: Catalogue;
  readonly pools: (at: number) => readonly PoolFacts[];
  readonly tokens: (at: number) => readonly TokenFacts[];
  readonly findPool: (id: string) => MarketPool | undefined;
  readonly findToken: (address: string) => MarketToken | undefined;
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

/** Filters by birth. The last answer is kept: it holds until the next one is born. */
function makeGrowingList<Item extends { readonly facts: unknown }>(
  items: readonly Item[],
  bornAt: (item: Item) => number,
): (at: number) => readonly Item["facts"][] {
  const births = new Float64Array(items.length);
  for (const [index, item] of items.entries()) births[index] = bornAt(item);
  births.sort();
  let kept: readonly Item["facts"][] = [];
  let keptCount = 0;
  return (at) => {
    const count = countUpTo(births, at);
    if (count !== keptCount) {
      kept = items.filter((item) => bornAt(item) <= at).map((item) => item.facts);
      keptCount = count;
    }
    return kept;
  };
}

function countUpTo(ascending: Float64Array, at: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A token is there as soon as its first pool is. */
function firstSeen(token: MarketToken): number {
  return token.pools[0]?.facts.createdAt ?? Number.POSITIVE_INFINITY;
}

/** EVM addresses are the same in any letter case; ours are all in lower case. */
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

function missing(id: string): never {
  throw new Error(`${id}: not of this market`);
}
