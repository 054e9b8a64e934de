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
