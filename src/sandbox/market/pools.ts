import { isStableSymbol } from "./assets.ts";
import { hash, hashText, pickAt, unitAt } from "./hash.ts";
import { alignToBlock, type BlockClock, COUNTED_AT, HISTORY_END, makeBlockClock } from "./history.ts";
import { type DexFacts, FOREIGN_NAMES, HOSTILE_NAMES, makeDexes, slugOf, type TokenName } from "./names.ts";
import { Pool, type PoolTraits, type Token } from "./pool.ts";
import { makeKnownToken, makeToken } from "./tokens.ts";
import { rememberLatest } from "../recent.ts";
import { type NetworkFacts, POOL_ROWS, type PoolRow } from "../well-known.ts";
import { finish, type Work } from "../work.ts";

const FEES: readonly [number, ...number[]] = [0.3, 0.3, 0.05, 1, 0.01, 0.25];

// After this fraction of the ranks, pools created in future years are mixed with pools that exist in 2026.
const SETTLED = 0.3;

/** Busy enough to be on the first pages of an Ethereum search. */
const HOSTILE_RANKS: readonly number[] = [24, 31, 38, 52, 77];

/** The ranks, on each network, of the pools with the first non-ASCII names. */
const FOREIGN_RANKS: readonly number[] = [27, 19, 22, 35];

const POOLS_A_STEP = 64;

/**
 * Everything that will ever exist on one network. Pools are created in rank order, each token together with its first
 * pool, so a token's busiest pool always trades against a token that already has a price.
 */
export class Catalogue {
  readonly dexes: readonly DexFacts[];
  readonly #network: NetworkFacts;
  readonly #pools: Pool[] = [];
  /** Ordered by the rank of the pool that prices the token. */
  readonly #tokens: Token[] = [];
  readonly #seed: number;
  /** Identical for all networks, so a well-known token has the same price everywhere. */
  readonly #assetSeed: number;
  readonly #clock: BlockClock;
  readonly #hubs: Token[] = [];
  readonly #poolsById = new Map<string, Pool>();
  readonly #tokensByAddress = new Map<string, Token>();

  constructor(seed: number, network: NetworkFacts) {
    this.dexes = makeDexes(seed, network, network.dexCount);
    this.#network = network;
    this.#seed = hashText(seed, `pools ${network.id}`);
    this.#assetSeed = seed;
    this.#clock = makeBlockClock(network);
  }

