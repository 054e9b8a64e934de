import { describe, expect, test } from "vitest";
import { createAgeNote, createFreshness, createRoundFreshness } from "../../src/client/freshness.ts";
import { createAgeReader } from "../../src/client/http-times.ts";
import type { Tier } from "../../src/api/tier.ts";

const noon = Date.parse("2026-11-21T12:00:00Z");
const dated = (milliseconds: number): string => new Date(milliseconds).toUTCString();

/** `received` and the results are relative to noon, in seconds. */
function read(tier: Tier = "pro") {
  const reader = createAgeReader(tier);
  return (headers: Readonly<Record<string, string>>, received = 0) => {
    const { asOf, ...age } = reader({
      headers: new Map(Object.entries(headers)),
      received: noon + received * 1000,
    });
    return { ...age, asOf: (asOf - noon) / 1000 };
  };
}

const cached = "public, max-age=60, s-maxage=60, stale-while-revalidate=10, stale-if-error=600";

describe("a response", () => {
  test("without a cache shows the data of its Date", () => {
    expect(read()({ date: dated(noon) })).toEqual({ asOf: 0, age: 0, isBound: false, sameFor: 0 });
    expect(read()({}, 7).asOf).toBe(7);
  });

  test("of a free plan is older by the delay that the plan states", () => {
    expect(read("free")({ date: dated(noon) }).asOf).toBe(-60);
    expect(read("keyless")({ date: dated(noon), age: "10" }, 0).asOf).toBe(-70);
    expect(read("dev")({ date: dated(noon) }).asOf).toBe(0);
  });

  test("from a cache with the Date of its original is not made older by its Age", () => {
    const reader = read();
    reader({ date: dated(noon) });
    const copy = reader({ date: dated(noon), age: "47", "cache-control": cached }, 47);
    expect(copy).toEqual({ asOf: 0, age: 47_000, isBound: false, sameFor: 13_000 });
    expect(read()({ date: dated(noon - 47_000), age: "47" }).asOf).toBe(-47);
  });

  test("from a cache with a new Date is as old as its Age, also with a wrong local clock", () => {
    for (const wrong of [0, 3600, -3600]) {
      const reader = read();
      reader({ date: dated(noon), age: "0" }, wrong);
      expect(reader({ date: dated(noon + 50_000), age: "47" }, wrong + 50).asOf, String(wrong)).toBe(3);
    }
  });

  test("without Age may be as old as a cache may keep it, and proves nothing about the next one", () => {
    const bound = { asOf: -60, age: 60_000, isBound: true, sameFor: 0 };
    expect(read()({ date: dated(noon), "cache-control": cached })).toEqual(bound);
  });

  test("that a cache keeps for a day is worth another request after five minutes", () => {
    const copy = read()({ date: dated(noon), age: "10", "cache-control": "max-age=86400" });
    expect(copy).toMatchObject({ age: 10_000, sameFor: 300_000 });
  });

  test.each(["-1", "x", "1.5", "", "99999999999", "3, 4"])("with the Age %j has no Age", (age) => {
    expect(read()({ date: dated(noon), age })).toMatchObject({ asOf: 0, age: 0 });
  });
});

const age = (seconds: number, sameFor: number) => ({
  asOf: 0,
  age: seconds * 1000,
  isBound: false,
  sameFor: sameFor * 1000,
});
const args = (query: string) => new Map(new URLSearchParams(query));
const url = (query: string): URL => new URL(`http://127.0.0.1/networks/x/pools/y/transactions?${query}`);

describe("the next request", () => {
  test("of the same list waits until its copy expires; another `from` has another copy", () => {
    const freshness = createFreshness({ elapsed: () => 1000 });
    freshness.record(args("from=5&limit=100"), age(0, 60));
    expect([freshness.differsAt("5"), freshness.differsAt("6")]).toEqual([61_000, Number.NEGATIVE_INFINITY]);
    freshness.record(args("from=5&limit=100&page=2"), age(50, 10));
    freshness.record(args("from=5&to=9"), age(50, 10));
    freshness.record(args("from=5"), undefined);
    expect([freshness.differsAt("5"), freshness.age()]).toEqual([61_000, 0]);
  });

  test("waits in any case if the cache ignores the query", () => {
    const freshness = createFreshness({ elapsed: () => 0 });
    freshness.record(args("from=5"), age(0, 60));
    freshness.record(args("from=6"), age(20, 40));
    expect([freshness.differsAt("6"), freshness.differsAt("7"), freshness.age()]).toEqual([
      40_000, 40_000, 20_000,
    ]);
    freshness.record(args("created_after=6"), { ...age(20, 40), asOf: 7 });
    expect([freshness.asOf(), freshness.age()]).toEqual([7, 20_000]);
  });

  test("of a round waits for the copy that expires first, unless a time in the URL moves", () => {
    const freshness = createRoundFreshness({ elapsed: () => 0 });
    expect(freshness.differsAt()).toBe(Number.NEGATIVE_INFINITY);
    freshness.record({ url: url("from=1"), age: age(0, 60), milliseconds: 0 });
    expect(freshness.differsAt()).toBe(Number.NEGATIVE_INFINITY);
    freshness.begin();
    freshness.record({ url: url("from=1"), age: age(0, 60), milliseconds: 0 });
    freshness.record({ url: url("from=2"), age: age(40, 20), milliseconds: 0 });
    expect(freshness.differsAt()).toBe(20_000);
  });
});

test("the note is printed once, for an age that was seen", () => {
  const lines: string[] = [];
  const note = createAgeNote((line) => lines.push(line));
  note(undefined);
  note({ ...age(60, 0), isBound: true });
  for (const seconds of [1, 47, 50]) note(age(seconds, 0));
  expect(lines).toEqual(["responses from the service are up to 47s old"]);
});
