import { makeAddress } from "./addresses.ts";
import { belowAt, hashText } from "./hash.ts";
import { makeWord } from "./names.ts";
import type { AddressFamily, DexFacts, NetworkFacts } from "./types.ts";

/** Names, the busiest first, by network or else by address family; made-up ones fill up to the count. */
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

export function makeDexes(seed: number, network: NetworkFacts, count: number): readonly DexFacts[] {
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
      FACTORIES[`${network.id}/${dexId}`] ?? makeFactory(network.addressFamily, seed, network.id, dexId),
  }));
}

export function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
}

function makeFactory(family: AddressFamily, seed: number, network: string, dexId: string): string {
  return makeAddress(family, hashText(seed, `factory ${network} ${dexId}`));
}
