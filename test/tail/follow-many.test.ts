import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createMarket } from "../harness/bundled-sandbox.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { createTestContext } from "../harness/test-context.ts";
import { startService, writtenRows } from "./following.ts";

const market = createMarket({ seed: 1 });
const ethereum = market.network("ethereum");
if (ethereum === undefined) throw new Error("the market has Ethereum");
const pools = market.pools(ethereum, sandboxNow / 1000).slice(0, 20);

/** Every row of the pools, in no particular order; both times are in milliseconds and inclusive. */
function marketRows(from: number, to: number): readonly string[] {
  const window = { from: Math.ceil(from / 1000), to: Math.floor(to / 1000), limit: Number.POSITIVE_INFINITY };
  return pools
    .flatMap((pool) => market.transactions(pool, window).map(({ id, logIndex }) => `${id} ${logIndex}`))
    .toSorted();
}

function newList(): { readonly folder: string; readonly list: string } {
  const folder = createTestContext().home;
  const list = path.join(folder, "pools.txt");
  writeFileSync(list, pools.map(({ id }) => `ethereum:${id}\n`).join(""));
  return { folder, list };
}

function rowsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ndjson"))
    .flatMap((name) => writtenRows(readFileSync(path.join(folder, name), "utf8")))
    .toSorted();
}

const from = `--from ${sandboxNow / 1000 - 3600}`;
const hour = 3_600_000;

async function withService(
  options: Parameters<typeof startService>[0],
  use: (service: Awaited<ReturnType<typeof startService>>) => Promise<void>,
): Promise<void> {
  const service = await startService(options);
  try {
    await use(service);
  } finally {
    await service.close();
  }
}

describe("many pools", () => {
  test.each(["{network}/{pool}/{date}.ndjson", "swaps-{date}.ndjson"])(
    "each row of each pool is written once, over three runs: %s",
    async (name) => {
      const { folder, list } = newList();
      const faults = "late-rows=30s:5%,500:2%,429=1:1%,reset-body:1%";
      await withService({ sandbox: { faults, dialect: "public" } }, async ({ start, now, log }) => {
        for (let runs = 0; runs < 3; runs += 1) {
          log.length = 0;
          const words = `txns @${list} --follow ${from} --for 3m --out ${path.join(folder, name)}`;
          const { exit, stderr } = await start(words).outcome;
          expect({ exit, stderr }).toMatchObject({ exit: 0 });
          if (runs > 0) expect(log.length).toBeLessThan(pools.length * 5);
        }
        const rows = rowsBelow(folder);
        expect(new Set(rows).size).toBe(rows.length);
        // The last reads were at most a minute ago.
        const written = new Set(rows);
        const missing = marketRows(sandboxNow - hour, now() - 130_000).filter((row) => !written.has(row));
        expect(missing).toEqual([]);
      });
    },
  );
});
