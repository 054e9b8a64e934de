import { makeAddress, makeHash64 } from "./addresses.ts";
import { makeAsset, makeKnownAsset } from "./assets.ts";
import { hash, hashText, pickAt, unitAt } from "./hash.ts";
import { makeTokenName, type TokenName } from "./names.ts";
import { Token } from "./pool.ts";
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

function nameOf(symbol: string): string {
  const names: Readonly<Record<string, string>> = {
    USDC: "USD Coin",
    USDT: "Tether USD",
    WETH: "Wrapped Ether",
  };
  return names[symbol] ?? (/^[Ww][A-Z]/.test(symbol) ? `Wrapped ${symbol.slice(1)}` : symbol);
}
