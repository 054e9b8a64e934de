import { existsSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { parseDate, parseRfc3339, parseTimeBound } from "../../src/base/time/time.ts";

/**
 * The zones, each with the result of `getTimezoneOffset` on 1 July 1971, which proves that the zone took
 * effect.
 */
const ZONES: readonly (readonly [string, number])[] = [
  ["UTC", 0],
  ["America/New_York", 240],
  ["Asia/Kolkata", -330],
  ["Australia/Lord_Howe", -600],
  ["Pacific/Apia", 660],
  ["Pacific/Kiritimati", 640],
  ["America/St_Johns", 150],
  ["Europe/London", -60],
  ["Africa/Monrovia", 44],
  ["Asia/Kathmandu", -330],
];

interface Vector {
  readonly input: string;
  readonly valid: boolean;
  readonly epoch_seconds?: number;
  readonly fraction?: string;
  /** Whether parsing it as that second is as valid as rejecting it. */
  readonly lenient?: boolean;
  readonly leap_second?: boolean;
}

const VECTORS = new URL("../../../shared/vectors/", import.meta.url);
const haveVectors = existsSync(VECTORS);
if (!haveVectors) console.warn("LEFT OUT: the vectors of RFC 3339, ../shared/vectors is not there");

const zoneBefore = process.env["TZ"];
afterEach(() => {
  if (zoneBefore === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zoneBefore;
});

describe.each(ZONES)("in the zone %s", (zone, offset) => {
  const enter = (): void => {
    process.env["TZ"] = zone;
    expect(Math.trunc(new Date(Date.UTC(1971, 6, 1)).getTimezoneOffset())).toBe(offset);
  };

  test("a date starts at 00:00 UTC and an offset counts from UTC", () => {
    enter();
    expect(parseDate("2026-03-29")?.seconds).toBe(1_774_742_400);
    expect(parseTimeBound("2011-12-30", 0)).toEqual({ seconds: 1_325_203_200, fraction: "" });
    expect(parseRfc3339("2026-03-29T02:30:00+01:00")?.seconds).toBe(1_774_747_800);
    // A day of 23 or 25 hours in some zone has 24 hours here.
    expect(parseTimeBound("-1d", Date.UTC(2026, 2, 29, 12))).toEqual({
      seconds: 1_774_699_200,
      fraction: "",
    });
  });

  describe.runIf(haveVectors)("every vector of the standard", () => {
    test.each([
      ["date.json", parseDate],
      ["date-time.json", parseRfc3339],
    ])("%s", (file, parse) => {
      enter();
      const vectors = read(file);
      expect(vectors.length).toBeGreaterThan(80);
      for (const vector of vectors) {
        const instant = parse(vector.input);
        if (vector.lenient === true && instant === undefined) continue;
        const fraction = (vector.fraction ?? "").replace(/^\.|0+$/g, "");
        expect([vector.input, instant]).toEqual([
          vector.input,
          vector.valid ? { seconds: vector.epoch_seconds, fraction } : undefined,
        ]);
      }
    });
  });
});

function read(file: string): readonly Vector[] {
  const { cases }: { cases: readonly Vector[] } = JSON.parse(readFileSync(new URL(file, VECTORS), "utf8"));
  return cases;
}
