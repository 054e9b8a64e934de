import { describe, expect, test } from "vitest";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { busiestPool, comparePages, compareTotals, instantsOf, serve } from "./compare-market.ts";
import { list, NOON } from "./contract/service.ts";
import type { MarketRules } from "./listed-rows.ts";

const runs = isLong ? 100 : 2;
const chains = ["ethereum", "scroll", "bsc", "solana", "sui", "ton"];

/** Random kinds, ages and shares. */
function chooseFaults(
  random: () => number,
  seed: number,
): { readonly faults: string; readonly rules: MarketRules } {
  const whole = (most: number): number => 1 + Math.floor(random() * most);
  const percent = (): number => [1, 5, 20, 50, 100][Math.floor(random() * 5)] ?? 1;
  const [late, withdrawn, blocks] = [whole(3600), whole(3600), whole(64)];
  const [latePercent, withdrawnPercent, forkPercent] = [percent(), percent(), percent()];
  const chosen = whole(7);
  const has = (bit: number): boolean => (chosen & bit) !== 0;
  return {
    faults: [
      ...(has(1) ? [`late-rows=${late}s:${latePercent}%`] : []),
      ...(has(2) ? [`withdrawn-rows=${withdrawn}s:${withdrawnPercent}%`] : []),
      ...(has(4) ? [`reorg=${blocks}:${forkPercent}%`] : []),
    ].join(","),
    rules: {
      seed,
      ...(has(1) && { late: [late, latePercent / 100] as const }),
      ...(has(2) && { withdrawn: [withdrawn, withdrawnPercent / 100] as const }),
      ...(has(4) && { reorg: [blocks, forkPercent / 100] as const }),
    },
  };
}

describe(`${runs} random combinations of market faults`, () => {
  test.each(Array.from({ length: runs }, (_, index) => index + 1))(
    "run %i: totals, pages, cursors, ranges, time windows and candles equal the plain list",
    (run) => {
      const random = createRandom(run * 7919);
      const seed = 1 + (run % 3);
      const { faults, rules } = chooseFaults(random, seed);
      const chosen = busiestPool(seed, chains[Math.floor(random() * chains.length)] ?? "ethereum");
      const ask = serve(faults, { seed });
      for (const at of instantsOf(chosen, rules, 8)) {
        expect({ faults, others: comparePages(ask, chosen, rules, at, 2) }).toEqual({
          faults,
          others: expect.any(Number),
        });
        compareTotals(ask, chosen, rules, at);
      }
    },
    60_000,
  );
});

/** Milliseconds of processor time for pages that start a million rows before the newest one. */
function deepPages(faults: string): number {
  const { market, pool, path } = busiestPool(1, "ethereum");
  const ask = serve(faults, { seed: 1 });
  const [oldest] = market.transactions(pool, { to: NOON, skip: 1_000_000, limit: 1 });
  if (oldest === undefined) throw new Error("the pool has a million rows");
  const target = `${path}/transactions?limit=100&cursor=${oldest.id}`;
  ask(target, NOON);
  const before = process.cpuUsage();
  for (let second = 0; second < 40; second += 1)
    expect(list(ask(target, NOON + second), "transactions").length).toBe(100);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test("pages a million rows deep are as fast as without faults, although the clock advances", () => {
  const faults = "late-rows=20m:2%,withdrawn-rows=10m:1%,reorg=5:1%";
  const ratios = Array.from({ length: 5 }, () => deepPages(faults) / deepPages("")).toSorted((a, b) => a - b);
  console.log(`with market faults, such a page takes ${(ratios[2] ?? 0).toFixed(2)} times as long`);
  expect(ratios[2]).toBeLessThan(2);
});
