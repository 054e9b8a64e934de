import { createMarket as create } from "../../src/sandbox/market/market.ts";
import type { Market } from "../../src/sandbox/market/types.ts";

const markets = new Map<number, Market>();

/**
 * Returns one market for all sandboxes of a test file with the same seed: creating its networks is the main cost of a
 * short test. The state that a market caches changes no response, as `sandbox/market/remembered.test.ts` verifies.
 */
export function createMarket({ seed }: { seed: number }): Market {
  const market = markets.get(seed) ?? create({ seed });
  markets.set(seed, market);
  return market;
}
