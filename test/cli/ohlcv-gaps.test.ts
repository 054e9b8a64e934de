import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerCandles, askedOf, candle, type CandleService, utc } from "../harness/candle-service.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { type Row, rowsOf, toRow } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { empty, json, type Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: 1_000_000 });
let serviceNow = sandboxNow;
const moving = useSandbox({ requestsPerMinute: 1_000_000, now: () => serviceNow });
const folder = temporaryFolder();

async function runCommand(script: Script, words: string): Promise<Outcome> {
  const server = await serveInTest(script);
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
  return await dexdata(`ohlcv ethereum 0x0000000000000000000000000000000000000001 --rpm unlimited ${words}`, {
    env,
  });
}

const runWithService = async (service: CandleService, words: string): Promise<Outcome> =>
  await runCommand((request) => answerCandles(request, service), words);

// 2026-11-21T08:00:00Z
const eight = 1_795_248_000;
const hour = 3600;

/** A row as the program should print it for an interval without a trade. */
const gap = (opens: number, interval: number, price: string, more = ""): string =>
  `{"time_open":"${utc(opens)}","time_close":"${utc(opens + interval)}","open":${price},"high":${price},` +
  `"low":${price},"close":${price},"volume":0,"filled":true${more}}\n`;

describe("--fill", () => {
  // Six hours; the second and the fifth have a trade, the last is partial.
  const from = eight - 5 * hour;
  const has = (at: number): boolean => at === from + hour || at === from + 4 * hour;
  const traded = (at: number): string => `${candle(at, hour)}\n`;
  const words = `--from ${from} --to ${eight + hour} --now 2026-11-21T08:54:00Z -o ndjson`;

  test("null: prints a row for each interval without a trade, at both ends and between", async () => {
    const { exit, stdout } = await runWithService({ interval: hour, has }, `${words} --fill null`);
    expect(exit).toBe(0);
    expect(stdout).toBe(
      gap(from, hour, "null") +
        traded(from + hour) +
        gap(from + 2 * hour, hour, "null") +
        gap(from + 3 * hour, hour, "null") +
        traded(from + 4 * hour) +
        gap(eight, hour, "null", ',"partial":true'),
    );
  });

  test("previous: repeats the close before in the service's own digits, or null if there is none", async () => {
    const { stdout } = await runWithService({ interval: hour, has }, `${words} --fill previous`);
    const [first, second] = [`${from + hour}.10`, `${from + 4 * hour}.10`];
    expect(stdout).toBe(
      gap(from, hour, "null") +
        traded(from + hour) +
        gap(from + 2 * hour, hour, first) +
        gap(from + 3 * hour, hour, first) +
        traded(from + 4 * hour) +
        gap(eight, hour, second, ',"partial":true'),
    );
  });

  test("stays within the time range: from the first interval that opens in it, to its end or now", async () => {
    const none = { interval: hour, has: () => false };
    const opens = async (bounds: string): Promise<readonly unknown[]> =>
      rowsOf(
        (await runWithService(none, `${bounds} --now 2026-11-21T08:00:00Z --fill null -o ndjson`)).stdout,
      ).map((row) => row["time_open"]);
    expect(await opens(`--from ${eight - 2 * hour + 1} --to ${eight + 5 * hour}`)).toEqual([
      utc(eight - hour),
    ]);
    expect(await opens(`--from ${eight - 2 * hour} --to ${eight - hour}`)).toEqual([utc(eight - 2 * hour)]);
    expect(await opens(`--from ${eight - 2 * hour} --to ${eight - hour + 1}`)).toEqual(
      [2, 1].map((hours) => utc(eight - hours * hour)),
    );
    expect(await opens(`--from ${eight} --to ${eight + 5 * hour}`)).toEqual([]);
  });

  test("prints a candle before the start if the service rounded the start down, and fills nothing before it", async () => {
    const start = from + 1;
    const { stdout } = await runWithService(
      { interval: hour, has: (at) => at === from, roundsStart: true },
      `--from ${start} --to ${from + 2 * hour} --fill previous -o ndjson`,
    );
    expect(stdout).toBe(traded(from) + gap(from + hour, hour, `${from}.10`));
  });

  test.each(["null", "previous"])("%s: continues across slices, even if many are empty", async (fill) => {
    const start = eight - 3500 * 60;
    const trades = new Set([start + 700 * 60, start + 3100 * 60]);
    const { stdout } = await runWithService(
      { interval: 60, has: (at) => trades.has(at) },
      `--interval 1m --from ${start} --to ${eight} --fill ${fill} -o ndjson`,
    );
    let expected = "";
    let price = "null";
    for (let at = start; at < eight; at += 60) {
      expected += trades.has(at) ? `${candle(at, 60)}\n` : gap(at, 60, price);
      if (trades.has(at) && fill === "previous") price = `${at}.10`;
    }
    expect(stdout).toBe(expected);
  });

  test.each([
    [
      "with milliseconds",
      (at: number) => `{"time_open":"${utc(at).replace("Z", ".000Z")}","open":1,"close":2}`,
      (at: number) => `{"time_open":"${utc(at).replace("Z", ".000Z")}","open":null`,
    ],
    [
      "with a close a millisecond early",
      (at: number) =>
        `{"time_open":"${utc(at)}","time_close":"${utc(at + hour - 1).replace("Z", ".999Z")}","close":2}`,
      (at: number) =>
        `{"time_open":"${utc(at)}","time_close":"${utc(at + hour - 1).replace("Z", ".999Z")}","open":null`,
    ],
    [
      "in unix seconds",
      (at: number) => `{"time_open":${at},"time_close":${at + hour},"close":2}`,
      (at: number) => `{"time_open":${at},"time_close":${at + hour},"open":null`,
    ],
    [
      "with another zero offset",
      (at: number) => `{"time_open":"${utc(at).replace("Z", "+00:00")}","close":2}`,
      (at: number) => `{"time_open":"${utc(at).replace("Z", "+00:00")}","open":null`,
    ],
  ])("formats times as the service does: %s", async (_name, row, filled) => {
    const only = from + hour;
    const { stdout } = await runWithService(
      { interval: hour, has: (at) => at === only, row },
      `--from ${from} --to ${from + 3 * hour} --fill null -o ndjson`,
    );
    const rest = ',"high":null,"low":null,"close":null,"volume":0,"filled":true}';
    expect(stdout.trimEnd().split("\n")).toEqual([
      filled(from) + rest,
      row(only),
      filled(from + 2 * hour) + rest,
    ]);
  });

  test("fills a quiet pool of the sandbox correctly", async () => {
    const pools = await dexdata("pools search polygon --order-by txns_24h --limit 40 -o ndjson", {
      env: sandbox.env(),
    });
    const id = String(rowsOf(pools.stdout).at(-1)?.["id"]);
    const window = `--interval 5m --from 2026-11-16 --to 2026-11-19T07:00:00Z`;
    const fetchCandles = async (fill: string): Promise<readonly Row[]> => {
      const { exit, stdout } = await dexdata(`ohlcv polygon ${id} --pool ${window} ${fill} -o ndjson`, {
        env: sandbox.env(),
      });
      expect(exit).toBe(0);
      return rowsOf(stdout);
    };
    const sparse = new Map((await fetchCandles("")).map((row) => [String(row["time_open"]), row]));
    const [start, end] = [Date.parse("2026-11-16") / 1000, Date.parse("2026-11-19T07:00:00Z") / 1000];
    expect(sparse.size).toBeGreaterThan(100);
    expect(sparse.size).toBeLessThan((end - start) / 300 / 2);
    for (const fill of ["null", "previous"]) {
      const expected: Row[] = [];
      let price: unknown = null;
      for (let at = start; at < end; at += 300) {
        const [time_open, time_close] = [utc(at), utc(at + 300)];
        const row = sparse.get(time_open);
        const [open, high, low, close] = [price, price, price, price];
        expected.push(row ?? { time_open, time_close, open, high, low, close, volume: 0, filled: true });
        if (row !== undefined && fill === "previous") price = row["close"];
      }
      expect(await fetchCandles(`--fill ${fill}`)).toEqual(expected);
    }
  });

  test("prints each minute of three days without a trade once", async () => {
    const to = eight - 86_400;
    const { stdout } = await runWithService(
      { interval: 60, has: () => false },
      `--interval 1m --from ${to - 3 * 86_400} --to ${to} --fill null --fields time_open -o ndjson`,
    );
    const opens = stdout.trimEnd().split("\n");
    expect(opens.length).toBe(4320);
    expect(
      opens.every((line, index) => line === `{"time_open":"${utc(to - 3 * 86_400 + index * 60)}"}`),
    ).toBe(true);
  });

  test("uses the last close before the interruption when an interrupted file is resumed", async () => {
    const start = eight - 1100 * 60;
    const failing = start + 60_000;
    let isHealed = false;
    const script: Script = (request) =>
      askedOf(request.query).start === failing && !isHealed
        ? empty(501)
        : answerCandles(request, { interval: 60, has: (at) => at === start + 60 });
    const window = `--interval 1m --from ${start} --to ${eight} --fill previous -o ndjson`;
    const file = path.join(folder, "resumed.ndjson");
    const server = await serveInTest(script);
    const env = {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    };
    const command = `ohlcv ethereum 0x0000000000000000000000000000000000000001 --rpm unlimited ${window}`;
    const broken = await dexdata(`${command} --out ${file} --resume`, { env });
    isHealed = true;
    const resumed = await dexdata(`${command} --out ${file} --resume`, { env });
    expect([broken.exit, resumed.exit]).toEqual([7, 0]);
    expect(readFileSync(file, "utf8")).toBe((await dexdata(command, { env })).stdout);
  });
});

