import { describe, expect, test } from "vitest";
import { isLong } from "../harness/long.ts";
import { followDisturbed } from "./follow-disturbed.ts";

const seeds = Array.from({ length: isLong ? 50 : 6 }, (_, index) => index + 1);
/** Concurrent runs: they share one process, and wait most of the time. */
const together = 6;
const batches = Array.from({ length: Math.ceil(seeds.length / together) }, (_, batch) =>
  seeds.slice(batch * together, (batch + 1) * together),
);

describe("txns --follow with stale, half repeated, foreign, empty and short responses, and kills", () => {
  test.each(batches)(
    "seeds %i and following: each row once, and none of another pool",
    async (...batch) => {
      const found = await Promise.all(
        batch.map(async (seed) => {
          const share = 0.1 + 0.05 * (seed % 7);
          const disturbed = await followDisturbed({ seed, share, kills: seed % 4, speed: 100 });
          return { seed, ...disturbed };
        }),
      );
      for (const { seed, struck, stderr, ...rest } of found) {
        if (process.env["DBG"]) console.log(seed, struck.length, stderr);
        expect({ seed, ...rest }).toEqual({ seed, repeated: [], missing: [], foreign: [], exits: [0] });
      }
      expect(found.every(({ struck }) => struck.length > 0)).toBe(true);
    },
    300_000,
  );
});
