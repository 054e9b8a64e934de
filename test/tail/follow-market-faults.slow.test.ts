import { describe, expect, test } from "vitest";
import { createMarket } from "../harness/bundled-sandbox.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { rowsOf } from "../harness/rows.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { marketRows, pool, startFollowing, writtenRows } from "./following.ts";

const minutes = 25;
/** What is younger when the run ends may be late, or not have been read again yet. */
const settled = sandboxNow + (minutes - 12) * 60_000;
const from = sandboxNow - 30 * 60_000;
const faults = "late-rows=90s:20%,withdrawn-rows=60s:20%";

describe("txns --follow, with rows that are added late and rows that are withdrawn", () => {
  test("every final row is written once; anything else is a row that was listed and then withdrawn", async () => {
    const seeds = Array.from({ length: isLong ? 12 : 2 }, (_, index) => index + 1);
    const found = await Promise.all(
      seeds.map(async (seed) => {
        const following = await startFollowing(`--from ${from / 1000} --for ${minutes}m -o ndjson`, {
          sandbox: { seed, faults, dialect: seed % 2 === 0 ? "spec" : "public" },
          random: createRandom(seed * 7919),
          speed: 200,
        });
        const { exit, stdout } = await following.outcome;
        const written = writtenRows(stdout);
        const final = marketRows(seed, from, following.simulated());
        const missing = marketRows(seed, from, settled).filter((row) => !written.includes(row));
        const withdrawn = rowsOf(stdout).filter((_, index) => !final.includes(written[index] ?? ""));
        // Such a row was listed with the log index after that of its original.
        const originals = finalPlaces(seed, from, following.simulated());
        expect(
          withdrawn.filter((row) => !originals.has(`${place(row)} ${Number(row["log_index"]) - 1}`)),
        ).toEqual([]);
        expect({ seed, exit, missing, repeated: written.length - new Set(written).size }).toEqual({
          seed,
          exit: 0,
          missing: [],
          repeated: 0,
        });
        const places = new Map(final.map((row, index) => [row, index]));
        const order = written.flatMap((row) => places.get(row) ?? []);
        const late = order.filter((index, at) => at > 0 && index < Math.max(...order.slice(0, at)));
        return { seed, withdrawn: withdrawn.length, late: late.length };
      }),
    );
    for (const { seed, withdrawn, late } of found)
      console.log(
        `seed ${seed}: ${late} rows written late, ${withdrawn} rows withdrawn after they were written`,
      );
    expect(found.every(({ withdrawn, late }) => withdrawn > 0 && late > 0)).toBe(true);
  }, 300_000);
});

/** The place and log index of every final row. */
function finalPlaces(seed: number, start: number, end: number): ReadonlySet<string> {
  const market = createMarket({ seed });
  const network = market.network("ethereum");
  const facts = network && market.pool(network, pool, end / 1000);
  if (facts === undefined) throw new Error("the market has this pool");
  const window = { from: start / 1000, to: end / 1000, limit: Number.POSITIVE_INFINITY };
  return new Set(
    market
      .transactions(facts, window)
      .map(({ blockNumber, amount0, logIndex }) => `${blockNumber} ${amount0} ${logIndex}`),
  );
}

function place(row: Readonly<Record<string, unknown>>): string {
  return `${String(row["created_at_block_number"])} ${String(row["amount_0"])}`;
}
