import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDeadlines } from "../../bin/deadlines.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Notes what was called, and after how many milliseconds. */
function begin(): { readonly after: (milliseconds: number) => () => void; readonly called: number[][] } {
  const started = Date.now();
  const deadlines = createDeadlines(() => Date.now());
  const called: number[][] = [];
  const after = (milliseconds: number): (() => void) =>
    deadlines(milliseconds, () => called.push([milliseconds, Date.now() - started]));
  return { after, called };
}

test("deadlines are called at their ends, in whatever order they were set, and once", () => {
  const { after, called } = begin();
  for (const milliseconds of [300, 100, 200, 100]) after(milliseconds);
  vi.advanceTimersByTime(1000);
  expect(called).toEqual([
    [100, 100],
    [100, 100],
    [200, 200],
    [300, 300],
  ]);
});

test("one that was taken back is not called, and delays none", () => {
  const { after, called } = begin();
  const cancel = after(100);
  vi.advanceTimersByTime(50);
  cancel();
  after(60);
  vi.advanceTimersByTime(1000);
  expect(called).toEqual([[60, 110]]);
});

test("many in a row share one timer", () => {
  const { after, called } = begin();
  const set = vi.spyOn(globalThis, "setTimeout");
  for (let request = 0; request < 1000; request += 1) after(30_000)();
  expect(set).toHaveBeenCalledOnce();
  after(30_000);
  vi.advanceTimersByTime(30_000);
  expect(called).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("one may be longer than a timer can be", () => {
  const { after, called } = begin();
  after(5_000_000_000);
  vi.advanceTimersByTime(4_999_999_999);
  expect(called).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(called).toEqual([[5_000_000_000, 5_000_000_000]]);
});

test("one that is set while another is called is called as well", () => {
  const deadlines = createDeadlines(() => Date.now());
  const called = vi.fn<() => void>();
  deadlines(100, () => deadlines(100, called));
  vi.advanceTimersByTime(199);
  expect(called).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(called).toHaveBeenCalledOnce();
});
