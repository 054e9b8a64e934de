import { describe, expect, test } from "vitest";
import type { DisturbanceKind } from "../harness/disturbing/disturbances.ts";
import { isLong } from "../harness/long.ts";
import { followDisturbed, inProcess } from "./follow-disturbed.ts";

/** Concurrent runs: they share one process, and wait most of the time. */
const together = 8;
const seeds = Array.from({ length: isLong ? 56 : together }, (_, index) => index + 1);
const batches = seeds.filter((seed) => seed % together === 1);

describe("txns --follow with stale, half repeated, foreign, empty, short and damaged responses, and kills", () => {
  test.each(batches)(
    "seeds %i and following: each row once, and none of another pool",
    async (first) => {
      const kinds = new Set<DisturbanceKind>();
      await Promise.all(
        seeds.slice(first - 1, first - 1 + together).map(async (seed) => {
          const options = { seed, share: 0.15 + 0.06 * (seed % 7), kills: seed % 5 };
          const { struck, stderr, ...rest } = await followDisturbed(options, inProcess(seed, 60));
          for (const kind of struck) kinds.add(kind);
          const sound = { repeated: [], missing: [], foreign: [], exits: [0] };
          expect({ seed, ...rest }, stderr).toEqual({ seed, ...sound });
        }),
      );
      expect([...kinds].toSorted()).toEqual([
        "cut",
        "empty",
        "foreign",
        "overlap",
        "page",
        "stale",
        "truncated",
      ]);
    },
    300_000,
  );
});
