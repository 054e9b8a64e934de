import { feeds } from "../../../src/api/feeds.ts";
import { fc } from "../../harness/properties.ts";
import { expect, test } from "vitest";
import type { Subject } from "../../../src/sandbox/streams/feed-events.ts";
import {
  createMarket,
  createSandboxState,
  openStream,
  plainDecimal,
  sourceOf,
  StreamHub,
} from "../../harness/bundled-sandbox.ts";
import { finish } from "../../../src/sandbox/work.ts";
import { NOON } from "../contract/service.ts";
import { POOL, USDC, WETH, wethPrice } from "./stream-client.ts";

const { array, assert, double, integer, property } = fc;

const market = createMarket({ seed: 1 });
const network = market.networks.find(({ id }) => id === "ethereum");
const token = network && market.token(network, WETH, NOON);
const pool = network && market.pool(network, POOL, NOON);

const subjects: Subject[] =
  token === undefined || pool === undefined
    ? []
    : [
        { method: "token_price", token },
        { method: "pool", pool },
        { method: "token", token },
        { method: "token_ohlcv", token, interval: "1s" },
        { method: "token_ohlcv", token, interval: "5s" },
        { method: "token_ohlcv", token, interval: "60s" },
        { method: "pool_reserves", pool },
        { method: "token_reserves", token },
      ];

test("132: a swap that does not change the price is not an event", () => {
  const still = { ...market, tokenPriceUsd: () => 2620.5 };
  if (token === undefined) throw new Error("no WETH");
  expect(
    sourceOf({ method: "token_price", token }, market, "spec", NOON)(NOON, NOON + 600).length,
  ).toBeGreaterThan(10);
  expect(sourceOf({ method: "token_price", token }, still, "spec", NOON)(NOON, NOON + 600)).toEqual([]);
});

test("a token without a price has no events", () => {
  const silent = { ...market, tokenPriceUsd: () => undefined };
  if (token === undefined) throw new Error("no WETH");
  expect(sourceOf({ method: "token_price", token }, silent, "spec", NOON)(NOON, NOON + 600)).toEqual([]);
});

test("this list covers every kind of asset", () => {
  const methods: readonly string[] = Object.values(feeds).flatMap(({ kinds }) =>
    kinds.map(({ method }) => method),
  );
  expect(new Set(subjects.map(({ method }) => method))).toEqual(new Set(methods));
});

test.each(subjects)(
  "$method: however the time is split, the events are the same, in order of time",
  (subject) => {
    const source = sourceOf(subject, market, "spec", NOON);
    const whole = source(NOON, NOON + 600);
    expect(whole.length).toBeGreaterThan(5);
    const times = whole.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    assert(
      property(array(integer({ min: 1, max: 599 }), { maxLength: 12 }), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), 600].map((each) => NOON + each);
        const parts = edges.slice(1).flatMap((to, index) => source(edges[index] ?? to, to));
        expect(parts).toEqual(whole);
      }),
      { numRuns: 6 },
    );
  },
);

test("a decimal has no exponent, parses to the same double, and keeps its digits", () => {
  expect([0.00000098, 1e-30, 1.5e21, 2620.25, 3, 1.2345e-7].map(plainDecimal)).toEqual([
    "0.00000098",
    "0.000000000000000000000000000001",
    "1500000000000000000000",
    "2620.25",
    "3",
    "0.00000012345",
  ]);
  assert(
    property(double({ min: 0, max: 1e24, noNaN: true }), (value) => {
      const text = plainDecimal(value);
      expect(text).toMatch(/^\d+(\.\d+)?$/);
      expect(Number(text)).toBe(value);
    }),
  );
});

const request = {
  method: "GET",
  target: wethPrice,
  headers: {},
  remoteAddress: "127.0.0.1",
  host: "stream_free",
  body: "",
} as const;

