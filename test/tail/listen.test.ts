import { defaultLimits } from "../../src/client/stream-options.ts";
import { expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { feeds } from "../../src/api/feeds.ts";
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

type TestClock = ReturnType<typeof createTestClock>;
type Chunks = AsyncGenerator<readonly Buffer[]>;

const cut = new Failure("cut", { exit: 7, code: "network", retryable: true });

async function listenTo(
  chunks: (clock: TestClock, closed: AbortSignal) => Chunks,
  clock = createTestClock(start, 1000, true),
  pauses = () => 0,
) {
  const closed = new AbortController();
  const connection = {
    headers: new Map(),
    chunks: Object.assign(chunks(clock, closed.signal), { pauses }),
    close: () => closed.abort(),
  };
  const signal = new AbortController().signal;
  const upToDate = new UpToDate(clock);
  const listening = { handlers, limits, signal, newest: undefined, hasPings: false, upToDate };
  const { failure } = await listen(clock, connection, listening);
  return { failure, last: upToDate.until };
}

/** Suspends the machine after the first event; when it wakes, the system delivers the bytes it had buffered. */
async function listenAcrossPause(away: (clock: TestClock) => void, isCut: boolean) {
  return await listenTo(async function* chunks(clock, closed): Chunks {
    yield [Buffer.from(price("1"))];
    away(clock);
    yield [Buffer.from(ping)];
    yield [Buffer.from(price("2"))];
    if (isCut) throw cut;
    if (!closed.aborted) await new Promise((resolve) => closed.addEventListener("abort", resolve));
    throw cut;
  });
}

test("a gap begins at the last events, even if those of two assets always arrive together", async () => {
  const { last } = await listenTo(async function* chunks(clock): Chunks {
    for (let second = 0; second < 4; second += 1) {
      yield [Buffer.from(price("1"))];
      yield [Buffer.from(price("2"))];
      // The socket is looked at on a real timer.
      await new Promise((resolve) => setTimeout(resolve, 200));
      clock.advance(1000);
    }
    throw cut;
  });
  expect(last.elapsed).toBeGreaterThanOrEqual(2000);
});

test.each([
  ["was paused a moment ago", 1, 0],
  ["was never paused", 0, 50],
])("an empty socket that %s: whether a gap begins there", async (_, paused, expected) => {
  let elapsed = 0;
  const sleep = async (): Promise<never> => await new Promise(() => undefined);
  const clock = { ...createTestClock(start, 1), now: () => start + elapsed, elapsed: () => elapsed, sleep };
  const chunks = async function* chunks(): Chunks {
    yield [Buffer.from(price("1"))];
    await new Promise((resolve) => setTimeout(resolve, 200));
    // On a busy machine, both timers may have fired in the same turn.
    await new Promise((resolve) => setTimeout(resolve, 20));
    elapsed = 150;
    yield [Buffer.from(price("2"))];
    throw cut;
  };
  const pauses = (): number => {
    elapsed = Math.max(elapsed, 50);
    return paused;
  };
  const { last } = await listenTo(chunks, clock, pauses);
  expect(last.elapsed).toBe(expected);
});

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
