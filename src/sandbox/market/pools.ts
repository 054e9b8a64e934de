import { makeAddress, makeHash64 } from "./addresses.ts";
import type { BlockClock, Catalogue, MarketPool, MarketToken } from "./catalogue.ts";
import { alignToBlock, blockNumberAt, COUNTED_AT, HISTORY_END, HISTORY_START } from "./catalogue.ts";
import { isStableSymbol } from "./assets.ts";
import { makeDexes, slugOf } from "./dexes.ts";
import { hash, hashText, pickAt, unitAt } from "./hash.ts";
import type { TokenName } from "./names.ts";
import { FOREIGN_NAMES, HOSTILE_NAMES } from "./names.ts";
import { makeBlockClock } from "./networks.ts";
import { makeKnownToken, makeToken } from "./tokens.ts";
import type { DexFacts, NetworkFacts, PoolFacts } from "./types.ts";
import type { NetworkRow, PoolRow } from "./well-known.ts";
import { POOL_ROWS } from "./well-known.ts";

const FEES: readonly [number, ...number[]] = [0.3, 0.3, 0.05, 1, 0.01, 0.25];

// From this share of the ranks on, pools of the coming years lie among those of 2026.
const SETTLED = 0.3;

/** Ranks of ethereum at which the hostile names come in: busy enough for the first pages of a search. */
const HOSTILE_RANKS: readonly number[] = [24, 31, 38, 52, 77];

/** Ranks of any network at which the first names outside ASCII come in. */
const FOREIGN_RANKS: readonly number[] = [27, 19, 22, 35];

/**
 * Makes the pools of a network in the order of their ranks, and each token with its first pool. So a token's
 * busiest pool quotes in something that already has a price, and no chain of prices ever closes into a ring.
 */
export function makeCatalogue(
  seed: number,
  network: NetworkFacts,
  row: NetworkRow,
  serialBase: number,
): Catalogue {
  const maker = startMaker(seed, network, row, serialBase);
  for (const known of knownRows(row)) addKnown(maker, known);
  const settled = Math.round(row.poolCount * SETTLED);
  const spread = (row.poolCount - settled) / (COUNTED_AT - row.launchedAt);
  const total = settled + Math.round(spread * (HISTORY_END - row.launchedAt));
  while (maker.pools.length < total) addMade(maker, maker.pools.length < settled ? COUNTED_AT : HISTORY_END);
  return { network, dexes: maker.dexes, pools: maker.pools, tokens: maker.tokens };
}

interface Maker {
  readonly seed: number;
  /** The same for all networks: what a well-known token stands for is worth the same everywhere. */
  readonly assetSeed: number;
  readonly network: NetworkFacts;
  readonly row: NetworkRow;
  readonly clock: BlockClock;
  readonly serialBase: number;
  readonly dexes: readonly DexFacts[];
  readonly hubs: MarketToken[];
  readonly pools: MarketPool[];
  readonly tokens: MarketToken[];
}

function startMaker(seed: number, network: NetworkFacts, row: NetworkRow, serialBase: number): Maker {
  return {
    seed: hashText(seed, `pools ${network.id}`),
    assetSeed: seed,
    network,
    row,
    clock: makeBlockClock(network),
    serialBase,
    dexes: makeDexes(seed, network, row.dexCount),
    hubs: [],
    pools: [],
    tokens: [],
  };
}

/** The public pools, then one for each hub that has none. */
function knownRows(row: NetworkRow): PoolRow[] {
  const known = POOL_ROWS.filter((pool) => pool.network === row.id);
  const seen = new Set(known.flatMap((pool) => pool.symbols));
  const made: PoolRow[] = [];
  for (const hub of row.hubs) {
    if (seen.has(hub)) continue;
    const partner = row.hubs.find((other) => other !== hub && isStableSymbol(other)) ?? row.hubs[0] ?? hub;
    made.push({
      network: row.id,
      id: undefined,
      symbols: [hub, partner],
      dexName: undefined,
      fee: 0.05,
      createdAt: row.launchedAt,
      createdAtBlockNumber: undefined,
    });
    seen.add(hub).add(partner);
  }
  return [...known, ...made];
}

function addKnown(maker: Maker, row: PoolRow): void {
  const createdAt = alignToBlock(maker.clock, Math.max(row.createdAt, maker.clock.genesis));
  const key = hash(maker.seed, maker.pools.length);
  const tokens = row.symbols.map((symbol) => knownToken(maker, symbol, createdAt));
  const dex =
    maker.dexes.find((one) => row.dexName !== undefined && one.dexId === slugOf(row.dexName)) ??
    pickDex(maker, key);
  addPool(maker, {
    key,
    tokens,
    dex,
    createdAt,
    fee: row.fee,
    id: row.id,
    blockNumber: row.createdAtBlockNumber,
  });
}

function knownToken(maker: Maker, symbol: string, createdAt: number): MarketToken {
  const seen = maker.tokens.find((token) => token.facts.symbol === symbol);
  if (seen !== undefined) return seen;
  const token = makeKnownToken(maker.assetSeed, maker.network, symbol, createdAt);
  if (maker.row.hubs.includes(symbol)) maker.hubs.push(token);
  return token;
}

