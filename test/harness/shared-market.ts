import { createMarket as create } from "../../src/sandbox/market/market.ts";
import type { Market } from "../../src/sandbox/market/types.ts";

const markets = new Map<number, Market>();

/**
 * One market for all sandboxes of a test file with the same seed: making its networks is most of what a short test costs.
 * What a market keeps changes no answer, as `sandbox/market/remembered.test.ts` shows.
 */
export function createMarket({ seed }: { seed: number }): Market {
  const market = markets.get(seed) ?? create({ seed });
  markets.set(seed, market);
  return market;
}
