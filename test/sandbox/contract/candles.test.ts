import { expect, test } from "vitest";
import {
  at,
  column,
  contract,
  keysOf,
  list,
  NOON,
  refusal,
  type Service,
  USDC_WETH,
  WETH,
} from "./service.ts";

const POOL = `/networks/ethereum/pools/${USDC_WETH}/ohlcv`;
const TOKEN = `/networks/ethereum/tokens/${WETH}/ohlcv`;
const both = [
  ["pool", POOL],
  ["token", TOKEN],
] as const;
const INTERVALS = ["1m", "5m", "10m", "15m", "30m", "1h", "6h", "12h", "24h"];

async function opens(service: Service, path: string): Promise<readonly number[]> {
  return column((await service.ask(path)).body, "", "time_open").map(
    (time) => Date.parse(String(time)) / 1000,
  );
}

contract("candles", {}, (service) => {
  test.each(both)("42: a %s candle has times, four prices and a volume", async (_name, path) => {
    const rows = list((await service.ask(`${path}?start=-2d&interval=1h`)).body);
    for (const row of rows) {
      expect(keysOf(row)).toEqual(["time_open", "time_close", "open", "high", "low", "close", "volume"]);
      expect(Number.isInteger(at(row, "volume"))).toBe(true);
      const [open, high, low, close] = ["open", "high", "low", "close"].map((name) => Number(at(row, name)));
      expect(Math.max(Number(open), Number(close))).toBeLessThanOrEqual(Number(high));
      expect(Math.min(Number(open), Number(close))).toBeGreaterThanOrEqual(Number(low));
    }
  });

  test.each(both)("117: start of %s candles is required", async (_name, path) => {
    expect(refusal(await service.ask(path))).toBe("400 missing_param start");
  });

  test.each(both)(
    "119, 185: interval of %s candles accepts nine values, and the message lists them",
    async (_name, path) => {
      for (const interval of INTERVALS) {
        expect((await service.ask(`${path}?start=-1d&interval=${interval}`)).status).toBe(200);
      }
      for (const interval of ["2h", "1d", "1H", "", "60"]) {
        const answer = await service.ask(`${path}?start=-1d&interval=${interval}`);
        expect(refusal(answer)).toBe("400 invalid_param interval");
        expect(at(answer.body, "message")).toContain(`[${INTERVALS.join(" ")}]`);
      }
    },
  );

  test.each(both)("%s candles are daily by default", async (_name, path) => {
    const times = await opens(service, `${path}?start=-5d`);
    expect(times.every((time) => time % 86_400 === 0)).toBe(true);
    expect(times.length).toBeGreaterThan(2);
  });

  test.each(both)("%s candles fill forward from start, ten by default", async (_name, path) => {
    const start = NOON - 86_400;
    const ten = await opens(service, `${path}?start=${start}&interval=1h`);
    expect(ten).toEqual(Array.from({ length: 10 }, (_, hour) => start + hour * 3600));
    expect(await opens(service, `${path}?start=${start}&interval=1h&limit=3`)).toEqual(ten.slice(0, 3));
  });

  test.each(both)(
    "118: count_back of %s candles returns the last candles before end",
    async (_name, path) => {
      const window = `${path}?start=-2d&end=${NOON - 3600}&interval=1h`;
      const last = await opens(service, `${window}&count_back=5`);
      expect(last).toEqual([6, 5, 4, 3, 2].map((hours) => NOON - hours * 3600));
      expect(await opens(service, `${window}&count_back=5&limit=1000`)).toEqual(last);
      expect(await opens(service, `${window}&count_back=900`)).toHaveLength(47);
    },
  );

  test.each(both)(
    "118, 184: count_back and limit of %s candles are whole numbers within their limits",
    async (_name, path) => {
      for (const [name, values] of [
        ["count_back", ["0", "-1", "x", "1.5", ""]],
        ["limit", ["0", "1001", "x", ""]],
      ] as const) {
        for (const value of values) {
          const answer = await service.ask(`${path}?start=-1d&${name}=${value}`);
          expect(refusal(answer)).toBe(`400 invalid_param ${name}`);
        }
      }
    },
  );

  test.each(both)("120: %s candles of a range without swaps are []", async (_name, path) => {
    for (const query of [`start=${NOON + 3600}`, "start=-1h&end=-2h", "start=1990-01-01&end=1991-01-01"]) {
      const { status, text } = await service.ask(`${path}?${query}`);
      expect([status, text]).toEqual([200, "[]"]);
    }
  });

  test.each(both)("72, 186: invalid times of %s candles are 400", async (_name, path) => {
    for (const value of ["soon", "", "2026-02-30", "1789646400000", "2026-10-02T12:00:00+02:00"]) {
      expect(refusal(await service.ask(`${path}?start=${value}`))).toBe("400 invalid_param start");
      expect(refusal(await service.ask(`${path}?start=-1h&end=${value}`))).toBe("400 invalid_param end");
    }
  });

  test.each(both)("end is exclusive in %s candles, start is inclusive", async (_name, path) => {
    const [start, end] = [NOON - 7200, NOON - 3600];
    expect(await opens(service, `${path}?start=${start}&end=${end}&interval=1h`)).toEqual([start]);
  });

  test("no candle includes future swaps", async () => {
    service.clock.now = (NOON + 1800) * 1000;
    const running = (await service.ask(`${POOL}?start=-1d&end=${NOON + 86_400}&interval=1h&count_back=1`))
      .body;
    const page = await service.ask(
      `/networks/ethereum/pools/${USDC_WETH}/transactions?limit=100&from=${NOON}`,
    );
    service.clock.now = NOON * 1000;
    expect(Date.parse(String(at(running, "0.time_open"))) / 1000).toBe(NOON);
    expect(column(page.body, "transactions", "price_0")).toContain(at(running, "0.close"));
  });

  test("100: inversed inverts the prices of pool candles and swaps high and low", async () => {
    const query = "start=-1d&interval=6h&limit=1";
    const [plain] = list((await service.ask(`${POOL}?${query}`)).body);
    const [inverse] = list((await service.ask(`${POOL}?${query}&inversed=true`)).body);
    expect(Number(at(inverse, "open"))).toBeCloseTo(1 / Number(at(plain, "open")), 6);
    expect(Number(at(inverse, "high"))).toBeCloseTo(1 / Number(at(plain, "low")), 6);
    expect(at(inverse, "volume")).toBe(at(plain, "volume"));
  });

  test("55: token candles ignore inversed", async () => {
    const plain = await service.ask(`${TOKEN}?start=-1d&interval=6h`);
    expect((await service.ask(`${TOKEN}?start=-1d&interval=6h&inversed=maybe`)).text).toBe(plain.text);
  });

  test("a quiet pool has candles only where it traded, with the same result forward and backward", async () => {
    const quiet = (await service.ask("/networks/fantom/pools/search?order_by=created_at&sort=asc&limit=100"))
      .body;
    const busy = list(quiet, "results").filter((row) => {
      const txns = Number(at(row, "transactions_24h"));
      return txns > 3 && txns < 20;
    });
    const path = `/networks/fantom/pools/${String(at(busy[0], "id"))}/ohlcv?interval=1m`;
    const forward = await opens(service, `${path}&start=-2d&limit=1000`);
    const backward = await opens(service, `${path}&start=-2d&count_back=1000`);
    expect(forward.length).toBeGreaterThan(0);
    expect(forward.length).toBeLessThan(1000);
    expect(backward).toEqual(forward);
    for (let count = 1; count <= forward.length; count++) {
      expect(await opens(service, `${path}&start=-2d&limit=${count}`)).toEqual(forward.slice(0, count));
      expect(await opens(service, `${path}&start=-2d&count_back=${count}`)).toEqual(forward.slice(-count));
    }
  });

  test("a volume that rounds to 0 is omitted", async () => {
    const texts: string[] = [];
    const pools = (
      await service.ask(
        "/networks/fantom/pools/search?limit=25&order_by=volume_usd_24h&sort=asc&txns_24h_min=1",
      )
    ).body;
    for (const id of column(pools, "results", "id")) {
      texts.push(
        (await service.ask(`/networks/fantom/pools/${String(id)}/ohlcv?start=-30d&interval=1h&limit=1000`))
          .text,
      );
    }
    expect(texts.join("")).not.toContain('"volume":0');
  });
});
