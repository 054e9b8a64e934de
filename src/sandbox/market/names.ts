import { belowAt, hash, hashText, pickAt, unitAt } from "./hash.ts";
import { makeAddress } from "./addresses.ts";
import type { NetworkFacts } from "../well-known.ts";

export interface TokenName {
  readonly name: string;
  readonly symbol: string;
}

const STARTS = words(
  "b br c ch cr d dr f fl g gl h j k kr l m n p pl qu r s sh sk sl sn st t th tr v w y z zh",
);
const VOWELS = words("a a a e e i i o o u ai ee oo ou io");
const ENDS = words("n r x l s m t k ro na zo ra ko li mi to vo do ta go");
const CREATURES = words(
  "Frog Cat Dog Shib Ape Otter Panda Wolf Bear Bull Duck Goose Whale Crab Moth Yak Lynx Fox Hamster Penguin",
);
const ADJECTIVES = words(
  "Baby Giga Based Tiny Mega Hyper Lazy Angry Golden Cosmic Wrapped Liquid Frozen Neon Quantum Silent Happy",
);
const SUFFIXES = words(
  "Protocol Finance Network DAO Inu Coin Token Swap Labs AI Cash Chain Games World Credit",
);

/** Non-ASCII letters; wide, zero-width and right-to-left characters; and symbols that start with a dollar sign. */
export const FOREIGN_NAMES: readonly [TokenName, ...TokenName[]] = [
  { name: "Café Élan", symbol: "CAFÉ" },
  { name: "狗狗币", symbol: "狗币" },
  { name: "Rocket 🚀 Moon", symbol: "🚀MOON" },
  { name: "Ωmega Protocol", symbol: "ΩMG" },
  { name: "Ёжик Coin", symbol: "ЁЖ" },
  { name: "にゃんこ", symbol: "にゃん" },
  { name: "شيبا", symbol: "شيبا" },
  { name: "Tether Lookalike", symbol: "USD₮" },
  { name: "Family 👨‍👩‍👧 Token", symbol: "👨‍👩‍👧" },
  { name: "Smørrebrød", symbol: "$SMØR" },
];

export const HOSTILE_NAMES: readonly TokenName[] = [
  { name: "\u001b[31mRed Alert\u001b[0m\u001b]0;owned\u0007", symbol: "\u001b[2JRED" },
  { name: "Safe\u202ednuR\u202c", symbol: "\u202eCDSU" },
  { name: "Line\nBreak\r\nCoin", symbol: "LINE\nB" },
  { name: '=HYPERLINK("https://example.invalid/claim","Claim")', symbol: "=1+1" },
  { name: 'Comma, "Quote" | Pipe\tTab', symbol: "A,B" },
];

export function makeTokenName(key: number): TokenName {
  if (unitAt(key, 0) < 0.012) return pickAt(key, 1, FOREIGN_NAMES);
  const style = unitAt(key, 2);
  if (style < 0.25) {
    const name = `${pickAt(key, 3, ADJECTIVES)} ${pickAt(key, 4, CREATURES)}`;
    return { name, symbol: shorten(name, key) };
  }
  const word = makeWord(key);
  const name = style < 0.6 ? `${word} ${pickAt(key, 5, SUFFIXES)}` : word;
  return { name, symbol: shorten(word, key) };
}

function makeWord(key: number): string {
  let word = "";
  const syllables = 1 + belowAt(key, 6, 2);
  for (let index = 0; index < syllables; index += 1) {
    const part = hash(key, 7 + index);
    word += pickAt(part, 0, STARTS) + pickAt(part, 1, VOWELS);
  }
  word += pickAt(key, 9, ENDS);
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function shorten(name: string, key: number): string {
  const letters = name.replace(" ", "").toUpperCase();
  const length = 3 + belowAt(key, 10, 4);
  return unitAt(key, 11) < 0.04
    ? `${letters.slice(0, length)}${belowAt(key, 12, 100)}`
    : letters.slice(0, length);
}

function words(text: string): readonly [string, ...string[]] {
  const [first = "", ...rest] = text.split(" ");
  return [first, ...rest];
}

/** Busiest first, by network or else by address family. If a network needs more, names are generated. */
const NAMES: Readonly<Record<string, string>> = {
  ethereum:
    "Uniswap V3|Uniswap V2|Uniswap V4|Curve|Balancer V2|SushiSwap|PancakeSwap V3|MakerDAO|Fluid|Maverick V2|DODO|ShibaSwap|KyberSwap|Fraxswap|Balancer V3|Ekubo|Bancor V3|Sushi V3|PancakeSwap V2|Solidly V3|Integral|Verse",
  solana: "Raydium CLMM|Orca|Meteora|PumpSwap|Pump.fun|Raydium|Lifinity|Phoenix|Saros|FluxBeam",
  bsc: "PancakeSwap V3|PancakeSwap V2|Uniswap V3|Biswap|THENA|ApeSwap|DODO|Uniswap V4|BakerySwap|MDEX",
  base: "Aerodrome SlipStream|Uniswap V3|Uniswap V4|PancakeSwap V3|Aerodrome|Uniswap V2|SushiSwap|BaseSwap|AlienBase",
  arbitrum: "Uniswap V3|Camelot V3|SushiSwap|PancakeSwap V3|Uniswap V4|Curve|Balancer V2|Ramses|Trader Joe",
  polygon: "Uniswap V3|QuickSwap V3|QuickSwap|SushiSwap|Balancer V2|Curve|DODO|Uniswap V4",
  robinhood: "Uniswap V3|Uniswap V2",
  evm: "Uniswap V3|SushiSwap|Curve|Uniswap V2",
  sui: "Cetus|Momentum|Bluefin|Turbos|Kriya",
  aptos: "Thala|LiquidSwap|PancakeSwap|Cellana",
  tron: "SunSwap V2|SunSwap V3|SUN",
  ton: "STON.fi|DeDust|STON.fi V2",
};

const PROTOCOLS: Readonly<Record<string, string>> = { uniswap_v2: "uniswapv2", balancer_v2: "balancer" };

const FACTORIES: Readonly<Record<string, string>> = {
  "ethereum/uniswap_v3": "0x1f98431c8ad98523631ae4a59f267346ea31f984",
  "ethereum/uniswap_v2": "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f",
  "solana/raydium_clmm": "CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK",
  "solana/meteora": "LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo",
  "solana/orca": "whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc",
};

const ENDINGS = ["Swap", " V2", " V3", " DEX", " Exchange", " AMM"];

export type DexFacts = ReturnType<typeof makeDexes>[number];

export function makeDexes(seed: number, network: NetworkFacts, count: number) {
  const text = NAMES[network.id] ?? NAMES[network.addressFamily] ?? "";
  const names = new Map(text.split("|").map((name) => [slugOf(name), name]));
  for (let index = 0; names.size < count; index += 1) {
    const key = hashText(seed, `dex ${network.id} ${index}`);
    const name = `${makeWord(key)}${ENDINGS[belowAt(key, 20, ENDINGS.length)] ?? ""}`;
    if (!names.has(slugOf(name))) names.set(slugOf(name), name);
  }
  return [...names].slice(0, Math.max(count, 2)).map(([dexId, dexName]) => ({
    network,
    dexId,
    dexName,
    protocol: PROTOCOLS[dexId] ?? dexId,
    factoryId:
      FACTORIES[`${network.id}/${dexId}`] ??
      makeAddress(network.addressFamily, hashText(seed, `factory ${network.id} ${dexId}`)),
  }));
}

export function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
}
