import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { fewestRequests, modelPrices, type ModelWish } from "../harness/price-model.ts";
import { answerCandles, askedOf, candle as candleRow } from "../harness/candle-service.ts";
import { rowsOf } from "../harness/rows.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
let serviceNow = 0;
const moving = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY, now: () => serviceNow });
const day = 86_400;
const [assets, times] = isLong ? [200, 10_000] : [6, 120];

/** Bar 6 of answers.md. */
describe("prices of many assets at many times", () => {
  const bars = [
    ["dev", "token", "1h", 3600, 30 * day, 0],
    ["pro", "token", "1h", 3600, 30 * day, 0],
    ["dev", "token", "1m", 60, 30 * day, 0],
    ["keyless", "pool", "1h", 3600, day, 60],
    ["free", "pool", "10m", 600, 7 * day, 60],
  ] as const;
  const used = isLong ? bars : bars.filter(([tier, , interval]) => tier !== "pro" && interval !== "1m");

  test.each(used)(
    "%s, %s, %s: as in the market's candles, with the fewest requests",
    async (tier, kind, interval, seconds, reach, age) => {
      const isOpenEnded = tier === "pro";
      const wish: ModelWish = {
        kind,
        assets,
        times,
        interval: seconds,
        maxAge: day,
        reach,
        age,
        seed: 1,
      };
      const expected = modelPrices(wish);
      const file = path.join(folder, `${tier}-${interval}`);
      writeFileSync(file, expected.map(({ line }) => `${line}\n`).join(""));
      const words = [
        "prices",
        `@${file}`,
        "--at-field",
        "time",
        "--interval",
        interval,
        "--rpm",
        "unlimited",
      ];
      const argv = [...words, ...(kind === "pool" ? ["--pool"] : [])];
      sandbox.takeLog();
      const estimated = rowsOf(
        (await dexdata([...argv, "--estimate", "-o", "ndjson"], { env: sandbox.env(tier) })).stdout,
      );
      sandbox.takeLog();
      const { exit, stdout, stderr } = await dexdata([...argv, "-o", "ndjson"], { env: sandbox.env(tier) });
      const sent = sandbox.takeLog();
      expect({ exit, stderr: exit === 0 ? "" : stderr }).toEqual({ exit: 0, stderr: "" });
      const rows = rowsOf(stdout);
      expect(rows.length).toBe(times);
      const different = rows.flatMap((row, index) => {
        const { price, candle, reason, line } = expected[index] ?? {};
        const found = {
          price: row[kind === "pool" ? "price" : "price_usd"],
          candle: row["candle"],
          reason: row["reason"],
        };
        // A plan without a limit has no time outside of it.
        const isOther = isOpenEnded && reason === "outside_plan";
        return isOther || JSON.stringify(found) === JSON.stringify({ price, candle, reason })
          ? []
          : [{ line, found, price, candle, reason }];
      });
      expect(different).toEqual([]);
      const candles = sent.filter(({ url }) => url.includes("/ohlcv")).length;
      const least = fewestRequests(expected, wish);
      expect(candles).toBeGreaterThanOrEqual(least);
      expect({ candles, isFew: candles <= Math.max(least + 1, least * 1.1) }).toEqual({
        candles,
        isFew: true,
      });
      const credits = Number(estimated[0]?.["credits"]);
      expect({
        credits,
        sent: sent.length,
        isNear: Math.abs(credits - sent.length) <= Math.max(1, sent.length * 0.02),
      }).toEqual({ credits, sent: sent.length, isNear: true });
      if (isLong)
        process.stderr.write(
          `${tier} ${kind} ${interval}: ${candles} candle requests, least ${least}, estimate ${credits}, sent ${sent.length}\n`,
        );
    },
    600_000,
  );
});

