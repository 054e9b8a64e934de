import { expect, test } from "vitest";
import { replaceFile } from "../../src/base/files/replace-file.ts";
import { createTestClock } from "../harness/test-clock.ts";

function held(times: number, code: string): () => void {
  let left = times;
  return () => {
    left -= 1;
    if (left >= 0) throw Object.assign(new Error("held"), { code });
  };
}

test.each([
  ["win32", 3, "EPERM", "replaced", [40, 80, 120]],
  ["win32", 1, "EBUSY", "replaced", [40]],
  ["win32", 99, "EACCES", "refused", [40, 80, 120, 160, 200, 240, 280, 320, 360]],
  ["win32", 1, "ENOSPC", "refused", []],
  ["linux", 1, "EPERM", "refused", []],
] as const)("on %s a file locked %d times (%s) is %s", async (platform, times, code, end, waits) => {
  const clock = createTestClock(0, 1000);
  const replacing = replaceFile({ clock, platform }, "a", "b", held(times, code));
  expect(await replacing.then(() => "replaced").catch(() => "refused")).toBe(end);
  expect(clock.asked).toEqual(waits);
});
