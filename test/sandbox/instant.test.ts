import { expect, test } from "vitest";
import { writeInstant, writeInstantMs } from "../../src/sandbox/wire/request-times.ts";

test("times of any day, in any order, are formatted as Date formats them", () => {
  const days = [0, 1, -1, 59, 365, 19_782, 20_728, 20_728, 20_729, 20_728, 47_541];
  for (const day of days) {
    for (const second of [0, 59, 60, 3599, 3600, 36_610, 43_200, 86_399]) {
      const seconds = day * 86_400 + second;
      const iso = new Date(seconds * 1000).toISOString();
      expect([writeInstant(seconds), writeInstantMs(seconds)]).toEqual([iso.replace(".000Z", "Z"), iso]);
    }
  }
});