test("after a clock jump, the stream catches up in limited turns, in order, without skipping events", () => {
  const clock = { now: NOON * 1000 };
  const state = {
    ...createSandboxState({ now: () => clock.now, elapsed: () => 0 }),
    market,
  };
  const hub = new StreamHub(state);
  const frames: string[] = [];
  let queued = 0;
  const opening = finish(openStream(request, state, hub));
  if (opening.start === undefined) throw new Error("refused");
  opening.start({ write: (frame) => void frames.push(frame), queued: () => queued, end: () => {} });
  clock.now += 3_600_000;
  const turns: (number | undefined)[] = [];
  const told: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    // The stream waits a little for a reader that lags behind.
    queued = turn === 2 ? 300_000 : 0;
    turns.push(hub.turn());
    told.push(Number(/"timestamp":(\d+)/.exec(frames.at(-1) ?? "")?.[1]) - NOON);
  }
  expect(turns).toEqual([0, 0, 10, 100, 100]);
  expect(told.map((seconds, turn) => seconds > turn * 960 - 120 && seconds <= (turn + 1) * 960)).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  const times = frames.map((frame) => Number(/"timestamp":(\d+)/.exec(frame)?.[1]));
  if (token === undefined) throw new Error("no WETH");
  const source = sourceOf({ method: "token_price", token }, market, "spec", NOON);
  expect(times).toEqual(source(NOON, NOON + 3600).map(({ at }) => at));
});

test("a turn ends after 10 ms of work", () => {
  const clock = { now: NOON * 1000, elapsed: 0 };
  // Reading the clock takes 3 ms.
  const elapsed = () => (clock.elapsed += 3);
  const state = { ...createSandboxState({ now: () => clock.now, elapsed }), market };
  const hub = new StreamHub(state);
  const frames: string[] = [];
  const { start } = finish(openStream(request, state, hub));
  start?.({ write: (frame) => void frames.push(frame), queued: () => 0, end: () => {} });
  clock.now += 960_000;
  expect(hub.turn()).toBe(0);
  const newest = Number(/"timestamp":(\d+)/.exec(frames.at(-1) ?? "")?.[1]) - NOON;
  // Four minutes of events, the last of which may be a few seconds earlier.
  expect(newest).toBeGreaterThan(180);
  expect(newest).toBeLessThanOrEqual(240);
});

test("events without readers are no longer computed", () => {
  const clock = { now: NOON * 1000 };
  let lookups = 0;
  const counting = {
    ...market,
    transactions: (...window: Parameters<typeof market.transactions>) => {
      lookups += 1;
      return market.transactions(...window);
    },
  };
  const state = {
    ...createSandboxState({ now: () => clock.now, elapsed: () => 0 }),
    market: counting,
  };
  const hub = new StreamHub(state);
  const start = (address: string) => {
    const opening = finish(openStream({ ...request, target: wethPrice.replace(WETH, address) }, state, hub));
    if (opening.start === undefined) throw new Error("refused");
    return opening.start({ write: () => {}, queued: () => 0, end: () => {} });
  };
  const lookupsPerTurn = (): number => {
    lookups = 0;
    clock.now += 1000;
    hub.turn();
    return lookups;
  };
  const [first, second, other] = [start(WETH), start(WETH), start(USDC)];
  expect(lookupsPerTurn()).toBe(2);
  first.drop();
  expect(lookupsPerTurn()).toBe(2);
  second.drop();
  expect(lookupsPerTurn()).toBe(1);
  other.drop();
  expect(lookupsPerTurn()).toBe(0);
  expect(hub.turn()).toBe(undefined);
});

test("without sockets: an internal sandbox error is a 500 before the stream and an error within it", () => {
  let isBroken = false;
  const clock = { now: NOON * 1000 };
  const state = {
    ...createSandboxState({ now: () => clock.now, elapsed: () => 0 }),
    market: {
      ...market,
      token: (...lookups: Parameters<typeof market.token>) => {
        if (isBroken) throw new Error("out of order");
        return market.token(...lookups);
      },
      tokenPriceUsd: () => {
        throw new Error("out of order");
      },
    },
  };
  const hub = new StreamHub(state);
  const frames: string[] = [];
  const opening = finish(openStream(request, state, hub));
  if (opening.start === undefined) throw new Error("refused");
  opening.start({
    write: (frame) => void frames.push(frame),
    queued: () => 0,
    end: () => frames.push("end"),
  });
  clock.now += 60_000;
  expect(hub.turn()).toBe(undefined);
  expect(frames).toEqual(['event: error\ndata: {"message":"internal error: out of order"}\n\n', "end"]);
  expect(hub.owners).toEqual([]);

  isBroken = true;
  const refused = finish(openStream(request, state, hub));
  expect(refused).toMatchObject({
    start: undefined,
    response: { status: 500, body: '{"error":"internal_error","message":"internal error: out of order"}' },
  });
});
