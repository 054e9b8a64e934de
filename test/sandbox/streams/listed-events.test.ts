import { describe, expect, test } from "vitest";
import type { Faults } from "../../../src/sandbox/fault-kinds.ts";
import type { Pool, Token } from "../../../src/sandbox/market/pool.ts";
import type { Market } from "../../../src/sandbox/market/market.ts";
import { finish } from "../../../src/sandbox/work.ts";
import { createSandboxState, openStream, parseFaults, StreamHub } from "../../harness/bundled-sandbox.ts";
import { createRandom } from "../../harness/random.ts";
import { busiestPool, marketOf, serve } from "../compare-market.ts";
import { list, NOON } from "../contract/service.ts";
import { finalRows, listedAmong, listedRows, type ListedRow, type MarketRules } from "../listed-rows.ts";

function readFaults(spec: string): Faults {
  const faults = parseFaults(spec);
  return faults;
}

/** Opens a stream without a socket, lets the clock run for `seconds`, in uneven steps, and returns the events. */
function eventsOf(faults: string, market: Market, target: string, seconds: number): readonly unknown[] {
  let now = NOON;
  const made = createSandboxState({ now: () => now * 1000, elapsed: () => 0, faults: readFaults(faults) });
  const state = { ...made, market };
  const hub = new StreamHub(state);
  const request = {
    method: "GET",
    target,
    headers: { authorization: "api_pro_listed_events" },
    remoteAddress: "127.0.0.1",
    host: "stream_paid",
  } as const;
  const { response, start } = finish(openStream(request, state, hub));
  if (start === undefined) throw new Error(`${response.status} ${response.body}`);
  const frames: string[] = [];
  const stream = start({ write: (frame) => void frames.push(frame), queued: () => 0, end: () => {} });
  const random = createRandom(7);
  while (now < NOON + seconds) {
    now = Math.min(NOON + seconds, now + 1 + Math.floor(random() * 90));
    hub.turn();
  }
  stream.drop();
  return frames.map((frame) => JSON.parse(/^data: (.*)$/mu.exec(frame)?.[1] ?? "null") as unknown);
}

function field(event: unknown, name: string): unknown {
  return typeof event === "object" && event !== null ? Reflect.get(event, name) : undefined;
}

const cases: readonly { readonly faults: string; readonly rules: Omit<MarketRules, "seed"> }[] = [
  { faults: "late-rows=90s:30%", rules: { late: [90, 0.3] } },
  { faults: "withdrawn-rows=2m:30%", rules: { withdrawn: [120, 0.3] } },
  { faults: "reorg=12:40%", rules: { reorg: [12, 0.4] } },
  {
    faults: "late-rows=5m:30%,withdrawn-rows=4m:30%,reorg=20:40%",
    rules: { late: [300, 0.3], withdrawn: [240, 0.3], reorg: [20, 0.4] },
  },
];

const SECONDS = 2 * 3600;
/** Compared second by second. */
const WATCHED = 900;

