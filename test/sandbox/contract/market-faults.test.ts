import { beforeEach, expect, test } from "vitest";
import { parseFaults } from "../../harness/bundled-sandbox.ts";
import { at, column, contract, DAY, NOON, type Options, USDC_WETH } from "./service.ts";

const POOL = `/networks/ethereum/pools/${USDC_WETH}`;

function withFaults(spec: string, options: Options = {}): Options {
  const faults = parseFaults(spec);
  return { ...options, faults };
}

contract("late-rows=20m:100%", withFaults("late-rows=20m:100%"), ({ ask, clock }) => {
  beforeEach(() => (clock.now = NOON * 1000));

  test("young rows are neither listed nor counted, and are all there when they are old enough", async () => {
    const target = `${POOL}/transactions?from=${NOON - 2400}&to=${NOON}&limit=100`;
    const young = await ask(target);
    const newest = Date.parse(String(column(young.body, "transactions", "created_at")[0])) / 1000;
    expect(newest).toBeLessThanOrEqual(NOON - 1200);
    clock.now = (NOON + 1200) * 1000;
    const old = await ask(target);
    const times = column(old.body, "transactions", "created_at").map(
      (time) => Date.parse(String(time)) / 1000,
    );
    const hidden = times.filter((time) => time > NOON - 1200).length;
    expect(hidden).toBeGreaterThan(30);
    expect(
      Number(at(old.body, "page_info.total_items")) - Number(at(young.body, "page_info.total_items")),
    ).toBe(hidden);
  });

  test("time windows and candles lack these rows too", async () => {
    const { body } = await ask(POOL);
    expect([at(body, "15m.txns"), at(body, "15m.volume_usd"), at(body, "15m.last_price_usd_change")]).toEqual(
      [0, 0, null],
    );
    expect((await ask(`${POOL}/ohlcv?start=${NOON - 1140}&interval=1m&limit=100`)).body).toEqual([]);
  });
});

contract("withdrawn-rows=1h:100%", withFaults("withdrawn-rows=1h:100%"), ({ ask, clock }) => {
  test("a cursor that names a withdrawn row is still valid", async () => {
    clock.now = NOON * 1000;
    const first = await ask(`${POOL}/transactions?limit=1&cursor=`);
    const cursor = String(at(first.body, "page_info.next_cursor"));
    const next = `${POOL}/transactions?limit=1&cursor=${cursor}`;
    const [original] = column((await ask(next)).body, "transactions", "id");
    clock.now = (NOON + 7200) * 1000;
    const later = await ask(next);
    expect([later.status, column(later.body, "transactions", "id")]).toEqual([200, [original]]);
    const rows = await ask(`${POOL}/transactions?from=${NOON - 7200}&to=${NOON}&limit=100`);
    expect(column(rows.body, "transactions", "id")).not.toContain(cursor);
  });

  test("an ID of no row is not a cursor", async () => {
    const { status } = await ask(`${POOL}/transactions?limit=1&cursor=0x${"5".repeat(64)}`);
    expect(status).toBe(400);
  });
});

for (const dialect of ["spec", "public"] as const) {
  contract(`reach=2d, dialect ${dialect}`, withFaults("reach=2d", { dialect }), ({ ask, clock }) => {
    beforeEach(() => (clock.now = NOON * 1000));

    test("older transactions are neither listed nor counted; candles are not affected", async () => {
      const oldest = async (page: number) =>
        column(
          (await ask(`${POOL}/transactions?limit=100&page=${page}`)).body,
          "transactions",
          "created_at",
        ).at(-1);
      const { body } = await ask(`${POOL}/transactions?limit=100`);
      const time = Date.parse(String(await oldest(Number(at(body, "page_info.total_pages"))))) / 1000;
      expect([time >= NOON - 2 * DAY, time < NOON - 2 * DAY + 600]).toEqual([true, true]);
      const before = await ask(`${POOL}/transactions?to=${NOON - 2 * DAY - 1}&limit=1`);
      expect([at(before.body, "page_info.total_items"), at(before.body, "transactions")]).toEqual([0, []]);
      const candles = await ask(`${POOL}/ohlcv?start=${NOON - 4 * DAY}&interval=24h&limit=2`);
      expect(column(candles.body, "", "open").length).toBe(2);
    });
  });
}

contract("late-rows=1h:100%/ohlcv", withFaults("late-rows=1h:100%/ohlcv"), ({ ask, clock }) => {
  test("a part of a path restricts the fault to these requests", async () => {
    clock.now = NOON * 1000;
    const { body } = await ask(`${POOL}/transactions?from=${NOON - 1800}`);
    expect(Number(at(body, "page_info.total_items"))).toBeGreaterThan(25);
    expect((await ask(`${POOL}/ohlcv?start=${NOON - 1800}&interval=1m&limit=100`)).body).toEqual([]);
  });
});
