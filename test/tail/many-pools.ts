import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createMarket } from "../harness/bundled-sandbox.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { createTestContext } from "../harness/test-context.ts";
import { startService, writtenRows } from "./following.ts";

const market = createMarket({ seed: 1 });
const ethereum = market.network("ethereum");
if (ethereum === undefined) throw new Error("the market has Ethereum");
/** The busiest of Ethereum. */
export const pools = market.pools(ethereum, sandboxNow / 1000).slice(0, 8);

/** Every row of the busiest pools, in no particular order; both times are in milliseconds and inclusive. */
export function marketRows(from: number, to: number, count = pools.length): readonly string[] {
  const window = { from: Math.ceil(from / 1000), to: Math.floor(to / 1000), limit: Number.POSITIVE_INFINITY };
  return pools
    .slice(0, count)
    .flatMap((pool) => market.transactions(pool, window).map(({ id, logIndex }) => `${id} ${logIndex}`))
    .toSorted();
}

export function newList(count = pools.length): { readonly folder: string; readonly list: string } {
  const folder = createTestContext().home;
  const list = path.join(folder, "pools.txt");
  writeFileSync(
    list,
    pools
      .slice(0, count)
      .map(({ id }) => `ethereum:${id}\n`)
      .join(""),
  );
  return { folder, list };
}

export function rowsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ndjson"))
    .flatMap((name) => writtenRows(readFileSync(path.join(folder, name), "utf8")))
    .toSorted();
}

export const from = `--from ${sandboxNow / 1000 - 3600}`;
export const hour = 3_600_000;

export async function withService(
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