function addMade(maker: Maker, until: number): void {
  const rank = maker.pools.length + 1;
  const key = hash(maker.seed, rank - 1);
  const from = maker.row.launchedAt;
  const createdAt = alignToBlock(maker.clock, Math.floor(from + unitAt(key, 0) * (until - from)));
  const given = givenName(maker.network, rank);
  const isNew = given !== undefined || unitAt(key, 1) < 0.5;
  const token = isNew
    ? makeToken(maker.network, hash(key, 2), createdAt, given)
    : pickToken(maker, key, createdAt);
  const partner = pickPartner(maker, key, token, createdAt);
  const tokens = unitAt(key, 3) < 0.6 ? [token, partner] : [partner, token];
  const fee = unitAt(key, 4) < 0.03 ? null : unitAt(key, 4) < 0.04 ? 0 : pickAt(key, 5, FEES);
  addPool(maker, {
    key,
    tokens,
    dex: pickDex(maker, key),
    createdAt,
    fee,
    id: undefined,
    blockNumber: undefined,
  });
}

function givenName(network: NetworkFacts, rank: number): TokenName | undefined {
  const hostile = network.id === "ethereum" ? HOSTILE_NAMES[HOSTILE_RANKS.indexOf(rank)] : undefined;
  return hostile ?? FOREIGN_NAMES[FOREIGN_RANKS.indexOf(rank)];
}

/** A token that exists already; the busy ones have many pools. */
function pickToken(maker: Maker, key: number, createdAt: number): MarketToken {
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const token = maker.tokens[Math.floor(unitAt(key, 10 + attempt) ** 2 * maker.tokens.length)];
    if (token !== undefined && existsAt(token, createdAt)) return token;
  }
  return pickHub(maker, key, createdAt);
}

function pickPartner(maker: Maker, key: number, token: MarketToken, createdAt: number): MarketToken {
  const partner =
    token.pools.length > 0 && unitAt(key, 30) < 0.15 ? pickToken(maker, hash(key, 31), createdAt) : undefined;
  if (partner !== undefined && partner !== token) return partner;
  const hub = pickHub(maker, key, createdAt);
  if (hub !== token) return hub;
  return (
    maker.hubs.find((other) => other !== token && existsAt(other, createdAt)) ?? firstOther(maker, token)
  );
}

function pickHub(maker: Maker, key: number, createdAt: number): MarketToken {
  const hub = maker.hubs[Math.floor(unitAt(key, 32) ** 2 * maker.hubs.length)];
  return hub !== undefined && existsAt(hub, createdAt) ? hub : firstOther(maker, undefined);
}

function firstOther(maker: Maker, token: MarketToken | undefined): MarketToken {
  const other = maker.tokens.find((one) => one !== token);
  if (other === undefined) throw new Error(`${maker.network.id}: needs two hubs`);
  return other;
}

function existsAt(token: MarketToken, at: number): boolean {
  const first = token.pools[0];
  return first !== undefined && first.facts.createdAt <= at;
}

/** The first DEXes of the list have most of the pools. */
function pickDex(maker: Maker, key: number): DexFacts {
  const index = Math.floor(unitAt(key, 40) ** 2 * maker.dexes.length);
  const dex = maker.dexes[index];
  if (dex === undefined) throw new Error(`${maker.network.id}: needs a DEX`);
  return dex;
}

interface PoolTraits {
  readonly key: number;
  readonly tokens: readonly MarketToken[];
  readonly dex: DexFacts;
  readonly createdAt: number;
  readonly fee: number | null;
  readonly id: string | undefined;
  readonly blockNumber: number | undefined;
}

function addPool(maker: Maker, traits: PoolTraits): void {
  const { key, tokens, dex, createdAt, fee, blockNumber } = traits;
  const [token0, token1] = tokens;
  if (token0 === undefined || token1 === undefined)
    throw new Error(`${maker.network.id}: a pool needs two tokens`);
  const rank = maker.pools.length + 1;
  const facts: PoolFacts = {
    network: maker.network,
    id: traits.id ?? makePoolId(maker.network, dex, hash(key, 50)),
    dex,
    tokens: tokens.map((token) => token.facts),
    fee,
    createdAt,
    createdAtBlockNumber: blockNumber ?? blockNumberAt(maker.clock, createdAt),
    rank,
  };
  const pool: MarketPool = {
    facts,
    key: hash(key, 51),
    serial: maker.serialBase + rank,
    token0,
    token1,
    clock: maker.clock,
    tradesPerDay: 4000 / rank,
    swapUsd: 9000 * rank ** -0.4 * (0.4 + 1.2 * unitAt(key, 52)) * Math.sqrt(maker.row.poolCount / 4200),
    noise: noiseOf(token0) + noiseOf(token1),
    tradesFrom: Math.max(createdAt, HISTORY_START),
  };
  maker.pools.push(pool);
  for (const token of tokens) {
    if (token.pools.length === 0) maker.tokens.push(token);
    token.pools.push(pool);
  }
}

function noiseOf(token: MarketToken): number {
  if (token.asset.isStable) return 0.00004;
  return token.asset.memo === undefined ? 0.002 : 0.0003;
}

function makePoolId(network: NetworkFacts, dex: DexFacts, key: number): string {
  return dex.dexId === "uniswap_v4" ? makeHash64(key) : makeAddress(network.addressFamily, key);
}
