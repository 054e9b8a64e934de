import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { childOf, onAbort } from "../../src/base/context/context.ts";
import { unlessAborted } from "../../src/client/ending.ts";

/** As long as none of its waits ends, a run for 10,000 lists has several for each of them. */
const many = 10_000;

describe("many waits for one signal", () => {
  test("put a single listener on it, because each new listener is compared with all others", async () => {
    const parent = new AbortController();
    const children = Array.from({ length: many }, () => childOf(parent.signal));
    const waits = Array.from({ length: many }, async () => {
      await unlessAborted(new Promise<void>(() => undefined), parent.signal);
    });
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(1);
    children[3]?.release();
    parent.abort("over");
    const reasons = children.map(({ signal }): unknown => signal.reason);
    expect(reasons.filter((reason) => reason === "over")).toHaveLength(many - 1);
    expect(children[3]?.signal.aborted).toBe(false);
    const results = await Promise.allSettled(waits);
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(many);
  });
});

describe("a call for a signal", () => {
  test("is made at once if the signal has aborted", async () => {
    const calls: string[] = [];
    onAbort(AbortSignal.abort("over"), () => calls.push("one"));
    expect(calls).toEqual(["one"]);
    expect(childOf(AbortSignal.abort("over")).signal.reason).toBe("over");
    await expect(unlessAborted(Promise.resolve(1), AbortSignal.abort("over"))).rejects.toBe("over");
  });

  test("is made once, also for each time that the same function is given, and not after it is withdrawn", () => {
    const parent = new AbortController();
    const calls: string[] = [];
    const call = (): unknown => calls.push("one");
    const withdraw = onAbort(parent.signal, call);
    onAbort(parent.signal, call);
    onAbort(parent.signal, () => calls.push("two"));
    withdraw();
    parent.abort();
    expect(calls).toEqual(["one", "two"]);
  });

  test("that makes another one, or withdraws a later one, does not disturb the others", () => {
    const parent = new AbortController();
    const calls: string[] = [];
    onAbort(parent.signal, () => {
      withdraw();
      onAbort(parent.signal, () => calls.push("new"));
    });
    const withdraw = onAbort(parent.signal, () => calls.push("withdrawn"));
    onAbort(parent.signal, () => calls.push("last"));
    parent.abort();
    expect(calls).toEqual(["new", "last"]);
  });
});
