import { expect, test } from "vitest";
import { createMarket, createNewMarket } from "../../harness/bundled-sandbox.ts";
import type { Market } from "../../../src/sandbox/market/market.ts";

const NOON = 1_790_942_400;
const windows = [60, 300, 3600, 6 * 3600, 86_400, 2 * 86_400, 7 * 86_400];
/** Midnight, a second before and after it, and arbitrary times, unordered. */
const instants = [NOON, NOON + 43_200, NOON + 43_199, NOON - 86_400 * 40, NOON + 43_201, NOON + 7, NOON];

function poolsOf(market: Market) {
  const network = market.network("plasma");
  if (network === undefined) throw new Error("no such network");
  // Busy pools, and pools that rarely or never trade.
  return market.pools(network, NOON - 86_400 * 40);
}

test("earlier calls for other times and windows do not change a result", () => {
  const market = createNewMarket({ seed: 3 });
  const ask = (
    from: Market,
    index: number,
    at: number,
    seconds: number,
  ): readonly (ReturnType<Market["poolActivity"]> | undefined)[] => {
    const pool = poolsOf(from)[index];
    const token = pool?.tokens[0];
    return [pool && from.poolActivity(pool, at, seconds), token && from.tokenActivity(token, at, seconds)];
  };
  const asked = instants.flatMap((at) =>
    [0, 5, 30].flatMap((index) => windows.map((each) => [index, at, each])),
  );
  for (const [index = 0, at = 0, seconds = 0] of asked) {
    const fresh = createNewMarket({ seed: 3 });
    expect(ask(market, index, at, seconds)).toEqual(ask(fresh, index, at, seconds));
  }
});

test("the price change of a pool equals that of its activity, even without trades", () => {
  const market = createMarket({ seed: 3 });
  const seen = new Set<string>();
  for (const pool of poolsOf(market)) {
    for (const at of instants) {
      for (const seconds of windows) {
        const change = market.poolPriceChange(pool, at, seconds);
        const activity = market.poolActivity(pool, at, seconds);
        expect(change === null).toBe(activity.buys + activity.sells === 0);
        seen.add(change === null ? (activity.txns === 0 ? "quiet" : "liquidity only") : "traded");
      }
    }
  }
  expect([...seen].toSorted()).toEqual(["liquidity only", "quiet", "traded"]);
});
