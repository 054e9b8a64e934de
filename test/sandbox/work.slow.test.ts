import { describe, expect, test } from "vitest";
import type { EndpointId } from "../../src/api/endpoints/all.ts";
import { feeds } from "../../src/api/feeds.ts";
import type { SandboxState } from "../../src/sandbox/service/state.ts";
import {
  createMarket,
  createNewMarket,
  createSandboxState,
  handleInSteps,
  openStream,
  startSandbox,
  StreamHub,
} from "../harness/bundled-sandbox.ts";
import { createWorkQueue } from "../../src/sandbox/timers.ts";
import { finish, shareWork, type Work } from "../../src/sandbox/work.ts";
import { processorTime } from "../harness/processor-time.ts";
import { open } from "./streams/stream-client.ts";
import { exchange, NOON, PRO, USDC_WETH, WETH } from "./contract/service.ts";

const immediate = async (): Promise<void> => {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
};

/** Counts its steps in `done`. */
function* count(done: number[], steps: number): Work<string> {
  for (let step = 1; step <= steps; step += 1) {
    done.push(step);
    yield;
  }
  return "done";
}

describe("work in steps", () => {
  test("does 10 ms of all requests' work in a turn, so that sockets and signals are served in between", async () => {
    let now = 0;
    // Reading the clock takes a millisecond.
    const queue = createWorkQueue(() => (now += 1));
    const [first, second]: [number[], number[]] = [[], []];
    const ended: string[] = [];
    queue.start(count(first, 100), (result) => ended.push(`first ${result}`));
    queue.start(count(second, 10), (result) => ended.push(`second ${result}`));
    expect([first.length, second.length]).toEqual([1, 1]);
    let turns = 0;
    while (ended.length < 2) {
      const before = first.length + second.length;
      await immediate();
      expect(first.length + second.length - before).toBeLessThanOrEqual(10);
      turns += 1;
    }
    expect(turns).toBeGreaterThanOrEqual(11);
    expect(ended).toEqual(["second done", "first done"]);
  });

  test("stops when it is canceled or the queue is stopped", async () => {
    let now = 0;
    const queue = createWorkQueue(() => (now += 1));
    const [canceled, stopped]: [number[], number[]] = [[], []];
    const cancel = queue.start(count(canceled, 1000), () => expect.unreachable());
    queue.start(count(stopped, 1000), () => expect.unreachable());
    await immediate();
    cancel();
    const before = canceled.length;
    await immediate();
    expect(canceled).toHaveLength(before);
    queue.stop();
    const last = stopped.length;
    await immediate();
    await immediate();
    expect(stopped).toHaveLength(last);
  });

  test("is done only once for several requests, even if the first one goes away", () => {
    const steps: number[] = [];
    const share = shareWork(count(steps, 10));
    const [first, second, third] = [share(), share(), share()];
    for (let step = 0; step < 3; step += 1) {
      first.next();
      second.next();
    }
    expect(steps).toHaveLength(6);
    expect([finish(second), finish(third)]).toEqual(["done", "done"]);
    expect(steps).toHaveLength(10);
  });
});

const ETHEREUM = "/networks/ethereum";

/** The requests of each endpoint that need the most work. */
const TARGETS: Readonly<Record<EndpointId, readonly string[]>> = {
  networks: ["/networks"],
  dexes: [`${ETHEREUM}/dexes?limit=100`, "/networks/solana/dexes?limit=100"],
  pool: [`${ETHEREUM}/pools/${USDC_WETH}`],
  pool_transactions: ["limit=100", "limit=100&page=100&from=2023-01-01", "limit=100&cursor="].map(
    (query) => `${ETHEREUM}/pools/${USDC_WETH}/transactions?${query}`,
  ),
  pool_ohlcv: ["start=-90d&limit=90", "start=-90d&count_back=90", "start=1970-01-01&limit=100"].map(
    (query) => `${ETHEREUM}/pools/${USDC_WETH}/ohlcv?interval=24h&${query}`,
  ),
  token_ohlcv: ["interval=24h", "interval=24h&count_back=30", "interval=1h"].map(
    (query) => `${ETHEREUM}/tokens/${WETH}/ohlcv?start=-30d&limit=1000&${query}`,
  ),
  token: [`${ETHEREUM}/tokens/${WETH}`],
  network_tokens_search: [`${ETHEREUM}/tokens/search?limit=100&detailed=true`],
  tokens_search: ["limit=100", "limit=100&detailed=true", "order_by=volume_usd_30d"].map(
    (query) => `/tokens/search?${query}`,
  ),
  network_pools_search: [`${ETHEREUM}/pools/search?limit=100&detailed=true`],
  pools_search: [
    "limit=100&detailed=true",
    "order_by=volume_usd_30d",
    "order_by=price_change_percentage_48h",
    "volume_usd_7d_min=1000&txns_24h_min=5",
  ].map((query) => `/pools/search?${query}`),
  search: ["/search?query=weth", "/search?query=swap%20v"],
  multi_prices: [`${ETHEREUM}/multi/prices?tokens=${WETH}`],
  usage: ["/usage"],
};

