import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerCandles, type CandleService, utc } from "../harness/candle-service.ts";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";
import { createRandom } from "../harness/random.ts";
import { type Row, rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
const token = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
const now = "2026-11-21T08:54:00Z";
const nowSeconds = Date.parse(now) / 1000;
const [hour, day] = [3600, 86_400];
/** The interval, the one it is made from, and when a candle opens, in seconds after a multiple of its length. */
const made = [
  ["2h", "1h", 2 * hour, 0],
  ["4h", "1h", 4 * hour, 0],
  ["8h", "1h", 8 * hour, 0],
  ["1w", "24h", 7 * day, 4 * day],
] as const;

interface Part {
  readonly opens: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Undefined if the service omits it. */
  readonly volume: string | undefined;
}

/** A candle whose prices have more digits than a double, and that are written in different ways. */
function partAt(opens: number): Part {
  const random = createRandom(opens);
  const price = (): string => {
    const digits =
      String(Math.floor(random() * 9e8) + 1) + String(Math.floor(random() * 9e8)).padStart(9, "0");
    const shift = Math.floor(random() * 6);
    return random() < 0.2 ? `${digits.slice(0, 8)}e-${shift}` : `${digits}.${shift}`;
  };
  const volumes = [
    undefined,
    "0",
    String(Math.floor(random() * 1e9)),
    `${Math.floor(random() * 1e6)}.${"1".repeat(20)}7`,
  ];
  const volume = volumes[Math.floor(random() * volumes.length)];
  return { opens, open: price(), high: price(), low: price(), close: price(), volume };
}

const partText = ({ opens, volume, ...prices }: Part, length: number): string => {
  const members = Object.entries(prices).map(([name, text]) => `"${name}":${text}`);
  const sold = volume === undefined ? "" : `,"volume":${volume}`;
  return `{"time_open":"${utc(opens)}","time_close":"${utc(opens + length)}",${members.join(",")}${sold}}`;
};

/** In units of 10^-40, as an independent model of exact decimals. */
function units(text: string): bigint {
  const [, whole = "", fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:e(-?\d+))?$/u.exec(text) ?? [];
  if (whole === "") throw new Error(`${text} is not a decimal`);
  const places = 40 + Number(exponent) - fraction.length;
  return BigInt(whole + fraction) * 10n ** BigInt(places);
}

interface Made {
  readonly open: string;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: string;
  readonly volume: bigint;
}

/** The expected candles by opening time. */
function modelOf(parts: readonly Part[], length: number, offset: number): ReadonlyMap<number, Made> {
  const candles = new Map<number, Made>();
  for (const part of parts) {
    const start = part.opens - ((part.opens - offset) % length);
    const before = candles.get(start);
    const [high, low] = [units(part.high), units(part.low)];
    candles.set(start, {
      open: before?.open ?? part.open,
      high: before === undefined || high > before.high ? high : before.high,
      low: before === undefined || low < before.low ? low : before.low,
      close: part.close,
      volume: (before?.volume ?? 0n) + units(part.volume ?? "0"),
    });
  }
  return candles;
}

const textOf = (line: string, name: string): string =>
  new RegExp(`"${name}":([^,}]+)`, "u").exec(line)?.[1] ?? "";

function readMade(stdout: string): ReadonlyMap<number, Made> {
  const entries = stdout
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line): [number, Made] => [
      Date.parse(JSON.parse(textOf(line, "time_open"))) / 1000,
      {
        open: textOf(line, "open"),
        high: units(textOf(line, "high")),
        low: units(textOf(line, "low")),
        close: textOf(line, "close"),
        volume: units(textOf(line, "volume")),
      },
    ]);
  expect(new Set(entries.map(([opens]) => opens)).size).toBe(entries.length);
  return new Map(entries);
}

/** Serves a market in which about `share` of the intervals have a candle, and runs the command against it. */
async function runAgainst(service: CandleService, words: string) {
  const server = await serveInTest((request) => answerCandles(request, service));
  const env = { DEXDATA_BASE_URL: server.url, DEXDATA_PRO_BASE_URL: server.url, DEXDATA_NOW: now };
  const shown = await dexdata(`ohlcv ethereum ${token} ${words} -q`, { env });
  return { ...shown, requests: server.requests };
}

