import { defaultLimits } from "../../src/client/stream-options.ts";
import { expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { feeds } from "../../src/api/feeds/all-feeds.ts";
import { listen } from "../../src/client/live/listen.ts";
import { UpToDate } from "../../src/client/live/up-to-date.ts";
import { createTestClock } from "../harness/test-clock.ts";
import { ping, price } from "./keeping.ts";

const start = Date.parse("2026-11-21T08:54:00Z");
const handlers = {
  opened: () => undefined,
  events: async () => await Promise.resolve(),
  charged: () => undefined,
  lost: () => undefined,
  stray: () => undefined,
  retrying: () => undefined,
  said: () => undefined,
};
const limits = { ...defaultLimits, feed: feeds.prices };

/** Suspends the machine after the first event; when it wakes, the system delivers the bytes it had buffered. */
async function listenAcrossPause(away: (clock: ReturnType<typeof createTestClock>) => void, isCut: boolean) {
  const clock = createTestClock(start, 1000, true);
  const closed = new AbortController();
  async function* chunks(): AsyncGenerator<readonly Buffer[]> {
    yield [Buffer.from(price("1"))];
    away(clock);
    yield [Buffer.from(ping)];
    yield [Buffer.from(price("2"))];
    const cut = new Failure("cut", { exit: 7, code: "network", retryable: true });
    if (isCut) throw cut;
    if (!closed.signal.aborted)
      await new Promise((resolve) => closed.signal.addEventListener("abort", resolve));
    throw cut;
  }
  const connection = {
    headers: new Map(),
    chunks: Object.assign(chunks(), { pauses: () => 0 }),
    close: () => closed.abort(),
  };
  const signal = new AbortController().signal;
  const upToDate = new UpToDate(clock, limits.silence);
  const listening = { handlers, limits, signal, newest: undefined, hasPings: false, upToDate };
  const { failure } = await listen(clock, connection, listening);
  return { failure, last: upToDate.until };
}

test.each([
  ["stopped, until the timer notices", false],
  ["stopped, and cut before the timer notices", true],
])("a machine that was %s: bytes read after waking do not shorten the gap", async (_, isCut) => {
  const { last } = await listenAcrossPause((clock) => clock.setNow(clock.now() + 35_000), isCut);
  expect(last.now).toBeLessThanOrEqual(start + 5000);
});

test("the same applies to a process that was stopped while both clocks advanced", async () => {
  const { last, failure } = await listenAcrossPause((clock) => clock.advance(35_000), false);
  expect(failure.message).toMatch(/^this machine was suspended for 30s/u);
  expect(last.elapsed).toBe(0);
});