/** Answers each request after a while, and that for the fifth token with a failure. */
async function serveSlowCandles(hasFailure: boolean) {
  const tokens = Array.from({ length: 20 }, (_, index) => `0x${String(index + 10).padStart(40, "0")}`);
  let [pending, mostPending] = [0, 0];
  const { url, requests } = await serveInTest(async (request) => {
    const isFailure = hasFailure && request.path.includes(tokens[4] ?? "");
    pending += 1;
    mostPending = Math.max(mostPending, pending);
    await new Promise((resolve) => setTimeout(resolve, isFailure ? 10 : 40));
    pending -= 1;
    if (isFailure) return json('{"error":"wrong"}', { status: 400 });
    return answerCandles(request, { interval: 3600 });
  });
  const words = ["prices", "ethereum", ...tokens, "--at", "2026-11-20T12:00Z", "--parallel", "3"];
  const env = { ...sandbox.env("dev"), DEXDATA_BASE_URL: url, DEXDATA_PRO_BASE_URL: url };
  const { exit, stdout } = await dexdata([...words, "-o", "ndjson"], { env });
  return { exit, rows: rowsOf(stdout), mostPending, requests: requests.length };
}

test("as many requests as --parallel allows are pending, and no more", async () => {
  const { exit, rows, mostPending, requests } = await serveSlowCandles(false);
  expect([exit, rows.length, mostPending, requests]).toEqual([0, 20, 3, 20]);
});

test("after a failure, no more requests are sent, and the rows of pending ones are written", async () => {
  const { exit, rows, requests } = await serveSlowCandles(true);
  expect([exit, requests]).toEqual([2, 6]);
  expect(rows).toHaveLength(5);
});

test("a table of two assets has one header, whichever of them has a price", async () => {
  const tokens = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`);
  for (const priced of tokens) {
    const { url } = await serveInTest((request) =>
      answerCandles(request, { interval: 3600, has: () => request.path.includes(priced) }),
    );
    const env = { ...sandbox.env("dev"), DEXDATA_BASE_URL: url, DEXDATA_PRO_BASE_URL: url };
    const words = ["prices", "ethereum", ...tokens, "--at", "2026-11-20T12:00Z"];
    const { stdout } = await dexdata(words, { env, isTerminal: true });
    expect(stdout.match(/PRICE USD/gu)).toHaveLength(1);
    expect(stdout.trim().split("\n")).toHaveLength(3);
  }
});

test("a pull continues only with the same --max-age, and the receipt has it exactly", async () => {
  const file = path.join(folder, "ages.ndjson");
  const list = path.join(folder, "ages");
  const tokens = ["1", "2", "3"].map((digit) => `ethereum:0x${digit.repeat(40)} 2026-11-20T12:00Z\n`);
  writeFileSync(list, tokens.join(""));
  const { url } = await serveInTest((request) => answerCandles(request, { interval: 3600, has: () => true }));
  const env = { ...sandbox.env("dev"), DEXDATA_BASE_URL: url, DEXDATA_PRO_BASE_URL: url };
  const words = ["prices", `@${list}`, "--out", file, "--receipt", `${file}.json`];
  const run = async (...rest: readonly string[]) => await dexdata([...words, ...rest], { env });
  expect((await run("--max-age", "49h", "--max-credits", "1", "--parallel", "1")).exit).toBe(5);
  const other = await run("--max-age", "72h", "--resume");
  expect([other.exit, other.stderr]).toEqual([2, expect.stringContaining("max_age")]);
  expect((await run("--max-age", "49h", "--resume")).exit).toBe(0);
  expect(JSON.parse(readFileSync(`${file}.json`, "utf8"))).toMatchObject({ asked: { max_age: "49h" } });
});

test("the later of two states of a candle is the price, and is counted as for other candles", async () => {
  const row = (opens: number, interval: number): string =>
    [candleRow(opens, interval), candleRow(opens, interval).replace(/"close":[\d.]+/u, '"close":7')].join(
      ",",
    );
  const { url } = await serveInTest((request) => answerCandles(request, { interval: 3600, row }));
  const env = { ...sandbox.env("dev"), DEXDATA_BASE_URL: url, DEXDATA_PRO_BASE_URL: url };
  const words = ["prices", `ethereum:0x${"1".repeat(40)}`, "--at", "2026-11-20T12:00Z", "-o", "ndjson"];
  const { exit, stdout, stderr } = await dexdata([...words, "--error-format", "text"], { env });
  expect([exit, rowsOf(stdout)[0]?.["price_usd"]]).toEqual([0, 7]);
  expect(stderr).toContain("received twice with different values; dexdata keeps the later ones");
});

test("a candle that closes a nanosecond later is still open", async () => {
  const token = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
  const words = ["prices", token, "--at", "2026-11-20T11:59:59.999999999Z", "-o", "ndjson"];
  const { stdout } = await dexdata(words, { env: sandbox.env("dev") });
  expect(rowsOf(stdout)[0]?.["candle"]).toBe("2026-11-20T10:00:00Z");
});

test.each([60, 80, 100, 110, 120, 140])(
  "at %i columns, the reason is shown in full or not at all",
  async (columns) => {
    const tokens = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`);
    const words = `prices ethereum ${tokens.join(" ")} --at 2026-11-20 --at 2026-11-22 --in ethereum:${tokens[0]}`;
    const { stdout } = await dexdata(words, { env: sandbox.env("dev"), isTerminal: true, columns });
    expect(stdout).toContain("unknown_token");
  },
);

