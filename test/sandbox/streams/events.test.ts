import { describe, expect, test } from "vitest";
import { at, list, NOON } from "../contract/service.ts";
import { poolTrades, serve, settled, USDC, usdcPrice, WETH, wethPrice } from "./stream-client.ts";

const restPrice = `/networks/ethereum/multi/prices?tokens=${WETH}`;

describe("prices", () => {
  test("130, 165: a price event of the specification has p, a string, and the public fields", async () => {
    const service = await serve();
    const { open, pass } = service;
    const stream = await open(wethPrice);
    pass(60);
    const [event] = await stream.until(1);
    expect(event?.event).toBe("token_price");
    expect(event?.lines).toEqual(["event", "data", "request_id"]);
    expect(event?.requestId).toBe("0");
    const time = event?.data["timestamp"];
    expect(time).toBeGreaterThan(NOON);
    expect(event?.data).toEqual({
      address: WETH,
      chain: "ethereum",
      p: expect.stringMatching(/^\d+\.\d+$/),
      price: event?.data["p"],
      timestamp: time,
      timestamp_price: time,
      token_price: time,
    });
  });

  test("130: a price event of the public service has price and no p", async () => {
    const service = await serve({ dialect: "public" });
    const { open, pass } = service;
    const [price, legacy] = [await open(wethPrice), await open(wethPrice.replace("token_price", "t_p"))];
    pass(60);
    const [event] = await price.until(1);
    const [older] = await legacy.until(1);
    expect(Object.keys(event?.data ?? {})).toEqual([
      "address",
      "chain",
      "price",
      "timestamp",
      "timestamp_price",
      "token_price",
    ]);
    expect([older?.event, older?.data]).toEqual([
      "t_p",
      {
        a: WETH,
        c: "ethereum",
        p: event?.data["price"],
        t: event?.data["timestamp"],
        t_p: event?.data["timestamp"],
      },
    ]);
  });

  test("132: opening sends no snapshot, and nothing is sent while the clock stands", async () => {
    const service = await serve();
    const { open } = service;
    const stream = await open(wethPrice);
    await settled(service, stream);
    await settled(service, stream);
    expect(stream.text()).toBe(`event: ping\ndata: {"time":${NOON}}\n\n`.repeat(2));
  });

  test("132: every price change is one event; multi/prices sends the same", async () => {
    const service = await serve();
    const { open, rest, pass } = service;
    const stream = await open(wethPrice);
    const expected: unknown[] = [];
    let before = at(await rest(restPrice), "0.price_usd");
    for (let second = 1; second <= 300; second++) {
      pass(1);
      const price = at(await rest(restPrice), "0.price_usd");
      if (price !== before) expected.push([NOON + second, price]);
      before = price;
    }
    const events = await stream.until(expected.length);
    await settled(service, stream);
    expect(expected.length).toBeGreaterThan(5);
    expect(stream.events().length).toBe(expected.length);
    expect(events.map(({ data }) => [data["timestamp"], Number(data["p"])])).toEqual(expected);
  });

  test("125: a batch sends all its assets in order of time, with the index of each entry", async () => {
    const service = await serve();
    const { open, pass } = service;
    const entry = { chain: "ethereum", method: "token_price" };
    const body = [
      { ...entry, address: WETH },
      { ...entry, address: USDC, request_id: 4_294_967_295 },
      { ...entry, address: WETH.toUpperCase().replace("0X", "0x") },
    ];
    const batch = await open("/sse/prices", { method: "POST", body });
    const single = await open(`${usdcPrice}&request_id=7`);
    pass(600);
    const usdc = await single.until(20);
    const all = await batch.until(60);
    expect(new Set(usdc.map(({ requestId }) => requestId))).toEqual(new Set(["7"]));
    const of = (id: string) => all.filter(({ requestId }) => requestId === id).map(({ data }) => data);
    expect(of("4294967295").slice(0, 20)).toEqual(usdc.slice(0, 20).map(({ data }) => data));
    expect(of("0").slice(0, 20)).toEqual(of("2").slice(0, 20));
    const times = all.map(({ data }) => Number(data["timestamp"]));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test("tiny prices have no exponent and the same digits as REST", async () => {
    const service = await serve();
    const { open, rest, pass } = service;
    const filter = "price_usd_max=0.00001&price_usd_min=0.0000000001&order_by=txns_24h&limit=1";
    const tiny = at(await rest(`/networks/ethereum/tokens/search?${filter}`), "results.0.address");
    const stream = await open(wethPrice.replace(WETH, String(tiny)));
    for (let hour = 0; hour < 24 && stream.events().length === 0; hour++) {
      pass(3600);
      await settled(service, stream);
    }
    const [event] = await stream.until(1);
    const p = String(event?.data["p"]);
    expect(p).toMatch(/^0\.0000\d+$/);
    service.clock.now = Number(event?.data["timestamp"]) * 1000;
    const body = await rest(`/networks/ethereum/multi/prices?tokens=${String(tiny)}`);
    expect(Number(p)).toBe(at(body, "0.price_usd"));
  });

  test("a stream opened later misses earlier events; one opened earlier misses none", async () => {
    const service = await serve();
    const { open, pass } = service;
    const early = await open(wethPrice);
    pass(100);
    const late = await open(wethPrice);
    pass(100);
    await settled(service, early);
    await settled(service, late);
    const all = early.events().map(({ data }) => data);
    expect(all.length).toBeGreaterThan(3);
    expect(late.events().map(({ data }) => data)).toEqual(
      all.filter((data) => Number(data["timestamp"]) > NOON + 100),
    );
  });
});

describe("transactions", () => {
  test("18, 165: a pool stream equals the later REST list, number for number", async () => {
    const service = await serve({ dialect: "public" });
    const { open, rest, pass } = service;
    const stream = await open(poolTrades);
    pass(1800);
    await settled(service, stream);
    const rows = list(await rest(transactions(NOON + 1)), "transactions").toReversed();
    expect(rows.length).toBeGreaterThan(40);
    expect(stream.events().map(({ event }) => event)).toEqual(rows.map(() => "pool"));
    const field = (name: string) => (row: unknown) => at(row, name);
    const same = {
      chain: field("chain"),
      pool_id: field("pool_id"),
      tx_hash: field("id"),
      sender: field("sender"),
      recipient: field("recipient"),
      token_0: field("token_0"),
      token_1: field("token_1"),
      block_number: (row: unknown) => String(at(row, "created_at_block_number")),
      block_timestamp: field("created_at"),
      amount_0: field("amount_0"),
      amount_1: field("amount_1"),
      price_0_usd: field("price_0_usd"),
      price_1_usd: field("price_1_usd"),
    };
    for (const [name, of] of Object.entries(same)) {
      expect([name, stream.events().map(({ data }) => data[name])]).toEqual([name, rows.map(of)]);
    }
  });

  test("14, 29: amounts have every digit", async () => {
    const service = await serve();
    const { open, rest, pass } = service;
    const stream = await open(poolTrades);
    pass(1800);
    await settled(service, stream);
    const rows = list(await rest(transactions(NOON + 1)), "transactions").toReversed();
    const digits = [...stream.text().matchAll(/"amount_1":(-?\d+)/g)].map(([, amount]) => amount);
    expect(digits).toEqual(rows.map((row) => at(row, "amount_1")));
    expect(digits.some((each) => !Number.isSafeInteger(Number(each)))).toBe(true);
  });

  test("19: without a USD value, the USD fields are missing; otherwise they follow from the amounts", async () => {
    const service = await serve();
    const { open, pass } = service;
    const stream = await open(poolTrades);
    pass(7200);
    await settled(service, stream);
    const names = ["amount_0_usd", "amount_1_usd", "price_0_usd", "price_1_usd", "volume_usd"];
    const isValued = ({ data }: { data: object }): boolean => "price_0_usd" in data;
    const [valued, bare] = [stream.events().filter(isValued), stream.events().filter((e) => !isValued(e))];
    expect(bare.length).toBeGreaterThan(0);
    for (const { data } of bare) expect(names.filter((name) => name in data)).toEqual([]);
    for (const { data } of valued) {
      const [usd0, usd1] = [Number(data["amount_0_usd"]), Number(data["amount_1_usd"])];
      expect(usd0).toBeCloseTo((Number(data["amount_0"]) / 1e6) * Number(data["price_0_usd"]), 6);
      expect(Math.sign(usd1)).toBe(Math.sign(Number(data["amount_1"])));
      expect(data["volume_usd"]).toBe((Math.abs(usd0) + Math.abs(usd1)) / 2);
    }
  });

  test("a token's stream has the swaps of all its pools, block by block", async () => {
    const service = await serve();
    const { open, pass } = service;
    const token = await open(poolTrades.replace("=pool", "=token").replace(/0x88e6\w+/, WETH));
    const pool = await open(poolTrades);
    pass(600);
    await Promise.all([token, pool].map((each) => settled(service, each)));
    const blocks = token.events().map(({ data }) => Number(data["block_number"]));
    expect(blocks).toEqual(blocks.toSorted((a, b) => a - b));
    const ofPool = token.events().filter(({ data }) => data["pool_id"] === pool.events()[0]?.data["pool_id"]);
    expect(ofPool.map(({ data }) => data)).toEqual(pool.events().map(({ data }) => data));
    expect(new Set(token.events().map(({ data }) => data["pool_id"])).size).toBeGreaterThan(5);
    for (const { data } of token.events()) expect([data["token_0"], data["token_1"]]).toContain(WETH);
  });
});

describe("reserves (public dialect)", () => {
  test("165: the deltas of a pool's reserves lead from block to block", async () => {
    const service = await serve({ dialect: "public" });
    const { open, pass } = service;
    const stream = await open(
      poolTrades.replace("transactions?method=pool", "reserves?method=pool_reserves"),
    );
    pass(600);
    const [first, second] = await stream.until(2);
    const reserve = (frame: typeof first, name: string): bigint =>
      BigInt(String(at(frame?.data, `tokens.0.${name}`)));
    expect(second?.data["previous_block"]).toBe(first?.data["block"]);
    expect(reserve(second, "reserve") - reserve(first, "reserve")).toBe(reserve(second, "delta"));
    expect(Object.keys(second?.data ?? {})).toEqual([
      "chain",
      "pool_id",
      "block",
      "previous_block",
      "tokens",
      "total_reserve_usd",
      "total_delta_usd",
      "timestamp",
      "block_timestamp",
    ]);
  });

  test("165: token reserves are flat", async () => {
    const service = await serve({ dialect: "public" });
    const { open, pass } = service;
    const stream = await open(
      wethPrice.replace("prices?method=token_price", "reserves?method=token_reserves"),
    );
    pass(60);
    const [first] = await stream.until(1);
    expect(Object.keys(first?.data ?? {})).toEqual([
      "chain",
      "token_id",
      "block",
      "reserve",
      "delta",
      "price_usd",
      "reserve_usd",
      "delta_usd",
      "updated_at",
      "timestamp",
    ]);
  });
});

function transactions(from: number): string {
  return `${poolTrades.replace(/^.*address=(0x\w+)$/, "/networks/ethereum/pools/$1/transactions")}?from=${from}&limit=100`;
}
