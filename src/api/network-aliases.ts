import { nearest } from "../base/text/nearest.ts";

/** Other names by slug. */
const otherNames = {
  ethereum: "eth mainnet",
  solana: "sol",
  fantom: "ftm",
  bsc: "bnb binance binance-smart-chain",
  polygon: "matic pol",
  arbitrum: "arb arbitrum_one",
  optimism: "op",
  avalanche: "avax avalanche-c",
  mantle: "mnt",
  flow_evm: "flow",
  unichain: "uni",
  ronin: "ron",
  cronos: "cro",
  aptos: "apt",
  zksync: "zksync_era zk",
  tron: "trx",
  bob_network: "bob",
  berachain: "bera",
  base: "coinbase",
  hyperevm: "hyperliquid",
  x_layer: "xlayer",
};

/** Maps the names that people type to slugs. Aliases are only suggested, never sent. */
export const networkAliases: ReadonlyMap<string, string> = new Map(
  Object.entries(otherNames).flatMap(([slug, names]) => names.split(" ").map((name) => [name, slug])),
);

/** Networks that hints can use without a request. Only the service knows the complete list. */
export const wellKnownNetworks: ReadonlySet<string> = new Set([
  ...Object.keys(otherNames),
  ..."aptos arc blast botanix celo katana linea megaeth monad plasma robinhood scroll sei sonic sui tempo ton".split(
    " ",
  ),
]);

/** The slug that the user most likely meant, such as `ethereum` for `eth`. */
export function nearestNetwork(typed: string, known: ReadonlySet<string>): string | undefined {
  const alias = networkAliases.get(typed.toLowerCase());
  return alias !== undefined && known.has(alias) ? alias : nearest(typed, known);
}

/** Does not send a request. */
export function hintAtNetworks(networks: readonly string[]): string {
  const unknown = networks.find((each) => !wellKnownNetworks.has(each));
  const near = unknown === undefined ? undefined : nearestNetwork(unknown, wellKnownNetworks);
  return near === undefined ? "list them: dexdata networks" : `did you mean ${near}?`;
}