const SEED = 900;
const caller = { headers: { authorization: PRO }, remoteAddress: "127.0.0.1" };

/** The public dialect has all feeds and the longer responses. */
function coldState(now = () => NOON * 1000): SandboxState {
  const state = createSandboxState({ dialect: "public", now, elapsed: () => 0 });
  // Sandboxes with the same seed share a market in tests.
  return { ...state, market: createNewMarket({ seed: SEED }) };
}

const STREAMS = Object.values(feeds).flatMap(({ path, params, kinds }) =>
  kinds.map(({ method }) => {
    const asset = `chain=ethereum&address=${method.startsWith("pool") ? USDC_WETH : WETH}`;
    const since = params.includes("since") ? `&since=${NOON - 900}` : "";
    return { method: "GET", target: `${path}?method=${method}&${asset}${since}` };
  }),
);

/** Needs as many networks as possible. */
function streamBatch(seed: number) {
  const market = createMarket({ seed });
  const assets = market.networks.slice(0, 25).map((network) => {
    const [token] = market.tokens(network, NOON);
    return { chain: network.id, address: token?.address, method: "token_price" };
  });
  return { method: "POST", target: feeds.prices.path, body: JSON.stringify(assets) };
}

/**
 * Milliseconds. The longest steps take about 5 ms, and up to 20 ms on a slow machine. Without steps, candles and streams
 * of large networks take hundreds.
 */
const LONGEST_STEP = 50;

/**
 * Does the same work up to five times, and expects the least processor time of each step to be short. The garbage
 * collector delays a different step each time.
 */
function expectShortSteps(start: () => Work<number>): void {
  let least: number[] = [];
  let longest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && longest > LONGEST_STEP; round += 1) {
    const work = start();
    const times: number[] = [];
    // Reading the processor time takes longer than many a step, so the end of a step is the start of the next one.
    let before = processorTime();
    for (let isDone = false; !isDone;) {
      const step = work.next();
      const after = processorTime();
      times.push(Math.min(after - before, least[times.length] ?? Number.POSITIVE_INFINITY));
      before = after;
      isDone = step.done === true;
      if (step.done === true) expect(step.value).toBe(200);
    }
    least = times;
    longest = times.reduce((max, time) => Math.max(max, time), 0);
  }
  expect(longest).toBeLessThanOrEqual(LONGEST_STEP);
}

describe("all work is short steps, even in a new sandbox", () => {
  test.each([...Object.values(TARGETS).flat(), "/stats"])("GET %s", (target) => {
    expectShortSteps(function* answer() {
      const request = { ...caller, method: "GET", target, host: "rest_paid" } as const;
      return (yield* handleInSteps(request, coldState())).status;
    });
  });

  test.each([...STREAMS, streamBatch(SEED)])("$method $target", (request) => {
    expectShortSteps(function* stream() {
      let now = NOON * 1000;
      const state = coldState(() => now);
      const hub = new StreamHub(state);
      const { response, start } = yield* openStream(
        { ...caller, ...request, host: "stream_paid" },
        state,
        hub,
      );
      start?.({ write: () => {}, queued: () => 0, end: () => {} });
      yield;
      now += 1000;
      hub.turn();
      return response.status;
    });
  });
});

describe("a request that needs much work", () => {
  const options = { now: () => NOON * 1000, elapsed: () => performance.now() };

  test.each([
    "/pools/search?chains=solana&order_by=volume_usd_30d",
    `${ETHEREUM}/tokens/${WETH}/ohlcv?start=-30d&interval=24h&limit=30`,
  ])("%s does not delay the requests to another port, nor a second reader", async (path) => {
    const sandbox = await startSandbox({ ...options, seed: 899 });
    const order: string[] = [];
    const ask = async (name: string, base: string, target: string, key?: string): Promise<string> => {
      const { text } = await exchange(base, target, { key });
      order.push(name);
      return text;
    };
    const [first, second] = await Promise.all([
      ask("long", sandbox.restPaid, path, PRO),
      ask("long", sandbox.restPaid, path, PRO),
      ask("networks", sandbox.restFree, "/networks"),
    ]).finally(sandbox.close);
    expect(order).toEqual(["networks", "long", "long"]);
    expect(second).toBe(first);
  });

  test("a stream of many networks does not delay the requests to another port", async () => {
    const sandbox = await startSandbox({ ...options, seed: 898 });
    const order: string[] = [];
    const { target, ...batch } = streamBatch(898);
    const opening = open(sandbox.streamPaid, target, { ...batch, key: PRO }).then(({ status }) => {
      order.push(`stream ${status}`);
    });
    const asking = async (): Promise<void> => {
      // The first one may overtake the body of the stream's request.
      for (const name of ["first", "second", "third"]) {
        await exchange(sandbox.restFree, "/networks", {});
        order.push(name);
      }
    };
    await Promise.all([opening, asking()]).finally(sandbox.close);
    expect(order).toEqual(["first", "second", "third", "stream 200"]);
  });
});