describe.each(cases)("$faults", ({ faults, rules }) => {
  test("a transaction is sent each time it becomes listed", () => {
    const { market, pool } = busiestPool(1, "ethereum");
    const events = eventsOf(
      faults,
      market,
      `/sse/transactions?method=pool&chain=ethereum&address=${pool.id}`,
      WATCHED,
    );
    const described = events.map((event) =>
      [field(event, "block_number"), field(event, "block_timestamp"), field(event, "amount_0")]
        .map(String)
        .join(" "),
    );
    const expected: string[] = [];
    const final = finalRows(market, pool, NOON - 700, NOON + WATCHED);
    const listedAt = (at: number) => listedAmong(final, pool, { seed: 1, ...rules }, at);
    let before = new Set(listedAt(NOON).map(describeRow));
    for (let at = NOON + 1; at <= NOON + WATCHED; at += 1) {
      const rows = listedAt(at);
      const added = rows.filter((row) => !before.has(describeRow(row)));
      expected.push(...added.map(describeEvent));
      before = new Set(rows.map(describeRow));
    }
    expect(described).toEqual(expected);
    expect(described.length).toBeGreaterThan(20);
  });

  test.each(["1s", "60s"] as const)("the last %s candle sent equals the listed rows", (interval) => {
    const market = marketOf(1);
    const { token, pools } = quietToken(market);
    const target = `/sse/ohlcv?chain=ethereum&address=${token.address}&method=token_ohlcv&interval=${interval}`;
    const events = eventsOf(faults, market, target, SECONDS);
    const last = new Map(events.map((event) => [Number(field(event, "timestamp")), event]));
    const seconds = interval === "1s" ? 1 : 60;
    const [first, end] = [NOON + 60, NOON + SECONDS - 120];
    const rows = pools
      .flatMap((pool) => listedRows(market, pool, { seed: 1, ...rules }, NOON - 3600, NOON + SECONDS))
      .filter(({ final, time }) => isPricedSwap(final) && time >= first && time < end);
    const expected = new Map<number, number>();
    for (const { time } of rows) {
      const timestamp = Math.floor(time / seconds) * seconds;
      expected.set(timestamp, (expected.get(timestamp) ?? 0) + 1);
    }
    const sent = [...last].filter(([timestamp]) => timestamp >= first && timestamp < end);
    // A candle that has lost all of its swaps cannot be sent again.
    const stillListed = sent.filter(([timestamp]) => expected.has(timestamp));
    const inOrder = (pairs: Iterable<readonly [number, unknown]>) => [...pairs].toSorted(([a], [b]) => a - b);
    expect(inOrder(stillListed.map(([timestamp, event]) => [timestamp, field(event, "txns")]))).toEqual(
      inOrder(expected),
    );
    expect(expected.size).toBeGreaterThan(10);
    if (interval === "1s") return;
    const path = `/networks/ethereum/tokens/${token.address}/ohlcv?start=${first}&end=${end}&interval=1m&limit=1000`;
    const prices = (candle: unknown) => ["open", "high", "low", "close"].map((name) => field(candle, name));
    expect(list(serve(faults)(path, NOON + SECONDS)).map(prices)).toEqual(
      stillListed.toSorted(([a], [b]) => a - b).map(([, event]) => prices(event)),
    );
  });
});

test("the forms of a short span, from which candles are sent, include rows that a fork moves there", () => {
  const { market, pool } = busiestPool(1, "ethereum");
  const rules: MarketRules = { seed: 1, reorg: [64, 1] };
  const seen = market.withFaults(readFaults("reorg=64:100%"));
  const all = listedRows(market, pool, rules, NOON - 3600, NOON);
  let moved = 0;
  for (let after = NOON - 700; after < NOON; after += 5) {
    const listed = seen
      .showings(pool, after, after + 5)
      .filter(({ since, until }) => since <= NOON && NOON < until)
      .map(({ row, kind, time, blockNumber }) => ({ row, kind, time, blockNumber }));
    const expected = all.filter(({ time }) => time > after && time <= after + 5);
    moved += expected.filter(({ final, time }) => final.time !== time).length;
    expect(listed).toEqual(
      expected.map(({ row, form, time, block }) => ({ row, kind: form, time, blockNumber: block })),
    );
  }
  expect(moved).toBeGreaterThan(3);
});

/** A token with few pools, which trades often. */
function quietToken(market: Market): { token: Token; pools: readonly Pool[] } {
  const network = market.network("ethereum");
  const tokens = network === undefined ? [] : market.tokens(network, NOON);
  for (const token of tokens) {
    const pools = market.poolsOfToken(token, NOON + SECONDS);
    const trades = pools.reduce((sum, pool) => sum + market.transactionCount(pool, NOON, NOON + SECONDS), 0);
    if (token.isPriced && pools.length < 60 && trades > 60) return { token, pools };
  }
  throw new Error("no such token");
}

function isPricedSwap({ kind, price0Usd, price1Usd }: ListedRow["final"]): boolean {
  return kind === "swap" && (price0Usd !== undefined || price1Usd !== undefined);
}

/** The identity of a listed row. */
function describeRow({ final, form, moved }: ListedRow): string {
  return `${final.id} ${final.logIndex} ${form} ${moved}`;
}

function describeEvent({ final, time, block }: ListedRow): string {
  return [block, new Date(time * 1000).toISOString().replace(".000Z", "Z"), final.amount0]
    .map(String)
    .join(" ");
}