  /** All other methods do the rest of this work first. */
  *fill(): Work<void> {
    const { poolCount, launchedAt } = this.#network;
    const settled = Math.round(poolCount * SETTLED);
    const spread = (poolCount - settled) / (COUNTED_AT - launchedAt);
    const total = settled + Math.round(spread * (HISTORY_END - launchedAt));
    if (this.#pools.length === 0) for (const known of knownRows(this.#network)) this.#addKnown(known);
    while (this.#pools.length < total) {
      this.#addMade(this.#pools.length < settled ? COUNTED_AT : HISTORY_END);
      if (this.#pools.length % POOLS_A_STEP === 0) yield;
    }
  }

  /** A search by name makes every network, but looks nothing up, so IDs and addresses are made here. */
  *index(): Work<void> {
    yield* this.fill();
    yield* addMissing(this.#poolsById, this.#pools, (pool) => pool.id);
    yield* addMissing(this.#tokensByAddress, this.#tokens, (token) => token.address);
  }

  poolsAt(at: number): readonly Pool[] {
    finish(this.fill());
    return poolsCreatedBy(this.#pools, at);
  }

  tokensAt(at: number): readonly Token[] {
    finish(this.fill());
    return tokensCreatedBy(this.#tokens, at);
  }

  findPool(id: string): Pool | undefined {
    finish(this.index());
    return this.#poolsById.get(this.#normalize(id));
  }

  findToken(address: string): Token | undefined {
    finish(this.index());
    return this.#tokensByAddress.get(this.#normalize(address));
  }

  /** EVM addresses match regardless of case and are stored in lowercase. */
  #normalize(address: string): string {
    return this.#network.addressFamily === "evm" ? address.toLowerCase() : address;
  }

  #addKnown(row: PoolRow): void {
    const createdAt = alignToBlock(this.#clock, Math.max(row.createdAt, this.#clock.genesis));
    const key = hash(this.#seed, this.#pools.length);
    this.#addPool({
      key,
      tokens: row.symbols.map((symbol) => this.#knownToken(symbol, createdAt)),
      dex:
        this.dexes.find((one) => row.dexName !== undefined && one.dexId === slugOf(row.dexName)) ??
        this.#pickDex(key),
      createdAt,
      fee: row.fee,
      known: row,
    });
  }

  #knownToken(symbol: string, createdAt: number): Token {
    const seen = this.#tokens.find((token) => token.symbol === symbol);
    if (seen !== undefined) return seen;
    const token = makeKnownToken(this.#assetSeed, this.#network, symbol, createdAt);
    if (this.#network.hubs.includes(symbol)) this.#hubs.push(token);
    return token;
  }

  #addMade(until: number): void {
    const rank = this.#pools.length + 1;
    const key = hash(this.#seed, rank - 1);
    const from = this.#network.launchedAt;
    const createdAt = alignToBlock(this.#clock, Math.floor(from + unitAt(key, 0) * (until - from)));
    const given = givenName(this.#network, rank);
    const isNew = given !== undefined || unitAt(key, 1) < 0.5;
    const token = isNew
      ? makeToken(this.#network, hash(key, 2), createdAt, given)
      : this.#pickToken(key, createdAt);
    const partner = this.#pickPartner(key, token, createdAt);
    const tokens = unitAt(key, 3) < 0.6 ? [token, partner] : [partner, token];
    const fee = unitAt(key, 4) < 0.03 ? null : unitAt(key, 4) < 0.04 ? 0 : pickAt(key, 5, FEES);
    this.#addPool({ key, tokens, dex: this.#pickDex(key), createdAt, fee, known: undefined });
  }

  /** Busy tokens are picked more often, so they have many pools. */
  #pickToken(key: number, createdAt: number): Token {
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const token = this.#tokens[Math.floor(unitAt(key, 10 + attempt) ** 2 * this.#tokens.length)];
      if (token !== undefined && existsAt(token, createdAt)) return token;
    }
    return this.#pickHub(key, createdAt);
  }

  #pickPartner(key: number, token: Token, createdAt: number): Token {
    const partner =
      token.pools.length > 0 && unitAt(key, 30) < 0.15 ? this.#pickToken(hash(key, 31), createdAt) : token;
    if (partner !== token) return partner;
    const hub = this.#pickHub(key, createdAt);
    if (hub !== token) return hub;
    return (
      this.#hubs.find((other) => other !== token && existsAt(other, createdAt)) ?? this.#firstOther(token)
    );
  }

  #pickHub(key: number, createdAt: number): Token {
    const hub = this.#hubs[Math.floor(unitAt(key, 32) ** 2 * this.#hubs.length)];
    return hub !== undefined && existsAt(hub, createdAt) ? hub : this.#firstOther(undefined);
  }

  #firstOther(token: Token | undefined): Token {
    const other = this.#tokens.find((one) => one !== token);
    if (other === undefined) throw new Error(`${this.#network.id}: needs two hubs`);
    return other;
  }

  /** The first DEXes in the list have most of the pools. */
  #pickDex(key: number): DexFacts {
    const dex = this.dexes[Math.floor(unitAt(key, 40) ** 2 * this.dexes.length)];
    if (dex === undefined) throw new Error(`${this.#network.id}: needs a DEX`);
    return dex;
  }

  #addPool(traits: PoolTraits): void {
    const { tokens } = traits;
    const pool = new Pool(this.#network, this.#clock, this.#pools.length + 1, traits);
    this.#pools.push(pool);
    for (const token of tokens) {
      if (token.pools.length === 0) this.#tokens.push(token);
      token.pools.push(pool);
    }
  }
}

function* addMissing<Item>(
  byKey: Map<string, Item>,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Work<void> {
  for (const [at, item] of items.slice(byKey.size).entries()) {
    byKey.set(keyOf(item), item);
    if (at % POOLS_A_STEP === 0) yield;
  }
}

/** The public pools, then one pool for each hub without a public pool. */
function knownRows({ id: network, hubs, launchedAt }: NetworkFacts): PoolRow[] {
  const rows = POOL_ROWS.filter((pool) => pool.network === network);
  const seen = new Set(rows.flatMap((pool) => pool.symbols));
  for (const hub of hubs) {
    if (seen.has(hub)) continue;
    const partner = hubs.find((other) => other !== hub && isStableSymbol(other)) ?? hubs[0] ?? hub;
    const unknown = { id: undefined, dexName: undefined, createdAtBlockNumber: undefined };
    rows.push({ network, symbols: [hub, partner], fee: 0.05, createdAt: launchedAt, ...unknown });
    seen.add(hub).add(partner);
  }
  return rows;
}

function givenName(network: NetworkFacts, rank: number): TokenName | undefined {
  const hostile = network.id === "ethereum" ? HOSTILE_NAMES[HOSTILE_RANKS.indexOf(rank)] : undefined;
  return hostile ?? FOREIGN_NAMES[FOREIGN_RANKS.indexOf(rank)];
}

function existsAt({ pools: [first] }: Token, at: number): boolean {
  return first !== undefined && first.createdAt <= at;
}

const poolsCreatedBy = rememberLatest((pools: readonly Pool[], at) =>
  pools.filter(({ createdAt }) => createdAt <= at),
);
const tokensCreatedBy = rememberLatest((tokens: readonly Token[], at) =>
  tokens.filter((token) => existsAt(token, at)),
);
