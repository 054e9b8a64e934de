import { expect, test } from "vitest";
import { costOverTime, creditsLast } from "../../src/cli/run/spending/estimate.ts";

test("a month has 30 days", () => {
  expect(costOverTime(6000)).toBe("6,000 credits/hour, 4,320,000 a month");
  expect(costOverTime(1)).toBe("1 credit/hour, 720 a month");
  expect(costOverTime(1 / 6)).toBe("1 credit/hour, 120 a month");
});

test.each([
  ["500000", 6000, "your 500,000 credits last 3d11h"],
  ["9999", 720, "your 9,999 credits last 13h"],
  ["43200", 60, "your 43,200 credits last 30d"],
  // They are renewed earlier.
  ["43300", 60, undefined],
  ["100", 60, "your 100 credits last 1h40m"],
  ["0", 60, undefined],
  [undefined, 60, "the keyless plan's 10,000 monthly credits last 6d22h"],
  [undefined, 13, undefined],
  ["9999", 0, undefined],
])("%s credits at %i per hour", (left, perHour, expected) => {
  expect(creditsLast(left, perHour, "keyless")).toBe(expected);
});