function marketOf(
  length: number,
  share: number,
  seed: number,
): Pick<CandleService, "has" | "row" | "interval"> {
  const has = (opens: number): boolean => opens < nowSeconds && createRandom(opens + seed)() < share;
  return { interval: length, has, row: (opens) => partText(partAt(opens), length) };
}

function partsWithin(from: number, to: number, { interval, has }: CandleService): readonly Part[] {
  const parts: Part[] = [];
  for (let opens = Math.ceil(from / interval) * interval; opens < to; opens += interval)
    if (has?.(opens) !== false) parts.push(partAt(opens));
  return parts;
}

describe("candles that the service lacks", () => {
  test.each(made)(
    "%s equal the model over the candles of %s, digit for digit",
    async (name, source, length, offset) => {
      const sourceLength = source === "1h" ? hour : day;
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            share: fc.constantFrom(0.05, 0.6, 1),
            seed: fc.nat(1000),
            back: fc.integer({ min: 1, max: 90 * day }),
            span: fc.integer({ min: 1, max: 60 * day }),
            isEndInclusive: fc.boolean(),
            roundsStart: fc.boolean(),
            cap: fc.constantFrom(Number.POSITIVE_INFINITY, 10, 366),
          }),
          async ({ share, seed, back, span, ...service }) => {
            const market = { ...marketOf(sourceLength, share, seed), ...service };
            const from = nowSeconds - back;
            const to = Math.min(nowSeconds, from + span);
            const [first, end] = [from, to].map(
              (time) => Math.ceil((time - offset) / length) * length + offset,
            );
            const { exit, stdout, stderr } = await runAgainst(
              market,
              `--interval ${name} --from ${from} --to ${to} -o ndjson --rpm unlimited`,
            );
            if (first === end) {
              expect({ exit, stdout }).toEqual({ exit: 0, stdout: "" });
              expect(stderr).toContain(`no ${name} candle starts between`);
              return;
            }
            expect({ exit, stderr: stderr.replaceAll(/^warning: the clock.*\n/gmu, "") }).toEqual({
              exit: 0,
              stderr: "",
            });
            const wanted = modelOf(
              partsWithin(first ?? 0, Math.min(end ?? 0, nowSeconds), market),
              length,
              offset,
            );
            expect(readMade(stdout)).toEqual(wanted);
            const wrong = rowsOf(stdout).filter(({ time_open, time_close, from_interval, partial }) => {
              const [opens, closes] = [time_open, time_close].map((time) => Date.parse(String(time)) / 1000);
              const isPartial = (closes ?? 0) > nowSeconds ? true : undefined;
              return closes !== (opens ?? 0) + length || from_interval !== source || partial !== isPartial;
            });
            expect(wrong).toEqual([]);
          },
        ),
        { numRuns: isLong ? 200 : 12 },
      );
    },
    120_000,
  );

  test.each(made)(
    "%s are counted back, however few candles the market has",
    async (name, source, length, offset) => {
      const sourceLength = source === "1h" ? hour : day;
      for (const [share, countsBack, count] of [
        [1, true, 5],
        [0.3, true, 7],
        [0.05, false, 4],
        [0.6, false, 250],
      ] as const) {
        const market = { ...marketOf(sourceLength, share, count), countsBack };
        const { exit, stdout } = await runAgainst(
          market,
          `--interval ${name} --count-back ${count} -o ndjson`,
        );
        expect(exit).toBe(0);
        const all = modelOf(
          partsWithin(nowSeconds - 4000 * sourceLength, nowSeconds, market),
          length,
          offset,
        );
        expect([...readMade(stdout)]).toEqual([...all].slice(-count));
      }
    },
  );

  test("with --fill get a row for each of their own intervals", async () => {
    const market = marketOf(day, 0.04, 3);
    const words = `--interval 1w --from 2026-06-01 --to 2026-11-01 --fill previous -o ndjson`;
    const rows = rowsOf((await runAgainst(market, words)).stdout);
    const opens = rows.map((row) => Date.parse(String(row["time_open"])) / 1000);
    const first = Date.parse("2026-06-01T00:00:00Z") / 1000;
    expect(opens).toEqual(Array.from({ length: 22 }, (_, index) => first + index * 7 * day));
    const filled = rows.filter((row) => row["filled"] === true);
    expect(filled.length).toBeGreaterThan(3);
    expect(filled.length).toBeLessThan(22);
    const wanted = modelOf(partsWithin(first, first + 22 * 7 * day, market), 7 * day, 4 * day);
    for (const [index, row] of rows.entries())
      expect(row["filled"]).toBe(wanted.has(opens[index] ?? 0) ? undefined : true);
  });

  test("are partial where the plan ends within one", async () => {
    // The last day has no candles, and a response has at most ten.
    const quietFrom = Math.floor(nowSeconds / day) * day - day;
    const market = {
      ...marketOf(hour, 1, 1),
      has: (opens: number) => opens < quietFrom,
      cap: 10,
      countsBack: true,
    };
    const earliest = Math.ceil(nowSeconds / (8 * hour)) * 8 * hour - 24 * hour - 1000 * hour;
    const server = await serveInTest((request) =>
      Number(request.query.get("start")) < earliest
        ? json({ message: "outside the plan" }, { status: 403 })
        : answerCandles(request, market),
    );
    const env = { DEXDATA_BASE_URL: server.url, DEXDATA_NOW: now };
    const shown = await dexdata(`ohlcv ethereum ${token} --interval 8h --count-back 3 -o ndjson`, { env });
    expect([shown.exit, shown.stderr]).toEqual([
      0,
      expect.stringContaining("found 2 of 3 candles; the plan"),
    ]);
    expect(rowsOf(shown.stdout).map((row) => row["partial"])).toEqual([true, undefined]);
  });

  test("are rejected if a candle of the service has no number", async () => {
    const broken = {
      ...marketOf(hour, 1, 1),
      row: (opens: number) => partText({ ...partAt(opens), high: '"x"' }, hour),
    };
    const shown = await runAgainst(broken, "--interval 4h -o ndjson");
    expect([shown.exit, shown.stderr]).toEqual([1, expect.stringContaining("a candle has no valid high")]);
  });

  test("cost the requests of their source, as estimated", async () => {
    const market = marketOf(hour, 1, 1);
    const words = "--interval 4h --from -200d --to -10d -o json";
    const { requests } = await runAgainst(market, words);
    expect(requests.every(({ query }) => query.get("interval") === "1h")).toBe(true);
    const { stdout } = await dexdata(`ohlcv ethereum ${token} ${words} --estimate -q`, {
      env: sandbox.env(),
    });
    expect(JSON.parse(stdout)).toMatchObject({ requests: requests.length, rows_at_most: 1140 });
  });

  test("continue after an interruption with the same bytes", async () => {
    const market = marketOf(hour, 0.7, 5);
    let left = Number.POSITIVE_INFINITY;
    const server = await serveInTest((request) => {
      left -= 1;
      return left >= 0 ? answerCandles(request, market) : { ...answerCandles(request, market), status: 400 };
    });
    const env = { DEXDATA_BASE_URL: server.url, DEXDATA_NOW: now };
    const [whole, part] = ["whole.csv", "part.csv"].map((name) => path.join(folder, name));
    const words =
      `ohlcv ethereum ${token} --interval 8h --from 2026-01-01 --parallel 1 -q --resume --out`.split(" ");
    expect((await dexdata([...words, whole ?? ""], { env })).exit).toBe(0);
    const all = server.requests.length;
    for (let failing = 1; failing < all; failing += 2) {
      left = failing;
      expect((await dexdata([...words, part ?? ""], { env })).exit).not.toBe(0);
      left = Number.POSITIVE_INFINITY;
      expect((await dexdata([...words, part ?? ""], { env })).exit).toBe(0);
      expect(readFileSync(part ?? "", "utf8")).toBe(readFileSync(whole ?? "", "utf8"));
      rmSync(part ?? "");
    }
    expect(existsSync(`${whole}.resume`)).toBe(false);
  });
});

