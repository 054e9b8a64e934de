import { describe, expect, test } from "vitest";
import type { DisturbanceKind } from "../harness/disturbing/disturbances.ts";
import { isLong } from "../harness/long.ts";
import { followDisturbed, inProcess } from "./follow-disturbed.ts";

/** Concurrent runs: they share one process, and wait most of the time. */
const together = 8;
const batches = Array.from({ length: isLong ? 7 : 1 }, (_, batch) =>
  Array.from({ length: together }, (_, index) => batch * together + index + 1),
);

describe("txns --follow with stale, half repeated, foreign, empty and short responses, and kills", () => {
  test.each(batches)(
    "seeds %i and following: each row once, and none of another pool",
    async (...seeds) => {
      const kinds = new Set<DisturbanceKind>();
      await Promise.all(
        seeds.map(async (seed) => {
          const options = { seed, share: 0.15 + 0.06 * (seed % 7), kills: seed % 5 };
          const { struck, stderr, ...rest } = await followDisturbed(options, inProcess(seed, 100));
          for (const kind of struck) kinds.add(kind);
          const sound = { repeated: [], missing: [], foreign: [], exits: [0] };
          expect({ seed, ...rest }, stderr).toEqual({ seed, ...sound });
        }),
      );
      expect([...kinds].toSorted()).toEqual(["empty", "foreign", "overlap", "stale", "truncated"]);
    },
    300_000,
  );
});
