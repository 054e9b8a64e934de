import { expect, test } from "vitest";
import { parseRfc3339 } from "../../src/base/time/time.ts";
import { compareDecimals, wholeDigits } from "../../src/base/json/exact-decimal.ts";
import { createTimeReader, rowOf } from "../../src/rows/verify/row.ts";
import { createRandom } from "../harness/random.ts";

test.each([
  ["1", "1", 0],
  ["1.0", "1", 0],
  ["10", "1e1", 0],
  ["0.1e1", "1", 0],
  ["-0", "0.00", 0],
  ["1e999", "1e998", 1],
  ["-1e999", "-1e998", -1],
  ["1e-400", "0", 1],
  ["9007199254740993", "9007199254740992", 1],
  ["0.10000000000000000001", "0.1", 1],
  ["-0.10000000000000000001", "-0.1", -1],
  ["2", "10", -1],
  ["-2", "1", -1],
])("%s compared with %s is %i", (one, other, order) => {
  expect([
    Math.sign(compareDecimals(one, other) ?? Number.NaN),
    Math.sign(compareDecimals(other, one) ?? 9),
  ]).toEqual([order, 0 - order]);
});

test.each(["", "null", "0x10", "1e", "Infinity", " 1", "1."])("%j is not a number", (text) => {
  expect([compareDecimals(text, "1"), compareDecimals("1", text)]).toEqual([undefined, undefined]);
});

test.each([
  ["0", 0],
  ["12.5", 2],
  ["-1200", 4],
  ["0.012", 0],
  ["1.5e35", 36],
  ["1e-3", 0],
])("%s has %i digits before its decimal point", (text, digits) => {
  expect(wholeDigits(text)).toBe(digits);
});

test("times are read as by the parser, in any order", () => {
  const random = createRandom(7);
  const from = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];
  const two = (limit: number): string => String(Math.floor(random() * limit)).padStart(2, "0");
  const timeOf = createTimeReader("time");
  let valid = 0;
  for (let round = 0; round < 5000; round += 1) {
    const date = from(["2026-11-21", "2026-11-21", "2016-12-31", "1969-12-31", "2026-02-30", "2026-11-2x"]);
    const [hour, end] = [from(["08", "23", "24", two(30)]), from(["Z", "Z", "z", "+01:00", ".5Z", "", "ZZ"])];
    const text = `${date}${from(["T", "T", "t", " "])}${hour}:${from(["59", two(70)])}:${from(["60", two(70)])}${end}`;
    const expected = parseRfc3339(text);
    if (expected !== undefined) valid += 1;
    const row = rowOf({ time: text }, 1, () => undefined);
    expect([text, timeOf(row)]).toEqual([text, expected]);
  }
  expect(valid).toBeGreaterThan(500);
});
