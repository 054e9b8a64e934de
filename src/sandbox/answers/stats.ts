import { type Answer, supportedNetworks } from "./answer.ts";

/** Wire-facts 4.12, which only the public service has: how much of everything there is. */
export const answerStats: Answer = (asked) => {
  const { market, at } = asked;
  const networks = supportedNetworks(asked);
  const total = (count: (network: (typeof networks)[number]) => number): number =>
    networks.reduce((sum, network) => sum + count(network), 0);
  return {
    chains: networks.length,
    factories: total((network) => market.dexes(network).length),
    pools: total((network) => market.pools(network, at).length),
    tokens: total((network) => market.tokens(network, at).length),
  };
};
