import { makeAddress, makeHash64 } from "./addresses.ts";
import { cutAt } from "./deck.ts";
import { hash, unitAt } from "./hash.ts";
import { blockNumberAt, HISTORY_START } from "./history.ts";
import type { Token } from "./tokens.ts";
import { slotAt } from "./trades.ts";
import type { BlockClock, DexFacts, PoolFacts, PoolTokens, TokenFacts, Trading } from "./types.ts";
import type { NetworkRow, PoolRow } from "../well-known.ts";

export interface PoolTraits {
  readonly key: number;
  readonly tokens: readonly Token[];
  readonly dex: DexFacts;
  readonly createdAt: number;
  readonly fee: number | null;
  /** Undefined for a pool that is not public. */
  readonly known: PoolRow | undefined;
}

/** A search makes every pool of every network, but shows few of them. Their IDs are made when they are read. */
export class Pool implements PoolFacts {
  readonly network: NetworkRow;
  readonly dex: DexFacts;
  readonly tokens: PoolTokens;
  readonly fee: number | null;
  readonly createdAt: number;
  readonly rank: number;
  readonly key: number;
  readonly clock: BlockClock;
  readonly tradesFrom: number;
  readonly #traits: PoolTraits;
  #id: string | undefined;
  #facts: Trading | undefined;

  constructor(network: NetworkRow, clock: BlockClock, rank: number, traits: PoolTraits) {
    const { key, dex, fee, createdAt } = traits;
    const [token0, token1, ...more] = traits.tokens;
    if (token0 === undefined || token1 === undefined)
      throw new Error(`${network.id}: a pool needs two tokens`);
    this.network = network;
    this.dex = dex;
    this.tokens = [token0, token1, ...more];
    this.fee = fee;
    this.createdAt = createdAt;
    this.rank = rank;
    this.key = hash(key, 51);
    this.clock = clock;
    this.tradesFrom = Math.max(createdAt, HISTORY_START);
    this.#traits = traits;
  }

  get id(): string {
    const { network, dex } = this;
    const { known, key } = this.#traits;
    this.#id ??= known?.id ?? makePoolId(network, dex, hash(key, 50));
    return this.#id;
  }

  get createdAtBlockNumber(): number {
    return this.#traits.known?.createdAtBlockNumber ?? blockNumberAt(this.clock, this.createdAt);
  }

  get trading(): Trading {
    this.#facts ??= tradingOf(this, this.network, this.#traits.key);
    return this.#facts;
  }
}

function tradingOf(pool: Pool, { poolCount }: NetworkRow, traitsKey: number): Trading {
  const { key, rank, tokens, tradesFrom } = pool;
  const size = 9000 * rank ** -0.4 * (0.4 + 1.2 * unitAt(traitsKey, 52));
  return {
    swapUsd: size * Math.sqrt(poolCount / 4200),
    noise: noiseOf(tokens[0]) + noiseOf(tokens[1]),
    firstSlot: slotAt({ key, rank }, tradesFrom),
    cut: cutAt(unitAt(traitsKey, 53)),
  };
}

function noiseOf({ asset }: TokenFacts): number {
  if (asset.isStable) return 0.00004;
  return asset.isWellKnown ? 0.0003 : 0.002;
}

function makePoolId(network: NetworkRow, dex: DexFacts, key: number): string {
  return dex.dexId === "uniswap_v4" ? makeHash64(key) : makeAddress(network.addressFamily, key);
}
