import { nearest } from "../text/nearest.ts";

/** What people type for a network whose slug they do not know; only ever a suggestion, never sent. */
export const networkAliases: ReadonlyMap<string, string> = new Map([
  ["eth", "ethereum"],
  ["mainnet", "ethereum"],
  ["sol", "solana"],
  ["ftm", "fantom"],
  ["bnb", "bsc"],
  ["binance", "bsc"],
  ["binance-smart-chain", "bsc"],
  ["matic", "polygon"],
  ["pol", "polygon"],
  ["arb", "arbitrum"],
  ["arbitrum_one", "arbitrum"],
  ["op", "optimism"],
  ["avax", "avalanche"],
  ["avalanche-c", "avalanche"],
  ["mnt", "mantle"],
  ["flow", "flow_evm"],
  ["uni", "unichain"],
  ["ron", "ronin"],
  ["cro", "cronos"],
  ["apt", "aptos"],
  ["zksync_era", "zksync"],
  ["trx", "tron"],
  ["bob", "bob_network"],
  ["bera", "berachain"],
  ["coinbase", "base"],
  ["zk", "zksync"],
  ["hyperliquid", "hyperevm"],
  ["xlayer", "x_layer"],
]);

/** For hints where the service is not asked; what it knows is its own to say. */
export const wellKnownNetworks: ReadonlySet<string> = new Set([
  ...networkAliases.values(),
  ..."aptos arc blast celo katana linea megaeth monad plasma robinhood scroll sei sonic sui tempo ton".split(
    " ",
  ),
]);

/** The slug among `known` that somebody most likely means: `eth` → `ethereum`. */
export function nearestNetwork(typed: string, known: ReadonlySet<string>): string | undefined {
  const alias = networkAliases.get(typed.toLowerCase());
  return alias !== undefined && known.has(alias) ? alias : nearest(typed, known);
}

/** Of these the first that no list of well-known ones has, with what may be meant; nothing is asked. */
export function hintAtNetworks(networks: readonly string[]): string {
  const unknown = networks.find((each) => !wellKnownNetworks.has(each));
  const near = unknown === undefined ? undefined : nearestNetwork(unknown, wellKnownNetworks);
  return near === undefined ? "list them: dexdata networks" : `did you mean ${near}?`;
}
