import { describe, expect, test } from "vitest";
import { createRandom } from "../harness/random.ts";
import { isLong } from "../harness/long.ts";
import { sandboxNow } from "../harness/sandbox.ts";
import { marketRows, startFollowing, writtenRows } from "./following.ts";

const hour = 3_600_000;
/** Concurrent runs: they share one process, and wait most of the time. */
const together = isLong ? 10 : 4;
const runs = isLong ? 200 : together;
const minutes = 6;
const pace = 20;

/** Returns the faults of a run: some of each kind, at random rates. */
function faultsOf(random: () => number): string {
  const rate = (most: number): string => `${1 + Math.floor(random() * most)}%`;
  const count = (most: number): number => Math.floor(random() * most);
  return [
    // Most stream connections get one of these faults.
    `stream-cut=${1 + count(9)}:${25 + count(25)}%`,
    `stream-silent=${count(6)}:${25 + count(25)}%`,
    `stream-error=${1 + count(6)}:${50 + count(50)}%`,
    `429=${1 + count(4)}:${rate(10)}`,
    `500:${rate(6)}`,
    `reset-before:${rate(6)}`,
    `reset-body:${rate(8)}`,
    `truncate:${rate(6)}`,
    `duplicate-page:${rate(10)}`,
  ].join(",");
}

describe(`${runs} seeded runs of txns --follow with stream cuts, silence, resets, in-stream errors and 429`, () => {
  const batches = Array.from({ length: runs / together }, (_, batch) => batch * together);
  test.each(batches)(
    `from seed %i, ${together} runs: the exact market list of the time range, in order, each row once`,
    async (first) => {
      const lags: number[] = [];
      let gaps = 0;
      const seeds = Array.from({ length: together }, (_, index) => first + index + 1);
      await Promise.all(
        seeds.map(async (seed) => {
          const random = createRandom(seed * 7919);
          const faults = faultsOf(random);
          const dialect = seed % 2 === 0 ? "spec" : "public";
          const following = await startFollowing(
            `--from ${sandboxNow / 1000 - 3600} --for ${minutes}m -o ndjson --page-size ${10 + Math.floor(random() * 90)}`,
            { sandbox: { seed, faults, dialect }, pace, random, speed: 200 },
          );
          const { exit, stdout, stderr } = await following.outcome;
          const written = writtenRows(stdout);
          const expected = marketRows(seed, sandboxNow - hour, following.simulated());
          expect({ seed, faults, exit, written }).toEqual({
            seed,
            faults,
            exit: 0,
            written: expected.slice(0, written.length),
          });
          gaps += stderr.split("\n").filter((line) => line.includes("stream disconnected")).length;
          lags.push(expected.length - written.length);
        }),
      );
      // No more rows are missing at the end than arrived during the last read.
      const whole = marketRows(1, sandboxNow, sandboxNow + minutes * 60_000 * pace).length;
      console.log(
        `seeds ${first + 1} to ${first + together}: ${gaps} interruptions, ${Math.max(...lags)} rows not read yet at the end, of some ${whole}`,
      );
      expect(gaps).toBeGreaterThan(together);
      expect(Math.max(...lags)).toBeLessThan(whole / 2);
    },
    300_000,
  );
});