test("1d is another name for 24h, and is sent as that", async () => {
  const { requests, stdout } = await runAgainst(marketOf(day, 1, 1), "--interval 1d --from -5d -o ndjson");
  expect(requests.map(({ query }) => query.get("interval"))).toEqual(requests.map(() => "24h"));
  expect(rowsOf(stdout)[0]).not.toHaveProperty("from_interval");
});

describe("every format", () => {
  const words = `ohlcv ethereum ${token} --interval 4h --from -3d --to -1d`;

  test("has the same made candles, which verify accepts", async () => {
    const env = sandbox.env();
    const rows: readonly Row[] = rowsOf((await dexdata(`${words} -o ndjson -q`, { env })).stdout);
    expect(rows).toHaveLength(12);
    expect(JSON.parse((await dexdata(`${words} -o json -q`, { env })).stdout)).toEqual(rows);
    const csv = (await dexdata(`${words} -o csv -q`, { env })).stdout.trimEnd().split("\n");
    expect(csv[0]).toBe("time_open,open,high,low,close,volume,filled,partial,from_interval");
    expect(csv.slice(1).map((line) => line.split(",")[0])).toEqual(rows.map((row) => row["time_open"]));
    const table = (await dexdata(`${words} -o table -q`, { env })).stdout;
    expect(table.trimEnd().split("\n")).toHaveLength(13);
    expect((await dexdata(`${words} --chart -q`, { env })).stdout).toContain("4h candles");
    for (const name of ["made.ndjson", "made.csv", "made.parquet"]) {
      const [file, receipt] = [path.join(folder, name), path.join(folder, `${name}.receipt`)];
      const pulled = await dexdata([...words.split(" "), "-q", "--out", file, "--receipt", receipt], { env });
      expect(pulled.exit).toBe(0);
      for (const checked of [[file], [receipt]]) {
        const { exit, stdout, stderr } = await dexdata(["verify", ...checked, "-q"], { env });
        expect({ name, exit, stdout, stderr }).toEqual({ name, exit: 0, stdout: "", stderr: "" });
      }
      const checked = await dexdata(["verify", file, "-o", "table"], { env });
      expect(checked.stdout).toContain("derived candle");
    }
  });

  test("names the assets of several", async () => {
    const shown = await dexdata(
      `ohlcv ethereum ${token} 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48 --interval 8h -q -o ndjson`,
      {
        env: sandbox.env(),
      },
    );
    expect(new Set(rowsOf(shown.stdout).map((row) => row["id"])).size).toBe(2);
  });
});

