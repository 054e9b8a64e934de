import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClock } from "../../bin/process-clock.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a wait can be longer than the longest timer", async () => {
  const slept = vi.fn<() => void>();
  void createClock().sleep(5_000_000_000).then(slept);
  await vi.advanceTimersByTimeAsync(4_999_999_999);
  expect(slept).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(slept).toHaveBeenCalledOnce();
});

test("a finished or aborted wait leaves no timer behind, and a finished one no call for the signal", async () => {
  const { sleep } = createClock();
  const waiting = new AbortController();
  const done = sleep(100, waiting.signal);
  await vi.advanceTimersByTimeAsync(100);
  await done;
  // Servers of earlier files may set timers whenever this test waits.
  const before = vi.getTimerCount();
  const late = sleep(5_000_000_000, waiting.signal);
  expect(vi.getTimerCount()).toBe(before + 1);
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  waiting.abort("enough");
  expect(cleared).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(before);
  await expect(late).rejects.toBe("enough");
});

test("a canceled call is never made, even after the longest timer", async () => {
  const call = vi.fn<() => void>();
  const cancel = createClock().after(5_000_000_000, call);
  await vi.advanceTimersByTimeAsync(3_000_000_000);
  const before = vi.getTimerCount();
  cancel();
  expect(vi.getTimerCount()).toBe(before - 1);
  await vi.advanceTimersByTimeAsync(5_000_000_000);
  expect(call).not.toHaveBeenCalled();
});