test("the command after a failure starts where --fill previous knows the last close", async () => {
  const start = eight - 1100 * 60;
  let isHealed = false;
  const server = await serveInTest((request) =>
    askedOf(request.query).start === start + 60_000 && !isHealed
      ? empty(501)
      : answerCandles(request, { interval: 60, has: (at) => at === start + 60 }),
  );
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
  const words = `ohlcv ethereum 0x0000000000000000000000000000000000000001 --rpm unlimited --interval 1m --from ${start} --to ${eight} --fill previous -o ndjson`;
  const broken = await dexdata(words, { env });
  isHealed = true;
  const next = String(toRow(broken.stderr)["next"]);
  const rest = await dexdata(/: dexdata (?<words>.*)$/u.exec(next)?.groups?.["words"] ?? "", { env });
  const whole = (await dexdata(words, { env })).stdout;
  expect([broken.exit, rest.exit]).toEqual([7, 0]);
  expect(broken.stdout + rest.stdout.slice(rest.stdout.length - (whole.length - broken.stdout.length))).toBe(
    whole,
  );
  expect(whole.endsWith(rest.stdout)).toBe(true);
});

describe("a partial candle", () => {
  const row = '{ "time_open":"2026-11-21T08:00:00Z", "open":1.10 }';
  const lineAt = async (now: string): Promise<string> =>
    (await runCommand(() => json(`[${row}]`), `--from ${eight} --to ${eight + hour} --now ${now} -o ndjson`))
      .stdout;

  test("is marked until the time it closes, and nothing else about it changes", async () => {
    const plain = '{"time_open":"2026-11-21T08:00:00Z","open":1.10}\n';
    const marked = '{"time_open":"2026-11-21T08:00:00Z","open":1.10,"partial":true}\n';
    expect(await lineAt("2026-11-21T08:00:00Z")).toBe(marked);
    expect(await lineAt("2026-11-21T08:59:59.999Z")).toBe(marked);
    expect(await lineAt("2026-11-21T09:00:00Z")).toBe(plain);
  });

  test.each([
    ["a plan that is a minute behind", "keyless", 20, 20, true],
    ["the same plan a minute later", "keyless", 61, 61, undefined],
    ["a plan without a delay", "pro", 20, 20, undefined],
    ["a local clock that is ahead", "pro", -30, 60, true],
    ["a local clock that is behind", "pro", 30, -30, true],
  ] as const)(
    "is marked if the response may lack its end: %s",
    async (_what, tier, theirs, ours, partial) => {
      const nine = eight + hour;
      serviceNow = (nine + theirs) * 1000;
      const words = `ohlcv ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --pool --from ${eight} --to ${nine}`;
      const { stdout } = await dexdata(`${words} -o ndjson`, {
        env: moving.env(tier),
        now: (nine + ours) * 1000,
      });
      expect(rowsOf(stdout).map(({ time_open: opens, partial: isMarked }) => [opens, isMarked])).toEqual([
        [utc(eight), partial],
      ]);
    },
  );

  test("is marked in a copy that a cache made before the candle closed", async () => {
    const headers = { date: new Date((eight + hour + 20) * 1000).toUTCString(), age: "40" };
    const words = `--from ${eight} --to ${eight + hour} --now ${utc(eight + hour + 20)} -o ndjson`;
    const { stdout } = await runCommand(() => json(`[${row}]`, { headers }), words);
    expect(rowsOf(stdout)).toMatchObject([{ partial: true }]);
  });

  test("keeps the partial field of the service", async () => {
    const sent = '{"time_open":"2026-11-21T08:00:00Z","partial":false}';
    const { stdout } = await runCommand(
      () => json(`[${sent}]`),
      `--from ${eight} --now ${utc(eight + 60)} -o ndjson`,
    );
    expect(stdout).toBe(`${sent}\n`);
  });

  test("appears in the sandbox too, and is only the last one", async () => {
    const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
    const { stdout } = await dexdata(`ohlcv ethereum ${weth} --count-back 5 -o ndjson --fields partial`, {
      env: sandbox.env(),
    });
    expect(rowsOf(stdout).map(({ partial }) => partial)).toEqual([null, null, null, null, true]);
  });
});

