import { createMarket as createNewMarket } from "../../src/sandbox/market/market.ts";
import type { Market } from "../../src/sandbox/market/market.ts";

/** For tests of the caches of a market, which a shared one would have filled. */
export { createNewMarket };

declare global {
  /** The program's bundle has its own copy of this module. */
  var marketsInTest: Map<number, Market> | undefined;
}

/**
 * Returns one market for all sandboxes of a test process with the same seed, including those of `--sandbox`: creating
 * its networks is the main cost of a short test. The state that a market caches changes no response, as
 * `sandbox/market/remembered.test.ts` verifies.
 */
export function createMarket({ seed }: { seed: number }): Market {
  const markets = (globalThis.marketsInTest ??= new Map());
  const market = markets.get(seed) ?? createNewMarket({ seed });
  markets.set(seed, market);
  return market;
}
