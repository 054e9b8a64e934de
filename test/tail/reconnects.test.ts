import { setMaxListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { createPace, memoryStore, type Pace } from "../../src/client/pace.ts";
import { Failure } from "../../src/base/failure.ts";
import { feeds } from "../../src/api/feeds.ts";
import { defaultLimits } from "../../src/client/stream-options.ts";
import { keepOpen } from "../../src/client/live/keep-open.ts";
import { type OpenConnection, openerOf } from "../../src/client/live/subscription.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { keep, price, stream } from "./keeping.ts";
import type { ConnectionHandlers } from "../../src/client/live/listen.ts";

const minute = 60_000;
const limits = { ...defaultLimits, feed: feeds.prices };
const handlers: ConnectionHandlers = {
  opened: () => undefined,
  events: async () => await Promise.resolve(),
  charged: () => undefined,
  lost: () => undefined,
  stray: () => undefined,
  retrying: () => undefined,
  said: () => undefined,
};

/** Returns the largest number of times within any span of this length. */
function mostWithin(times: readonly number[], length: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + length).length));
}

describe("a service that sends one event and closes", () => {
  test.each([0, 0.999])("gets few connections, and fewer over time (%d)", async (random) => {
    const times: number[] = [];
    const kept = await keep(
      () => {
        times.push(kept.context.clock.elapsed());
        return stream([price("1")], { stayOpen: false });
      },
      { random },
    );
    await kept.until(() => (times.at(-1) ?? 0) > 20 * minute);
    const later = times.filter((at) => at >= 5 * minute);
    expect(times.filter((at) => at < minute).length).toBeLessThanOrEqual(6);
    expect(mostWithin(later, minute)).toBeLessThanOrEqual(2);
    // The client does not give up either.
    expect(later.length).toBeGreaterThan(8);
    expect(kept.events.length).toBeGreaterThanOrEqual(times.length - 1);
  });

  test("does not use up --max-reconnects, which counts connections without data", async () => {
    const kept = await keep(() => stream([price("1")], { stayOpen: false }), {
      limits: { maxReconnects: 1 },
    });
    await kept.until(() => kept.events.length === 6);
    expect(kept.waits.slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });
});

test.each([
  [999, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]],
  // At most six openings in the first minute, and in each later one.
  [4000, [1000, 2000, 4000, 6000, 6000, 17_000, 6000]],
  [10_000, [1000, 1000, 1000, 1000, 1000, 1000, 1000]],
])("data on connections that last %i ms: waits of %j", async (lasting, expected) => {
  const { clock, random } = createTestContext({ flows: true });
  const waits: number[] = [];
  const over = new AbortController();
  const open: OpenConnection = async () => {
    async function* chunks(): AsyncGenerator<readonly Buffer[]> {
      yield [Buffer.from(price("1"))];
      await clock.sleep(lasting);
    }
    const connection = {
      headers: new Map(),
      chunks: Object.assign(chunks(), { pauses: () => 0 }),
      close: () => undefined,
    };
    return await Promise.resolve(connection);
  };
  const retrying = (_: Failure, wait: number): void => {
    if (waits.push(wait) === 7) over.abort("enough");
  };
  await expect(
    keepOpen({ clock, random }, open, { ...handlers, retrying }, limits, over.signal),
  ).rejects.toBe("enough");
  expect(waits).toEqual(expected);
});

/** Keeps streams that close after each event, and sends requests with the same key as fast as the rate limit allows. */
async function share(
  context: TestContext,
  [streams, requests]: readonly [Pace, Pace],
  connections: number,
  until: number,
): Promise<{ readonly openings: readonly number[]; readonly requests: readonly number[] }> {
  const { clock } = context;
  const openings: number[] = [];
  const server = await serveInTest(() => {
    openings.push(clock.elapsed());
    return stream([price("1")], { stayOpen: false });
  });
  const target = {
    rest: "http://127.0.0.1:9",
    streaming: server.url,
    tier: "dev",
    key: undefined,
    keySource: undefined,
    isSimulated: false,
  } as const;
  const ledger = { check: async () => await Promise.resolve(), delivered: () => undefined };
  const plan = { answered: () => undefined, required: undefined };
  const opening = { target, context, pace: streams, ledger, timeout: 86_400_000, command: "stream", plan };
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const kept = Array.from({ length: connections }, async (_, index) => {
    const subjects = [{ network: "base", address: `0x${index}` }];
    const subscription = { feed: feeds.prices, kind: feeds.prices.kinds[0], subjects, params: new Map() };
    if (subscription.kind === undefined) throw new Error("a feed has a kind");
    const open = openerOf({ ...opening, ...subscription, kind: subscription.kind });
    await keepOpen(context, open, handlers, limits, over.signal).catch(() => undefined);
  });
  const sent: number[] = [];
  while (clock.elapsed() < until) {
    await requests.turn();
    sent.push(clock.elapsed());
    // The duration of a request: a process that used all requests at once would leave none to the other.
    await clock.sleep(50);
  }
  over.abort("enough");
  await Promise.all(kept);
  return { openings, requests: sent };
}

describe("20 streams that close after each event, and requests with the same key", () => {
  test.each([
    ["in one process, dev plan", 120, 0, true],
    ["in two processes, dev plan", 120, 0, false],
    // The first twenty connections are more than half of thirty, because the user wants twenty streams.
    ["in one process, free plan, from the second minute on", 30, 1, true],
  ])("%s: requests keep half of the rate", async (_, perMinute, from, isOneProcess) => {
    const context = createTestContext({ flows: true });
    const store = memoryStore();
    const open = (): Pace =>
      createPace(context, {
        rate: { kind: "plan", perMinute, plan: "dev" },
        store,
        pausing: () => undefined,
      });
    const pace = open();
    const [span, spans] = [61_200, 3];
    const { openings, requests } = await share(
      context,
      [pace, isOneProcess ? pace : open()],
      20,
      spans * span,
    );
    const perSpan = Array.from(
      { length: spans },
      (__, at) => requests.filter((time) => time >= at * span && time < (at + 1) * span).length,
    );
    for (const count of perSpan.slice(from)) expect(count).toBeGreaterThanOrEqual(perMinute / 2);
    // The streams also make progress: four connections of each in three minutes, if half of the rate allows it.
    expect(openings.length).toBeGreaterThanOrEqual(Math.min(20 * 4, 1.2 * perMinute));
  });
});
