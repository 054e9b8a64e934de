import { expect } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/sandbox-exchange.ts";
import type { Market } from "../../src/sandbox/market/market.ts";
import { createMarket, createSandboxState, handle, parseFaults } from "../harness/bundled-sandbox.ts";
import { at as valueAt, list, NOON, numbers } from "./contract/service.ts";
import { finalRows, listedAmong, type ListedRow, type MarketRules } from "./listed-rows.ts";

const DAY = 86_400;

export type Ask = (path: string, at: number) => unknown;

const markets = new Map<number, Market>();

/** Creating a network takes a while, so the tests of a seed share its market. */
export function marketOf(seed: number): Market {
  const market = markets.get(seed) ?? createMarket({ seed });
  markets.set(seed, market);
  return market;
}

/** Answers of a sandbox whose clock is set for each request. */
export function serve(faults: string, options: Partial<SandboxOptions> = {}): Ask {
  const read = faults === "" ? [] : parseFaults(faults);
  let now = NOON;
  const made = createSandboxState({
    now: () => now * 1000,
    elapsed: () => 0,
    requestsPerMinute: Number.POSITIVE_INFINITY,
    faults: read,
    ...options,
  });
  const state = { ...made, market: marketOf(options.seed ?? 1) };
  return (path, at) => {
    now = at;
    const headers = { authorization: "api_pro_market_faults" };
    const request = { method: "GET", target: path, headers, remoteAddress: "127.0.0.1" } as const;
    const { status, body } = handle({ ...request, host: "rest_paid" }, state);
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
    return JSON.parse(body) as unknown;
  };
}

export function busiestPool(seed: number, slug: string) {
  const market = marketOf(seed);
  const network = market.network(slug);
  const pool = network && market.pools(network, NOON)[0];
  if (pool === undefined) throw new Error(`no pool on ${slug}`);
  return { market, pool, path: `/networks/${slug}/pools/${pool.id}` };
}

/** What a row of an answer and a row of the list must agree on; a fork's indexes are checked separately. */
function describeRow(row: ListedRow) {
  const { form, final, time, block } = row;
  return {
    id: form === "copy" ? "(copy)" : final.id,
    log: form === "fork" ? "(fork)" : final.logIndex + Number(form === "copy"),
    amount: String(final.amount0),
    block,
    time: new Date(time * 1000).toISOString().replace(".000Z", "Z"),
  };
}

function compareRows(
  served: readonly unknown[],
  expected: readonly ListedRow[],
  finalIds: ReadonlySet<unknown>,
): void {
  const described = served.map((row, place) => ({
    id: finalIds.has(valueAt(row, "id")) ? valueAt(row, "id") : "(copy)",
    log: expected[place]?.form === "fork" ? "(fork)" : valueAt(row, "log_index"),
    amount: String(valueAt(row, "amount_0")),
    block: valueAt(row, "created_at_block_number"),
    time: valueAt(row, "created_at"),
  }));
  expect(described).toEqual(expected.map(describeRow));
  const identities = served.map(
    (row) => `${String(valueAt(row, "id"))} ${String(valueAt(row, "log_index"))}`,
  );
  expect(new Set(identities).size).toBe(served.length);
  for (const [place, row] of served.entries()) {
    const listed = expected[place];
    if (listed?.form !== "fork") continue;
    expect(valueAt(row, "transaction_index")).not.toBe(listed.final.transactionIndex);
  }
}

function readPages(ask: Ask, path: string, at: number, limit: number): readonly unknown[] {
  const rows: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const body = ask(`${path}&limit=${limit}&page=${page}`, at);
    rows.push(...list(body, "transactions"));
    if (page >= Number(valueAt(body, "page_info.total_pages"))) {
      expect(valueAt(body, "page_info.total_items")).toBe(rows.length);
      return rows;
    }
  }
}

function readCursors(ask: Ask, path: string, at: number, limit: number): readonly unknown[] {
  const rows: unknown[] = [];
  let cursor = "";
  do {
    const body = ask(`${path}&limit=${limit}&cursor=${cursor}`, at);
    rows.push(...list(body, "transactions"));
    cursor = encodeURIComponent(String(valueAt(body, "page_info.next_cursor")));
  } while (cursor !== "");
  return rows;
}

/** Times at which what is listed may change: of some rows, and just before and when they reach an age. */
export function instantsOf(
  { market, pool }: ReturnType<typeof busiestPool>,
  { late, withdrawn, reorg }: Omit<MarketRules, "seed">,
  count: number,
): readonly number[] {
  const forkSeconds = (reorg?.[0] ?? 0) * pool.clock.blockSeconds;
  const ages = [late?.[0], withdrawn?.[0], Math.floor(forkSeconds), Math.ceil(forkSeconds) + 1, 1];
  const rows = market.transactions(pool, { to: NOON, limit: count });
  return rows.map(({ time }, place) => {
    const age = ages[place % ages.length] ?? 0;
    return time + Math.max(0, age - (place % 2));
  });
}

/**
 * Returns the number of rows in another form than the final one. `made` may have more rows than needed: making those of
 * a busy day takes a while.
 */
