import { expect, test } from "vitest";
import { formatDuration } from "../../src/api/duration.ts";

test.each([
  [0, "0ms"],
  [0.2, "1ms"],
  [999, "999ms"],
  [999.4, "1s"],
  [1001, "1.1s"],
  [59_950, "1m"],
  [172_800_000, "48h"],
  [172_801_000, "2d1h"],
])("%d ms are shown as %s", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