describe("input", () => {
  test.each([
    [
      `ohlcv ethereum ${token} --interval 3h`,
      "must be one of 1m, 5m, 10m, 15m, 30m, 1h, 2h, 4h, 6h, 8h, 12h, 24h, 1d, 1w",
    ],
    [
      `ohlcv ethereum ${token} --interval 1w --day 2026-11-16`,
      "--day cannot be used with candles longer than a day",
    ],
    [
      `sync ${folder}/lake ethereum:${token} --kind token-ohlcv --interval 4h`,
      "4h candles are made from 1h candles",
    ],
  ])("%s is refused before a request", async (words, problem) => {
    sandbox.takeLog();
    const shown = await dexdata(words, { env: sandbox.env() });
    expect([shown.exit, shown.stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(sandbox.takeLog()).toEqual([]);
  });

  test("a list of sync may not name a made interval", async () => {
    const file = path.join(folder, "list.ndjson");
    const line = { chain: "ethereum", address: token, kind: "token-ohlcv", interval: "1w" };
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    const shown = await dexdata(["sync", path.join(folder, "lake"), `@${file}`], { env: sandbox.env() });
    expect([shown.exit, shown.stderr]).toEqual([
      2,
      expect.stringContaining("1w candles are made from 24h candles"),
    ]);
  });

  test("stream accepts 1m for 60s", async () => {
    const words = `stream ethereum ${token} --feed ohlcv --interval`;
    for (const name of ["60s", "1m"]) {
      const shown = await dexdata(`${words} ${name} --since -5m --limit 2 -q`, { env: sandbox.env() });
      expect(shown.exit).toBe(0);
      expect(rowsOf(shown.stdout)).toHaveLength(2);
    }
    const refused = await dexdata(`${words} 2m`, { env: sandbox.env() });
    expect([refused.exit, refused.stderr]).toEqual([
      2,
      expect.stringContaining("must be one of 1s, 5s, 60s"),
    ]);
  });
});
