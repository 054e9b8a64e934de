import { makeAddress, makeHash64 } from "./addresses.ts";
import { type Asset, makeAsset, makeKnownAsset } from "./assets.ts";
import { DAY, HISTORY_START } from "./history.ts";
import { belowAt, hash, hashText, pickAt, unitAt } from "./hash.ts";
import { makeTokenName, type TokenName } from "./names.ts";
import type { PoolFacts, TokenFacts } from "./types.ts";
import { type AddressFamily, type NetworkFacts, TOKEN_ROWS } from "../well-known.ts";

const DECIMALS: Readonly<Record<AddressFamily, readonly [number, ...number[]]>> = {
  evm: [18, 18, 18, 18, 18, 18, 18, 18, 18, 9, 8, 6],
  solana: [6, 6, 6, 9],
  sui: [9, 9, 6],
  aptos: [8, 8, 6],
  tron: [6, 18, 6],
  ton: [9],
};

/** In tokens, not raw units. */
const SUPPLIES: readonly [number, ...number[]] = [
  1e9, 1e9, 1e9, 1e9, 1e8, 1e7, 1e6, 1e10, 1e11, 1e12, 4.2069e14, 1e15,
];

const EXPLORERS: Readonly<Record<string, string>> = {
  ethereum: "https://etherscan.io/token/",
  solana: "https://solscan.io/token/",
  bsc: "https://bscscan.com/token/",
  base: "https://basescan.org/token/",
  arbitrum: "https://arbiscan.io/token/",
  polygon: "https://polygonscan.com/token/",
};

export function makeKnownToken(
  seed: number,
  network: NetworkFacts,
  symbol: string,
  firstPoolAt: number,
): Token {
  const row = TOKEN_ROWS.find((known) => known.network === network.id && known.symbol === symbol);
  const key = hashText(seed, `token ${network.id} ${symbol}`);
  const asset = makeKnownAsset(seed, symbol);
  const { isStable } = asset;
  const name = row?.name ?? nameOf(symbol);
  return new Token(network, key, firstPoolAt, {
    makeAddress: () => row?.address ?? makeAddress(network.addressFamily, hash(key, 1)),
    name: { name, symbol },
    decimals: row?.decimals ?? (isStable ? 6 : pickAt(key, 0, DECIMALS[network.addressFamily])),
    supply: Math.round((isStable ? 2e9 : 6e8 * (1 + 8 * unitAt(key, 2))) / Math.exp(asset.logBase)) + 1,
    hasImage: true,
    asset,
    isPriced: true,
  });
}

export function makeToken(network: NetworkFacts, key: number, firstPoolAt: number, given?: TokenName): Token {
  const family = network.addressFamily;
  const supply = pickAt(key, 2, SUPPLIES);
  // One in 150 tokens is nearly worthless, so that prices with twelve zeros occur.
  const worth =
    unitAt(key, 3) < 1 / 150
      ? supply * 10 ** -(11 + unitAt(key, 4))
      : 3e4 * 10 ** (4.5 * unitAt(key, 4) ** 2);
  const isCoinType = family === "aptos" && unitAt(key, 5) < 0.5;
  const addressKey = hash(key, 6);
  return new Token(network, key, firstPoolAt, {
    makeAddress: () =>
      isCoinType ? `${makeHash64(addressKey)}::coin::Coin` : makeAddress(family, addressKey),
    name: given ?? makeTokenName(hash(key, 0)),
    decimals: pickAt(key, 1, DECIMALS[family]),
    supply,
    hasImage: unitAt(key, 7) < 0.6,
    asset: makeAsset(hash(key, 8), worth / supply, 0.003 + 0.005 * unitAt(key, 9), false, false),
    isPriced: given !== undefined || unitAt(key, 10) > 0.025,
  });
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
export class Token implements TokenFacts {
  readonly network: NetworkFacts;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly hasImage: boolean;
  readonly isPriced: boolean;
  readonly createdAt: number;
  readonly addedAt: number;
  readonly #key: number;
  readonly #traits: TokenTraits;
  readonly #pools: PoolFacts[] = [];
  #address: string | undefined;

  /** The token appears at `firstPoolAt`, in Unix seconds. */
  constructor(network: NetworkFacts, key: number, firstPoolAt: number, traits: TokenTraits) {
    this.network = network;
    this.name = traits.name.name;
    this.symbol = traits.name.symbol;
    this.decimals = traits.decimals;
    this.hasImage = traits.hasImage;
    this.isPriced = traits.isPriced;
    this.createdAt = firstPoolAt - belowAt(key, 21, 5 * DAY);
    // The service cannot have added a token before the start of its own history.
    this.addedAt = Math.max(firstPoolAt, HISTORY_START);
    this.#key = key;
    this.#traits = traits;
  }

  get pools(): PoolFacts[] {
    return this.#pools;
  }

  get address(): string {
    this.#address ??= this.#traits.makeAddress();
    return this.#address;
  }

  get asset(): Asset {
    return this.#traits.asset;
  }

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

function nameOf(symbol: string): string {
  const names: Readonly<Record<string, string>> = {
    USDC: "USD Coin",
    USDT: "Tether USD",
    WETH: "Wrapped Ether",
  };
  return names[symbol] ?? (/^[Ww][A-Z]/.test(symbol) ? `Wrapped ${symbol.slice(1)}` : symbol);
}