test("a narrow table shows what tells its rows apart: several times, or else the assets", async () => {
  const one = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
  const other = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
  const { url } = await serveInTest((request) => answerCandles(request, { interval: 3600, has: () => true }));
  const env = { ...sandbox.env("dev"), DEXDATA_BASE_URL: url, DEXDATA_PRO_BASE_URL: url, NO_COLOR: "1" };
  const headOf = async (...rest: readonly string[]) => {
    const words = ["prices", "ethereum", one, "--at", "2026-11-20T12:00Z", ...rest];
    const { stdout } = await dexdata(words, { env, isTerminal: true, columns: 40 });
    return (stdout.split("\n")[0] ?? "").trim().split(/ {2,}/u);
  };
  expect(await headOf("--at", "2026-11-20T13:00Z")).toEqual(["AT", "PRICE USD"]);
  expect(await headOf(other)).toEqual(["PRICE USD", "ASSET"]);
});

test.each([
  ["ahead", -30, 60, "too_recent"],
  ["behind", 30, 20, null],
])(
  "a local clock that is %s of the service's gives no price of an unfinished candle",
  async (_what, theirs, ours, reason) => {
    const nine = Date.parse("2026-11-21T09:00:00Z") / 1000;
    serviceNow = (nine + theirs) * 1000;
    const words = `prices ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2 --at ${nine + 10} --at ${nine - 10} -o ndjson`;
    const { stdout } = await dexdata(words, { env: moving.env(), now: (nine + ours) * 1000 });
    expect(rowsOf(stdout).map((row) => [row["reason"], row["candle"]])).toEqual([
      [reason, reason === null ? "2026-11-21T08:00:00Z" : null],
      [null, "2026-11-21T07:00:00Z"],
    ]);
  },
);

test.each([
  ["message only", '{"message":"your plan reaches back 30 days"}', 0],
  ["start", '{"error":"plan_required","param":"start","message":"not in your plan"}', 0],
  ["interval", '{"error":"plan_required","param":"interval","message":"not in your plan"}', 4],
])(
  "the service is an hour ahead and refuses candles at the edge of the plan: %s",
  async (_what, body, expected) => {
    const edge = Date.parse("2026-10-22T10:00:00Z") / 1000;
    const { url } = await serveInTest((request) =>
      askedOf(request.query).start < edge
        ? json(body, { status: 403 })
        : answerCandles(request, { interval: 3600 }),
    );
    const env = { ...sandbox.env("dev"), DEXDATA_BASE_URL: url, DEXDATA_PRO_BASE_URL: url };
    const hours = ["10", "11", "12"].flatMap((hour) => ["--at", `2026-10-22T${hour}:00Z`]);
    const words = ["prices", `ethereum:0x${"1".repeat(40)}`, ...hours, "-o", "ndjson"];
    const { exit, stdout } = await dexdata(words, { env, now: Date.parse("2026-11-21T08:54:00Z") });
    expect(exit).toBe(expected);
    if (expected !== 0) return;
    expect(rowsOf(stdout).map((row) => [row["reason"], row["candle"]])).toEqual([
      ["outside_plan", null],
      [null, "2026-10-22T10:00:00Z"],
      [null, "2026-10-22T11:00:00Z"],
    ]);
  },
);