export function comparePages(
  ask: Ask,
  { market, pool, path }: ReturnType<typeof busiestPool>,
  rules: MarketRules,
  at: number,
  hours: number,
  made = finalRows(market, pool, at - (hours + 1) * 3600, at),
): number {
  const from = at - hours * 3600;
  const expected = listedAmong(made, pool, rules, at).filter(({ time }) => time >= from);
  const finalIds = new Set(made.rows.map(({ id }) => id));
  const all = `${path}/transactions?from=${from}`;
  compareRows(readPages(ask, all, at, 37), expected.toReversed(), finalIds);
  compareRows(readCursors(ask, all, at, 3), expected.toReversed(), finalIds);
  for (const [start, end] of [
    [at - 400, at - 60],
    [at - 95, at],
    [at - 1700, at - 1000],
  ] as const) {
    const inside = expected.filter(({ time }) => time >= start && time <= end).toReversed();
    compareRows(readPages(ask, `${path}/transactions?from=${start}&to=${end}`, at, 10), inside, finalIds);
  }
  return expected.filter(({ form }) => form !== "final").length;
}

export function compareTotals(
  ask: Ask,
  { market, pool, path }: ReturnType<typeof busiestPool>,
  rules: MarketRules,
  at: number,
  made = finalRows(market, pool, at - DAY - 3600, at),
): void {
  const rows = listedAmong(made, pool, rules, at);
  const body = ask(path, at);
  for (const [name, seconds] of [
    ["24h", DAY],
    ["1h", 3600],
    ["15m", 900],
    ["5m", 300],
  ] as const) {
    const inside = rows.filter(({ time }) => time > at - seconds);
    const swaps = inside.filter(({ final }) => final.kind === "swap");
    const buys = swaps.filter(({ final }) => final.amount0 < 0n);
    const shown = (field: string): unknown => valueAt(body, `${name}.${field}`);
    expect({ at, name, txns: shown("txns"), buys: shown("buys"), sells: shown("sells") }).toEqual({
      at,
      name,
      txns: inside.length,
      buys: buys.length,
      sells: swaps.length - buys.length,
    });
    expectClose(shown("volume_usd"), sum(swaps));
    expectClose(shown("buy_usd"), sum(buys));
  }
  const newest = rows.at(-1)?.time ?? 0;
  expect(Date.parse(String(valueAt(body, "last_updated")))).toBe(newest * 1000);
  for (const [interval, seconds] of [
    ["1m", 60],
    ["5m", 300],
    ["1h", 3600],
  ] as const) {
    const start = Math.floor(at / 3600) * 3600 - 3600;
    const candles = ask(`${path}/ohlcv?start=${start}&interval=${interval}&limit=1000`, at);
    const expected = foldCandles(
      rows.filter(({ time }) => time >= start),
      seconds,
    );
    expect(numbers(candles, "", "open")).toEqual(expected.map(({ open }) => open));
    expect(numbers(candles, "", "close")).toEqual(expected.map(({ close }) => close));
    expect(numbers(candles, "", "high")).toEqual(expected.map(({ high }) => high));
    expect(numbers(candles, "", "low")).toEqual(expected.map(({ low }) => low));
    expect(list(candles).map((candle) => Date.parse(String(valueAt(candle, "time_open"))) / 1000)).toEqual(
      expected.map(({ opened }) => opened),
    );
    for (const [place, candle] of list(candles).entries())
      expect(Math.abs(Number(valueAt(candle, "volume") ?? 0) - (expected[place]?.volume ?? 0))).toBeLessThan(
        0.51,
      );
  }
}

function volumeOf({ final }: ListedRow): number {
  const { amount0, amount1, price0Usd, price1Usd, pool } = final;
  const size = (amount: bigint, decimals: number, price = 0): number =>
    (Math.abs(Number(amount)) / 10 ** decimals) * price;
  const [token0, token1] = pool.tokens;
  return Math.max(size(amount0, token0.decimals, price0Usd), size(amount1, token1.decimals, price1Usd));
}

function sum(rows: readonly ListedRow[]): number {
  return rows.reduce((total, row) => total + volumeOf(row), 0);
}

function expectClose(shown: unknown, expected: number): void {
  expect(Math.abs(Number(shown) - expected)).toBeLessThanOrEqual(1e-6 * (1 + expected));
}

function foldCandles(rows: readonly ListedRow[], seconds: number) {
  const candles = new Map<
    number,
    { opened: number; open: number; close: number; high: number; low: number; volume: number }
  >();
  for (const row of rows) {
    if (row.final.kind !== "swap") continue;
    const opened = Math.floor(row.time / seconds) * seconds;
    const price = row.final.price0;
    const candle = candles.get(opened) ?? {
      opened,
      open: price,
      close: price,
      high: price,
      low: price,
      volume: 0,
    };
    candles.set(opened, {
      ...candle,
      close: price,
      high: Math.max(candle.high, price),
      low: Math.min(candle.low, price),
      volume: candle.volume + volumeOf(row),
    });
  }
  return [...candles.values()];
}
