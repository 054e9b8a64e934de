import { describe, test } from "vitest";
import { isLong } from "../harness/long.ts";
import { expectAsFastAsTheRate, expectFewRounds, expectFlatMemory } from "../harness/pull-bars.ts";
import { useSandbox } from "../harness/sandbox.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const size = isLong
  ? { slowPages: 100, pacedPages: 600, rows: 1_000_000, searchRows: 1_000_000 }
  : { slowPages: 60, pacedPages: 120, rows: 60_000, searchRows: 100_000 };
const patience = isLong ? 1_200_000 : 120_000;

describe("long pull", () => {
  const paced = useSandbox({ requestsPerMinute: 50, minuteMs: 6000 });

  test(
    `of ${size.slowPages} pages takes at most a quarter of the round trips of a sequential pull`,
    async () => await expectFewRounds(size.slowPages),
    patience,
  );

  test(
    `of ${size.pacedPages} pages takes at most 1.1 times the minimum time at the rate, without a 429`,
    async () => await expectAsFastAsTheRate(paced, size.pacedPages),
    patience,
  );

  test.runIf(process.platform === "linux").each([
    // Twice as large as those of a search.
    [size.rows, "transactions", ["txns", "ethereum", pool, "-o", "ndjson"]],
    [size.searchRows, "pools as csv", ["pools", "search", "ethereum", "-o", "csv", "--no-header"]],
    [size.searchRows, "tokens", ["tokens", "search", "ethereum", "-o", "ndjson"]],
  ])(
    "of %i %s needs at most 20 MB more than one of 10,000",
    async (rows, _, command) => await expectFlatMemory(command, 10_000, rows),
    patience,
  );
});