describe("fields that dexdata adds to a candle", () => {
  const from = eight - 2 * hour;
  const service = { interval: hour, has: (at: number) => at !== from };
  const words = `--from ${from} --to ${eight + hour} --now 2026-11-21T08:54:00Z --fill previous`;

  test("are in every format", async () => {
    const lines = (await runWithService(service, `${words} -o ndjson`)).stdout;
    const document: unknown = JSON.parse((await runWithService(service, `${words} -o json`)).stdout);
    expect(document).toEqual(rowsOf(lines));
    const { stdout } = await runWithService(service, `${words} -o table`);
    expect(stdout.split("\n").map((line) => [line.slice(0, 20), line.split(" ").at(-1)])).toEqual([
      ["OPENS               ", "NOTE"],
      [utc(from), "filled"],
      [utc(from + hour), "7"],
      [utc(eight), "partial"],
      ["", ""],
    ]);
  });

  test("can be selected with --fields like any other", async () => {
    const { stdout } = await runWithService(service, `${words} -o ndjson --fields time_open,filled,partial`);
    expect(rowsOf(stdout)).toEqual([
      { time_open: utc(from), filled: true, partial: null },
      { time_open: utc(from + hour), filled: null, partial: null },
      { time_open: utc(eight), filled: null, partial: true },
    ]);
  });

  test("are not checked against the contract, unlike the rows of the service", async () => {
    const valid = await runWithService(service, `${words} -o ndjson --validate`);
    expect({ exit: valid.exit, stderr: valid.stderr }).toEqual({ exit: 0, stderr: "" });
    const broken = await runWithService(
      { ...service, row: (at) => candle(at, hour).replace(/"open":[\d.]+/u, '"open":null') },
      `${words} -o ndjson --validate`,
    );
    expect(broken.exit).toBe(1);
    expect(toRow(broken.stderr)["message"]).toMatch(/^2 of 2 rows .* open of row 1 must be a number/u);
  });

  test("add a table column at the first row that has one of them, with a new header", async () => {
    const start = eight - 1001 * 60;
    const { stdout } = await runWithService(
      { interval: 60 },
      `--interval 1m --from ${start} --to ${eight} --now ${utc(eight - 30)} -o table`,
    );
    const lines = stdout.split("\n");
    const heads = lines.filter((line) => line.startsWith("OPENS"));
    expect(heads.map((line) => line.trimEnd().endsWith("NOTE"))).toEqual([false, true]);
    expect(lines.length).toBe(1 + 1000 + 1 + 1 + 1 + 1);
    expect(lines.at(-2)).toMatch(/  partial$/u);
  });
});
