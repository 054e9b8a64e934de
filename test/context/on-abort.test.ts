import { expect, test, vi } from "vitest";
import { onAbort } from "../../src/context/on-abort.ts";

test("all who wait for a signal are called once it aborts, by one listener, but those who wait no more", () => {
  const { signal, abort } = controlled();
  const listened = vi.spyOn(signal, "addEventListener");
  const called: string[] = [];
  const releases = ["a", "b", "c"].map((name) => onAbort(signal, () => called.push(name)));
  releases[1]?.();
  abort();
  expect([called, listened.mock.calls.length]).toEqual([["a", "c"], 1]);
});

test("who is released while others are called is not called, and after the end nobody is", () => {
  const { signal, abort } = controlled();
  const called: string[] = [];
  let release = (): void => undefined;
  onAbort(signal, () => {
    called.push("first");
    release();
  });
  release = onAbort(signal, () => called.push("second"));
  abort();
  onAbort(signal, () => called.push("late"));
  expect(called).toEqual(["first"]);
});

function controlled(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
