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
  /** What the market keeps of the pool; throws for a pool of another market. */
  readonly marketPool: (pool: PoolFacts) => MarketPool;
  readonly marketToken: (token: TokenFacts) => MarketToken;
}

// Room for the serial numbers of one network's pools.
const SERIALS = 32_768;

export function createListing(seed: number): Listing {
  const networks = NETWORK_ROWS.map(makeNetwork);
  const bySlug = new Map(networks.map((network) => [network.id, network]));
  const shelves = new Map<NetworkFacts, Shelf>();
  const marketPools = new WeakMap<PoolFacts, MarketPool>();
  const marketTokens = new WeakMap<TokenFacts, MarketToken>();

  function shelfOf(network: NetworkFacts): Shelf {
    const kept = shelves.get(network);
    if (kept !== undefined) return kept;
    const index = networks.indexOf(network);
    const row = NETWORK_ROWS[index];
    if (row === undefined) throw new Error(`${network.id}: not a network of this market`);
    const made = makeShelf(makeCatalogue(seed, network, row, index * SERIALS));
    for (const pool of made.catalogue.pools) marketPools.set(pool.facts, pool);
    for (const token of made.catalogue.tokens) marketTokens.set(token.facts, token);
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
      const pool = shelfOf(network).poolsById.get(normalise(network, id));
      return pool !== undefined && pool.facts.createdAt <= at ? pool.facts : undefined;
    },
    token: (network, address, at) => {
      const token = shelfOf(network).tokensByAddress.get(normalise(network, address));
      return token !== undefined && firstSeen(token) <= at ? token.facts : undefined;
    },
    marketPool: (facts) => marketPools.get(facts) ?? missing(facts.id),
    marketToken: (facts) => marketTokens.get(facts) ?? missing(facts.address),
  };
}

/** A network's catalogue with its ways in. */
interface Shelf {
  readonly catalogue: Catalogue;
  readonly pools: (at: number) => readonly PoolFacts[];
  readonly tokens: (at: number) => readonly TokenFacts[];
  readonly poolsById: ReadonlyMap<string, MarketPool>;
  readonly tokensByAddress: ReadonlyMap<string, MarketToken>;
}

function makeShelf(catalogue: Catalogue): Shelf {
  const { network, pools, tokens } = catalogue;
  return {
    catalogue,
    pools: makeGrowingList(pools, (pool) => pool.facts.createdAt),
    tokens: makeGrowingList(tokens, firstSeen),
    poolsById: new Map(pools.map((pool) => [normalise(network, pool.facts.id), pool])),
    tokensByAddress: new Map(tokens.map((token) => [normalise(network, token.facts.address), token])),
  };
}

/** Filters by birth. The last answer is kept: it holds until the next one is born. */
function makeGrowingList<Item extends { readonly facts: unknown }>(
  items: readonly Item[],
  bornAt: (item: Item) => number,
): (at: number) => readonly Item["facts"][] {
  const births = Float64Array.from(items, bornAt).toSorted();
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

function normalise(network: NetworkFacts, id: string): string {
  return network.addressFamily === "evm" ? id.toLowerCase() : id;
}

function missing(id: string): never {
  throw new Error(`${id}: not of this market`);
}
