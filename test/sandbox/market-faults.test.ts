import { describe, expect, test } from "vitest";
import { busiestPool, comparePages, compareTotals, instantsOf, serve } from "./compare-market.ts";
import { at as valueAt, list, NOON } from "./contract/service.ts";
import { finalRows, isForked, type MarketRules } from "./listed-rows.ts";

const DAY = 86_400;

interface Case {
  readonly faults: string;
  readonly rules: Omit<MarketRules, "seed">;
}

const cases: readonly Case[] = [
  { faults: "late-rows=90s:30%", rules: { late: [90, 0.3] } },
  { faults: "late-rows=2h:100%", rules: { late: [7200, 1] } },
  { faults: "withdrawn-rows=10m:30%", rules: { withdrawn: [600, 0.3] } },
  { faults: "withdrawn-rows=1h:100%", rules: { withdrawn: [3600, 1] } },
  { faults: "reorg=12:30%", rules: { reorg: [12, 0.3] } },
  { faults: "reorg=64:100%", rules: { reorg: [64, 1] } },
  {
    faults: "late-rows=20m:20%,withdrawn-rows=15m:30%,reorg=40:40%",
    rules: { late: [1200, 0.2], withdrawn: [900, 0.3], reorg: [40, 0.4] },
  },
  { faults: "late-rows:0%,withdrawn-rows:0%,reorg:0%", rules: {} },
];

/** Chains with blocks of 12 s and of 0.4 s, and the rows of all cases. */
const chains = ["ethereum", "solana"].map((slug) => {
  const chosen = busiestPool(1, slug);
  return { chosen, final: finalRows(chosen.market, chosen.pool, NOON - DAY - 3600, NOON + 3 * 3600) };
});

describe.each(cases)("$faults", ({ faults, rules }) => {
  test("totals, pages, cursors and ranges equal the plain list", () => {
    let others = 0;
    for (const { chosen, final } of chains) {
      const ask = serve(faults, { seed: 1 });
      for (const at of instantsOf(chosen, rules, 3))
        others += comparePages(ask, chosen, { seed: 1, ...rules }, at, 0.5, final);
    }
    expect(others > 0).toBe(rules.withdrawn !== undefined || rules.reorg !== undefined);
  });

  test("windows and candles are folded from the listed rows", () => {
    for (const { chosen, final } of chains.slice(0, 1)) {
      const ask = serve(faults, { seed: 1 });
      for (const at of instantsOf(chosen, rules, 2))
        compareTotals(ask, chosen, { seed: 1, ...rules }, at, final);
    }
  });

  test("all blocks of one time have one hash each, and only a fork's differ from the final ones", () => {
    const seed = 1;
    const chosen = busiestPool(seed, "ethereum");
    const { pool, path } = chosen;
    const [ask, final] = [serve(faults, { seed, dialect: "public" }), serve("", { seed, dialect: "public" })];
    const hashes = (body: unknown): Map<number, unknown> =>
      new Map(
        list(body, "transactions").map((row) => [
          Number(valueAt(row, "created_at_block_number")),
          valueAt(row, "created_at_block_hash"),
        ]),
      );
    for (const at of instantsOf(chosen, rules, 3)) {
      const shown = hashes(ask(`${path}/transactions?limit=100`, at));
      const later = hashes(final(`${path}/transactions?limit=100`, at));
      for (const [block, hash] of shown) {
        const finalHash = later.get(block);
        if (finalHash === undefined) continue;
        expect({ at, block, differs: hash !== finalHash }).toEqual({
          at,
          block,
          differs: isForked({ seed, ...rules }, pool, block, at),
        });
      }
    }
  });

  test("once rows are old enough, every byte is that of a sandbox without faults", () => {
    const { path } = busiestPool(1, "ethereum");
    for (const dialect of ["spec", "public"] as const) {
      const [ask, final] = [serve(faults, { dialect }), serve("", { dialect })];
      const old = NOON - 3 * 3600;
      for (const target of [
        `${path}/transactions?to=${old}&limit=100`,
        `${path}/transactions?to=${old}&limit=7&page=3`,
        `${path}/transactions?to=${old}&cursor=&limit=100`,
        `${path}/ohlcv?start=${old - DAY}&end=${old}&interval=1h&limit=24`,
      ])
        expect(ask(target, NOON)).toEqual(final(target, NOON));
    }
  });
});
