import { makeAddress, makeHash64 } from "./addresses.ts";
import type { Asset } from "./assets.ts";
import { cutAt } from "./deck.ts";
import { belowAt, hash, unitAt } from "./hash.ts";
import { type BlockClock, blockNumberAt, DAY, HISTORY_START, slotAt } from "./history.ts";
import type { DexFacts, TokenName } from "./names.ts";
import type { NetworkFacts, PoolRow } from "../well-known.ts";

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
export class Pool {
  readonly network: NetworkFacts;
  readonly dex: DexFacts;
  /** Two tokens, or in rare cases three. The first is the base token, and the second is the quote token. */
  readonly tokens: readonly [Token, Token, ...Token[]];
  /** Percent; null if the service has no value. */
  readonly fee: number | null;
  readonly createdAt: number;
  /** 1 is the network's busiest pool. A pool has about 4,000 / rank trades per day. */
  readonly rank: number;
  readonly key: number;
  readonly clock: BlockClock;
  /** The time of the first trade, in Unix seconds. */
  readonly tradesFrom: number;
  readonly #traits: PoolTraits;
  #id: string | undefined;
  #trading: Trading | undefined;

  constructor(network: NetworkFacts, clock: BlockClock, rank: number, traits: PoolTraits) {
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
    this.#trading ??= tradingOf(this, this.#traits.key);
    return this.#trading;
  }
}

type Trading = ReturnType<typeof tradingOf>;

/** What a pool's trades are derived from. */
function tradingOf(pool: Pool, traitsKey: number) {
  const { network, rank, tokens, tradesFrom } = pool;
  const size = 9000 * rank ** -0.4 * (0.4 + 1.2 * unitAt(traitsKey, 52));
  return {
    /** The median size of a swap. */
    swapUsd: size * Math.sqrt(network.poolCount / 4200),
    /** A trade's maximum deviation from the noise-free price, as a fraction. */
    noise: noiseOf(tokens[0]) + noiseOf(tokens[1]),
    /** The slot and the card of the first trade. */
    firstSlot: slotAt(pool, tradesFrom),
    cut: cutAt(unitAt(traitsKey, 53)),
  };
}

function noiseOf({ asset }: Token): number {
  if (asset.isStable) return 0.00004;
  return asset.isWellKnown ? 0.0003 : 0.002;
}

function makePoolId(network: NetworkFacts, dex: DexFacts, key: number): string {
  return dex.dexId === "uniswap_v4" ? makeHash64(key) : makeAddress(network.addressFamily, key);
}

interface TokenTraits {
  readonly makeAddress: () => string;
  readonly name: TokenName;
  readonly decimals: number;
  readonly supply: number;
  readonly hasImage: boolean;
  readonly asset: Asset;
  readonly isPriced: boolean;
}

/** A search makes every token of every network, but shows few of them. Their texts and supplies are made when read. */
export class Token {
  readonly network: NetworkFacts;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly hasImage: boolean;
  readonly asset: Asset;
  readonly isPriced: boolean;
  readonly createdAt: number;
  readonly addedAt: number;
  /** The first one is the busiest and oldest, with which the token appears. Never empty once the network is made. */
  readonly pools: Pool[] = [];
  readonly #key: number;
  readonly #traits: TokenTraits;
  #address: string | undefined;

  /** The token appears at `firstPoolAt`, in Unix seconds. */
  constructor(network: NetworkFacts, key: number, firstPoolAt: number, traits: TokenTraits) {
    this.network = network;
    this.name = traits.name.name;
    this.symbol = traits.name.symbol;
    this.decimals = traits.decimals;
    this.hasImage = traits.hasImage;
    this.asset = traits.asset;
    this.isPriced = traits.isPriced;
    this.createdAt = firstPoolAt - belowAt(key, 21, 5 * DAY);
    // The service cannot have added a token before the start of its own history.
    this.addedAt = Math.max(firstPoolAt, HISTORY_START);
    this.#key = key;
    this.#traits = traits;
  }

  get address(): string {
    this.#address ??= this.#traits.makeAddress();
    return this.#address;
  }

  /** Raw units. Some values exceed 2^53. */
  get totalSupply(): bigint {
    const { decimals } = this;
    return BigInt(this.#traits.supply) * 10n ** BigInt(decimals) + makeDust(this.#key, decimals);
  }

  get description(): string {
    const { name, network } = this;
    return this.#hasPage() ? `${name} is a simulated token of the sandbox on ${network.displayName}.` : "";
  }

  get website(): string {
    const slug = this.symbol.toLowerCase().replace(/[^a-z0-9]/g, "") || "token";
    return this.#hasPage() ? `https://${slug}.example` : "";
  }

  get explorer(): string {
    const { id } = this.network;
    return `${EXPLORERS[id] ?? `https://explorer.example/${id}/token/`}${this.address}`;
  }

  #hasPage(): boolean {
    return unitAt(this.#key, 20) < 0.45;
  }
}

/** Up to half a token. Because of burning and minting, real supplies have low digits that a double cannot represent. */
function makeDust(key: number, decimals: number): bigint {
  if (unitAt(key, 22) < 0.4) return 0n;
  const digits = BigInt(hash(key, 23) >>> 0) * 4_294_967_296n + BigInt(hash(key, 24) >>> 0);
  return -(digits % (10n ** BigInt(decimals) / 2n)) | 1n;
}

const EXPLORERS: Readonly<Record<string, string>> = {
  ethereum: "https://etherscan.io/token/",
  solana: "https://solscan.io/token/",
  bsc: "https://bscscan.com/token/",
  base: "https://basescan.org/token/",
  arbitrum: "https://arbiscan.io/token/",
  polygon: "https://polygonscan.com/token/",
};
