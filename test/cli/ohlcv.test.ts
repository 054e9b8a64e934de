import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createMarket } from "../harness/bundled-sandbox.ts";
import { answerCandles, askedOf, candle, type CandleService, utc } from "../harness/candle-service.ts";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";
import { fieldOf, rowsOf, toRow } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { empty, json, type Reply, type Script, type SeenRequest } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { rawRequest } from "../sandbox/raw-request.ts";

const sandbox = useSandbox({ requestsPerMinute: 1_000_000 });
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

interface RunOutcome extends Outcome {
  readonly requests: readonly SeenRequest[];
}

async function runCommand(script: Script, words: string): Promise<RunOutcome> {
  const server = await serveInTest(script);
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
  const outcome = await dexdata(
    `ohlcv ethereum 0x0000000000000000000000000000000000000001 --rpm unlimited ${words}`,
    { env },
  );
  return { ...outcome, requests: server.requests };
}

const runWithService = async (service: CandleService, words: string): Promise<RunOutcome> =>
  await runCommand((request) => answerCandles(request, service), words);

test.each([
  ["24h", 1],
  ["4h", 0],
] as const)("a range in which no %s candle opens is empty; requests: %i", async (interval, sent) => {
  const words = `ohlcv ethereum:${pool} --pool --interval ${interval} --from 2026-11-20T13:00Z --to 2026-11-20T15:00Z`;
  sandbox.takeLog();
  const { exit, stdout, stderr } = await dexdata(words, { env: sandbox.env() });
  expect([exit, stdout, sandbox.takeLog().length]).toEqual([0, "", sent]);
  expect(stderr).toContain(
    `warning: no ${interval} candle starts between 2026-11-20T13:00:00Z and 2026-11-20T15`,
  );
  const { stdout: estimate } = await dexdata(`${words} --estimate`, { env: sandbox.env() });
  expect(toRow(estimate)).toMatchObject({ requests: sent, rows_at_most: 0 });
});

test("a range that has no candles yet is reported", async () => {
  const words = `ohlcv ethereum ${pool} --pool --from 2026-11-21T10:00:00Z --to 2030-01-01`;
  const { exit, stdout, stderr } = await dexdata(`${words} --now 2026-11-21T08:54:00Z --sandbox`);
  const warning = "warning: the time range begins in the future: 2026-11-21T10:00:00Z\n";
  expect([exit, stdout, stderr]).toEqual([0, "", warning]);
});

test("a range that begins in the future because the local clock is wrong is reported", async () => {
  const headers = { date: "Sat, 21 Nov 2026 08:54:00 GMT" };
  const { url } = await serveInTest(() => json([], { headers }));
  const words = `ohlcv ethereum ${pool} --pool --from -2h -o ndjson`;
  const run = async (now: string) => await dexdata(words, { env: { DEXDATA_BASE_URL: url }, now });
  const warning =
    "warning: the time range begins in the future: 2026-11-21T08:55:01Z; the local clock is ahead of the service's\n";
  expect(await run("2026-11-21T10:55:01Z")).toMatchObject({ exit: 0, stdout: "", stderr: warning });
  expect(await run("2026-11-21T10:54:59Z")).toMatchObject({ exit: 0, stdout: "", stderr: "" });
});

/** Returns start, end and limit of each request, sorted by start because several run in parallel. */
const windowsOf = (urls: readonly string[]): readonly (readonly number[])[] =>
  urls
    .map((url) => askedOf(new URL(url, "http://sandbox").searchParams))
    .map(({ start, end, limit }) => [start, end, limit])
    .toSorted(([left = 0], [right = 0]) => left - right);

const linesOf = (opens: readonly number[], interval: number): string =>
  opens.map((at) => `${candle(at, interval)}\n`).join("");

const range = (from: number, to: number, step: number): readonly number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step);

// 2026-09-01T00:00:00Z
const september = 1_788_220_800;

describe("a time range of any length", () => {
  /** Fetches the candles directly from the sandbox, in ranges of 100 minutes. */
  const inSmallWindows = async (from: number, to: number): Promise<string> => {
    const { restPaid, keys } = sandbox.running();
    let lines = "";
    for (let start = from; start < to; start += 6000) {
      const end = Math.min(start + 6000, to);
      const url = `/networks/ethereum/pools/${pool}/ohlcv?interval=1m&start=${start}&end=${end}&limit=1000`;
      const { body } = await rawRequest(restPaid, url, { key: keys.pro });
      const rows: unknown = JSON.parse(body);
      if (!Array.isArray(rows)) throw new Error(body);
      for (const row of rows) lines += `${JSON.stringify(row)}\n`;
    }
    return lines;
  };

  test.each([
    [1, [[0, 1, 1]]],
    [1000, [[0, 1000, 1000]]],
    [
      1001,
      [
        [0, 1000, 1000],
        [1000, 1001, 1],
      ],
    ],
  ])(
    "%i candles: sends the expected requests, and prints the candles of the market",
    async (candles, slices) => {
      const end = september + candles * 60;
      sandbox.takeLog();
      const words = `ohlcv ethereum ${pool} --pool --interval 1m --from ${september} --to ${end} -o ndjson`;
      const { exit, stdout, stderr } = await dexdata(words, { env: sandbox.env() });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      expect(windowsOf(sandbox.takeLog().map(({ url }) => url))).toEqual(
        slices.map(([from = 0, to = 0, limit = 0]) => [september + from * 60, september + to * 60, limit]),
      );
      expect(stdout).toBe(await inSmallWindows(september, end));
    },
  );

  test("fetches 90 days of hours with three requests, and prints every candle of the market", async () => {
    const quiet = "0x549c52b279abf9e24c5401f351ba24ed3e07c3d8";
    const [from, to] = [september - 90 * 86_400, september];
    sandbox.takeLog();
    const words = `ohlcv ethereum ${quiet} --pool --interval 1h --from ${from} --to ${to} -o ndjson`;
    const { exit, stdout } = await dexdata(words, { env: sandbox.env() });
    expect({ exit, requests: sandbox.takeLog().length }).toEqual({ exit: 0, requests: 3 });
    const market = createMarket({ seed: 1 });
    const ethereum = market.network("ethereum");
    const facts = ethereum === undefined ? undefined : market.pool(ethereum, quiet, sandboxNow / 1000);
    if (facts === undefined) throw new Error("the market has this pool");
    const folded = market.poolCandles(facts, { from, to, intervalSeconds: 3600 });
    expect(folded.length).toBeGreaterThan(2100);
    expect(rowsOf(stdout).map((row) => [row["time_open"], row["open"], row["close"]])).toEqual(
      folded.map(({ timeOpen, open, close }) => [utc(timeOpen), open, close]),
    );
  });

  test("sends the start and end as typed, and aligns the edges between them to the interval", async () => {
    const [from, to] = [september + 17, september + 2400 * 60 + 41];
    const { requests, stdout } = await runWithService(
      { interval: 60 },
      `--interval 1m --from ${from} --to ${to}`,
    );
    const edges = [september + 1001 * 60, september + 2001 * 60];
    expect(windowsOf(requests.map(({ url }) => url))).toEqual([
      // One more for the minute that contains `start`, in case the service rounds down.
      [from, edges[0], 1000],
      [edges[0], edges[1], 1000],
      [edges[1], to, 400],
    ]);
    expect(stdout).toBe(linesOf(range(september + 60, to, 60), 60));
  });

  test("--count-back is sent, and divided among requests if one does not suffice", async () => {
    const now = "--now 2026-11-21T08:30:00Z --interval 1h";
    const one = await runWithService({ interval: 3600 }, `--count-back 1000 ${now}`);
    expect(one.requests.map(({ query }) => query.get("count_back"))).toEqual(["1000"]);
    expect(rowsOf(one.stdout).length).toBe(1000);
    const two = await runWithService({ interval: 3600 }, `--count-back 1001 ${now}`);
    expect(two.requests.map(({ query }) => query.get("count_back"))).toEqual(["1", "1000"]);
    expect(rowsOf(two.stdout).length).toBe(1001);
  });

  test("fetches the first slice alone, then at most --parallel at once, even if one is slow", async () => {
    let seen = 0;
    const before: number[] = [];
    const script: Script = async (request) => {
      seen += 1;
      const slice = (askedOf(request.query).start - september) / 60_000;
      if (slice < 2) {
        // However slow the machine is, the second slice waits until the others of its group were requested.
        if (slice === 1) await expect.poll(() => seen, { timeout: 30_000 }).toBeGreaterThanOrEqual(4);
        await new Promise((resolve) => setTimeout(resolve, 50));
        before.push(seen);
      }
      return answerCandles(request, { interval: 60 });
    };
    const to = september + 7000 * 60;
    const words = `--interval 1m --from ${september} --to ${to} --parallel 3`;
    const { stdout, requests } = await runCommand(script, words);
    expect({ before, requests: requests.length }).toEqual({ before: [1, 4], requests: 7 });
    expect(stdout).toBe(linesOf(range(september, to, 60), 60));
  });
});

describe("every interval is aligned to the epoch, whatever the time zone of the range", () => {
  // The offset of Kathmandu, and the hour that European summer time skips: neither moves an edge.
  const from = "2016-03-27T06:30:00+05:45";

  test.each([
    ["1m", 60],
    ["5m", 300],
    ["10m", 600],
    ["15m", 900],
    ["30m", 1800],
    ["1h", 3600],
    ["6h", 21_600],
    ["12h", 43_200],
    ["24h", 86_400],
  ])("%s", async (name, interval) => {
    const start = Date.parse(from) / 1000;
    const to = new Date((start + 1100 * interval) * 1000).toISOString().replace(".000Z", "+00:00");
    const words = ["--interval", name, "--from", from, "--to", to, "-o", "ndjson"];
    const { stdout, requests } = await runWithService({ interval }, words.join(" "));
    const edges = requests.map(({ query }) => askedOf(query).start).filter((at) => at !== start);
    expect(edges.map((at) => at % interval)).toEqual([0]);
    const first = Math.ceil(start / interval) * interval;
    expect(stdout).toBe(linesOf(range(first, start + 1100 * interval, interval), interval));
  });

  test("days start at 00:00 UTC: a range in another time zone includes the days that open in it", async () => {
    const days = async (lower: string, upper: string): Promise<readonly unknown[]> => {
      const words = `ohlcv ethereum ${pool} --pool --interval 24h --from ${lower} --to ${upper} -o ndjson`;
      return fieldOf((await dexdata(words, { env: sandbox.env() })).stdout, "time_open");
    };
    const two = ["2026-09-01T00:00:00Z", "2026-09-02T00:00:00Z"];
    expect(await days("2026-09-01T02:00:00+02:00", "2026-09-03T02:00:00+02:00")).toEqual(two);
    expect(await days("2026-09-01T00:00:00+02:00", "2026-09-03T00:00:00+02:00")).toEqual(two);
    expect(await days("2026-08-31T18:00:00.5-06:00", "2026-09-03T00:00:00.5Z")).toEqual([
      "2026-09-02T00:00:00Z",
      "2026-09-03T00:00:00Z",
    ]);
  });
});

describe("a service with other rules for start and end", () => {
  const to = september + 1100 * 60;
  const words = `--interval 1m --from ${september} --to ${to} -o ndjson`;

  test("includes the end: a candle at an edge is printed once, one that opens at the end is dropped", async () => {
    const receipt = path.join(folder, "receipt.json");
    // Every second minute, so that `limit` leaves room for the extra candle.
    const { stdout, exit } = await runWithService(
      { interval: 60, isEndInclusive: true, has: (at) => at % 120 === 0 },
      `${words} --receipt ${receipt}`,
    );
    expect(exit).toBe(0);
    expect(stdout).toBe(linesOf(range(september, to, 120), 60));
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({ rows: 550, repeats_dropped: 1 });
  });

  test("includes the end: a candle at an edge is in a resumed file once", async () => {
    let isHealed = false;
    const service: CandleService = { interval: 60, isEndInclusive: true, has: (at) => at % 120 === 0 };
    const { url } = await serveInTest((request) =>
      isHealed || askedOf(request.query).start === september ? answerCandles(request, service) : empty(501),
    );
    const env = { DEXDATA_PRO_BASE_URL: url, DEXDATA_API_KEY: "api_pro_0123456789", DEXDATA_TIER: "pro" };
    const file = path.join(folder, "edge.ndjson");
    const command = `ohlcv ethereum ${pool} --pool ${words} --out ${file} --resume`;
    expect((await dexdata(command, { env })).exit).toBe(7);
    isHealed = true;
    expect((await dexdata(command, { env })).exit).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(linesOf(range(september, to, 120), 60));
  });

  test("rounds the start down: that candle is printed, and the last of a full response is not lost", async () => {
    const start = september + 30;
    const { stdout } = await runWithService(
      { interval: 60, roundsStart: true },
      `--interval 1m --from ${start} --to ${start + 60_000} -o ndjson`,
    );
    expect(stdout).toBe(linesOf(range(september, start + 60_000, 60), 60));
  });

  test.each([10, 366])(
    "returns at most %i candles: requests are repeated until the slice is complete",
    async (cap) => {
      const { stdout, requests } = await runWithService({ interval: 60, cap }, words);
      expect(stdout).toBe(linesOf(range(september, to, 60), 60));
      const perSlice = (candles: number): number => Math.ceil(candles / cap);
      expect(requests.length).toBe(perSlice(1000) + perSlice(100));
    },
  );

  test("returns at most ten candles for count_back: those before them are requested next", async () => {
    const { stdout, requests } = await runWithService(
      { interval: 60, cap: 10, countsBack: true },
      `--interval 1m --count-back 35 --to ${to} -o ndjson`,
    );
    expect(stdout).toBe(linesOf(range(to - 35 * 60, to, 60), 60));
    expect(requests.map(({ query }) => query.has("count_back"))).toEqual([true, true, true, true]);
  });

  test("costs one more request after exactly ten candles, unless no candle can follow", async () => {
    const early = await runWithService(
      { interval: 60, has: (at) => at < september + 600 },
      words.replace(/--to \S+/u, `--to ${september + 6000}`),
    );
    expect([rowsOf(early.stdout).length, early.requests.length]).toEqual([10, 2]);
    const late = await runWithService(
      { interval: 60, has: (at) => at >= september + 5400 },
      words.replace(/--to \S+/u, `--to ${september + 6000}`),
    );
    expect([rowsOf(late.stdout).length, late.requests.length]).toEqual([10, 1]);
  });
});

describe("--count-back returns the newest candles that exist", () => {
  const to = september + 100_000 * 60;
  const every = (step: number, from = 0): readonly number[] => range(from, to, 60 * step);
  const newest = (opens: readonly number[], count: number): string => linesOf(opens.slice(-count), 60);
  const service = (opens: readonly number[], more: Partial<CandleService> = {}): CandleService => {
    const existing = new Set(opens);
    return { interval: 60, has: (at) => existing.has(at), ...more };
  };
  const words = (count: number): string => `--interval 1m --count-back ${count} --to ${to} -o ndjson`;

  test("the number can have a unit", async () => {
    const opens = every(1, to - 3000 * 60);
    const { exit, stdout } = await runWithService(
      service(opens),
      words(2000).replace("back 2000", "back 2k"),
    );
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: newest(opens, 2000) });
  });

  test.each([
    ["one request, where no interval is without a trade", 1, 20, 1],
    ["a second one, where six of seven have none", 7, 20, 2],
    ["more than one response holds", 3, 2500, 8],
  ])("%s, whether or not the service supports count_back", async (_name, step, count, most) => {
    for (const countsBack of [true, false]) {
      const opens = every(step, to - 20_000 * 60);
      const { exit, stdout, stderr, requests } = await runWithService(
        service(opens, { countsBack }),
        words(count),
      );
      expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: newest(opens, count), stderr: "" });
      expect(requests.length).toBeLessThanOrEqual(most);
    }
  });

  test("needs few requests for a market that stopped trading, however busy it was before", async () => {
    const busy = range(to - 30_000 * 60, to - 9000 * 60, 60);
    const { stdout, requests } = await runWithService(service([...busy, to - 600]), words(30));
    expect(stdout).toBe(newest([...busy, to - 600], 30));
    expect(requests.length).toBeLessThanOrEqual(12);
  });

  test("stops after two empty ranges, with a warning", async () => {
    const opens = [to - 300, to - 180, to - 60];
    const { exit, stdout, stderr, requests } = await runWithService(service(opens), words(20));
    expect({ exit, stdout, requests: requests.length }).toEqual({
      exit: 0,
      stdout: newest(opens, 20),
      requests: 3,
    });
    const since = utc(to - 20 * 60 - 11_000 * 60);
    expect(stderr).toBe(
      `warning: found 3 of 20 candles; no candle opens between ${since} and ${utc(to - 300)}\n`,
    );
  });

  test("stops at the limit of the plan, with a warning", async () => {
    const refusal = json(
      { error: "plan_required", tier: "dev", message: "30 days", param: "start" },
      { status: 403 },
    );
    const reach = to - 1500 * 60;
    const { exit, stdout, stderr } = await runCommand(
      (request) =>
        askedOf(request.query).start < reach ? refusal : answerCandles(request, { interval: 60 }),
      words(2500),
    );
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: linesOf(range(to - 1500 * 60, to, 60), 60) });
    expect(stderr).toBe("warning: found 1,500 of 2,500 candles; the plan does not include earlier ones\n");
  });

  test.each([
    ["dev", "of a token", 1100, "2026-10-22T09:00:00Z"],
    ["free", "of the quietest pool", 150, "2026-11-14T09:00:00Z"],
  ] as const)(
    "on the %s plan, %s: all candles that the plan includes, although they end within a response",
    async (tier, of, count, start) => {
      const run = async (command: string): Promise<Outcome> =>
        await dexdata(command, { env: sandbox.env(tier), now: sandboxNow });
      const quietest = "pools search ethereum --order-by txns_24h --sort asc --limit 1 --fields id -o csv";
      const address =
        of === "of a token"
          ? // Trades in few pools, so that the sandbox has less to fold.
            "0x85ade1e7513bf30c550191a1094cf6cafc120926"
          : `${(await run(quietest)).stdout.split("\n")[1] ?? ""} --pool`;
      const included = `ohlcv ethereum ${address} -o ndjson --from ${start}`;
      const counted = `ohlcv ethereum ${address} -o ndjson --count-back ${count}`;
      const { exit, stdout, stderr } = await run(counted);
      expect({ exit, stdout }).toEqual({ exit: 0, stdout: (await run(included)).stdout });
      expect(stderr).toMatch(
        /^warning: found \d+ of [\d,]+ candles; the plan does not include earlier ones\n$/u,
      );
      // Nothing is known about the intervals before them.
      const filled = (await run(`${counted} --fill null`)).stdout;
      expect((await run(`${included} --fill null`)).stdout.endsWith(filled)).toBe(true);
    },
  );

  test("does not begin before there were trades, and --count-back has no other limit", async () => {
    const opens = [to - 300, to - 60];
    const { exit, stdout, stderr, requests } = await runWithService(
      { ...service(opens), interval: 86_400 },
      words(10_000_000_000).replace("1m", "24h"),
    );
    expect({ exit, stdout: rowsOf(stdout).length }).toEqual({ exit: 0, stdout: 0 });
    expect(stderr).toContain("found 0 of 10,000,000,000 candles");
    const starts = windowsOf(requests.map(({ url }) => url)).map(([start]) => start);
    expect(Math.min(...starts.map(Number))).toBe(Date.UTC(2015, 0, 1) / 1000);
    expect(requests.length).toBeLessThan(10);
  });

  test("fails if the plan includes none of them", async () => {
    const { exit } = await runCommand(
      () => json({ error: "plan_required", tier: "dev" }, { status: 403 }),
      words(2500),
    );
    expect(exit).toBe(4);
  });

  test.each([true, false])(
    "none is lost if the service repeats one; it supports count_back: %s",
    async (countsBack) => {
      const { stdout } = await runCommand(({ query }) => {
        const { start, end, limit } = askedOf(query);
        const opens = range(start, end, 60).flatMap((at) =>
          at === to - 60 || at === to - 1200 ? [at, at] : [at],
        );
        const rows = countsBack && query.has("count_back") ? opens.slice(-limit) : opens.slice(0, limit);
        return json(`[${rows.map((at) => candle(at, 60)).join(",")}]`);
      }, words(20));
      expect(stdout).toBe(linesOf(range(to - 1200, to, 60), 60));
    },
  );

  const ofHours = (count: number): string =>
    `--interval 4h --count-back ${count} --to ${september} -o ndjson`;

  test("no part of a longer one is lost if the service includes the end of a range", async () => {
    const hours: CandleService = { interval: 3600, isEndInclusive: true, countsBack: true };
    const { stdout } = await runWithService(hours, ofHours(2));
    expect(rowsOf(stdout).map(({ volume }) => volume)).toEqual([28, 28]);
  });

  test("longer ones are complete if the service counts back beyond the start", async () => {
    // Every fifth hour.
    const opens = range(september - 100 * 18_000, september, 18_000);
    const { stdout, requests } = await runCommand(({ query }) => {
      const { start, end, limit } = askedOf(query);
      const before = opens.filter((at) => at < end && (query.has("count_back") || at >= start));
      const rows = query.has("count_back") ? before.slice(-limit) : before.slice(0, limit);
      return json(`[${rows.map((at) => candle(at, 3600)).join(",")}]`);
    }, ofHours(3));
    expect(requests.length).toBe(1);
    expect(rowsOf(stdout).map(({ close, partial }) => [close, partial])).toEqual(
      opens.slice(-3).map((at) => [at + 0.1, undefined]),
    );
  });

  test("starts --fill with the oldest of them", async () => {
    const opens = [to - 1800, to - 120];
    const { stdout } = await runWithService(service(opens), `${words(2)} --fill null`);
    const rows = rowsOf(stdout);
    expect([rows.length, rows[0]?.["time_open"], rows.at(-1)?.["time_open"]]).toEqual([
      30,
      utc(to - 1800),
      utc(to - 60),
    ]);
  });

  test("prints the newest candles of any market", async () => {
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 70 }),
      fc.boolean(),
      async (gaps, count, countsBack) => {
        const opens: number[] = [];
        for (const gap of gaps) opens.unshift((opens[0] ?? to) - gap * 60);
        const { exit, stdout } = await runWithService(service(opens, { countsBack }), words(count));
        expect({ exit, stdout }).toEqual({ exit: 0, stdout: newest(opens, count) });
      },
    );
    await fc.assert(property, { numRuns: isLong ? 40 : 8 });
  });
});

describe("a slice that was truncated once", () => {
  const to = september + 4000 * 60;
  const words = `--interval 1m --from ${september} --to ${to} --parallel 1 -o ndjson`;
  const all = range(september, to, 60);
  const answer = (opens: readonly number[]): Reply =>
    json(`[${opens.map((at) => candle(at, 60)).join(",")}]`);
  /** Changes the response to one request. */
  const changed =
    (number: number, change: (opens: readonly number[]) => readonly number[]): Script =>
    (request, index) => {
      const { start, end } = askedOf(request.query);
      const opens = range(start, end, 60);
      return answer(index === number ? change(opens) : opens);
    };

  test.each([0, 1, 3])("to its first half is completed by another request (slice %i)", async (number) => {
    const { exit, stdout, requests } = await runCommand(
      changed(number, (opens) => opens.slice(0, opens.length / 2)),
      words,
    );
    expect({ exit, stdout, requests: requests.length }).toEqual({
      exit: 0,
      stdout: linesOf(all, 60),
      requests: 5,
    });
  });

  // Before the first slice, nothing shows whether the market already traded.
  test.each([
    [words, 1],
    [words, 3],
    [`--interval 1m --count-back 4000 --to ${to} -o ndjson`, 0],
    [`--interval 1m --count-back 4000 --to ${to} -o ndjson`, 2],
  ])("to its second half is completed by another request: %s (response %i)", async (flags, number) => {
    const { exit, stdout, requests } = await runCommand(
      changed(number, (opens) => opens.slice(opens.length / 2)),
      flags,
    );
    expect({ exit, stdout, requests: requests.length }).toEqual({
      exit: 0,
      stdout: linesOf(all, 60),
      requests: 5,
    });
  });

  test.each([1, 3])("to nothing, among full slices, is fetched again (slice %i)", async (number) => {
    const { exit, stdout, requests } = await runCommand(
      changed(number, () => []),
      words,
    );
    expect({ exit, stdout, requests: requests.length }).toEqual({
      exit: 0,
      stdout: linesOf(all, 60),
      requests: 5,
    });
  });

  test.each([1, 3])("and contains the slice before it is fetched again (slice %i)", async (number) => {
    const { exit, stdout, requests } = await runCommand(
      changed(number, (opens) => opens.map((at) => at - 60_000)),
      words,
    );
    expect({ exit, stdout, requests: requests.length }).toEqual({
      exit: 0,
      stdout: linesOf(all, 60),
      requests: 5,
    });
  });

  test("a market that stops trading costs one extra request, plus one each time trading restarts", async () => {
    const awake = (at: number): boolean => Math.floor((at - september) / 60 / 500) % 5 === 0;
    const { stdout, requests } = await runWithService({ interval: 60, has: awake }, words);
    expect(stdout).toBe(linesOf(all.filter(awake), 60));
    expect(requests.length).toBe(4 + 2);
  });
});

test("an empty response is confirmed within the range: the plan may not reach further back", async () => {
  const from = september + 1800;
  const has = (at: number): boolean => at < from;
  const { exit, stdout, requests } = await runWithService(
    { interval: 3600, has },
    `--from ${from} --to ${from + 86_400} -o ndjson`,
  );
  const starts = requests.map(({ query }) => askedOf(query).start);
  expect({ exit, stdout, starts }).toEqual({ exit: 0, stdout: "", starts: [from, september + 3600] });
});

test.each([
  ["does not exist: the list goes on", 404, [8, 4, "not_found"]],
  ["exists: the list can be resumed there", 200, [7, 2, "internal_error"]],
] as const)("a failure of the edge for a token that %s", async (_what, status, [exit, rows, code]) => {
  const [second, third] = [2, 3].map((number) => `0x${String(number).padStart(40, "0")}`);
  const words = `${second} ${third} --interval 1h --from ${september} --to ${september + 7200} --retries 1 -o ndjson`;
  const broken = json({ success: false, error: { code: "ORIGIN_ERROR", message: "x" } }, { status: 500 });
  const outcome = await runCommand((request) => {
    if (request.path.endsWith(`/tokens/${second}`)) return json({ id: second }, { status });
    return request.path.includes(String(second)) ? broken : answerCandles(request, { interval: 3600 });
  }, words);
  expect([outcome.exit, rowsOf(outcome.stdout).length], outcome.stderr).toEqual([exit, rows]);
  expect(outcome.stderr).toContain(`"code":"${code}"`);
});

describe("a plan whose reach has moved on by the time that a request arrives", () => {
  const now = sandboxNow / 1000;
  const day = 86_400;
  const messages = [{ message: "24 hours" }, { error: "plan_required", tier: "keyless", param: "start" }];
  const runKeyless = async (words: string, refusal: object): Promise<RunOutcome> => {
    const reach = now - day + 1;
    const service = await serveInTest((request) =>
      askedOf(request.query).start < reach
        ? json(refusal, { status: 403 })
        : answerCandles(request, { interval: 3600 }),
    );
    const command = `ohlcv ethereum ${pool} --pool --rpm unlimited -o ndjson ${words}`;
    const outcome = await dexdata(command, { env: { DEXDATA_BASE_URL: service.url }, now: sandboxNow });
    return { ...outcome, requests: service.requests };
  };
  const wanted = range(Math.ceil((now - day) / 3600) * 3600, now, 3600);

  test.each(messages)("the default range has every candle that opens in it: %j", async (refusal) => {
    // A number of candles determines the time of the first one, which the plan includes.
    for (const [words, count] of [
      ["", 2],
      ["--count-back 24", 1],
    ] as const) {
      const { exit, stdout, stderr, requests } = await runKeyless(words, refusal);
      const opens = rowsOf(stdout).map(({ time_open }) => time_open);
      expect([exit, opens, stderr, requests.length]).toEqual([0, wanted.map(utc), "", count]);
    }
  });

  test.each([
    ["--from -48h", { message: "24 hours" }],
    ["", { error: "plan_required", tier: "keyless", param: "interval" }],
  ])("%s, %j: nothing else is requested", async (words, refusal) => {
    const { exit, requests } = await runKeyless(words, refusal);
    expect([exit, requests.length]).toEqual([4, 1]);
  });
});

describe("an invalid response ends the pull after the rows before it", () => {
  const to = september + 1500 * 60;
  const second = september + 60_000;
  const words = `--interval 1m --from ${september} --to ${to} -o ndjson --error-format text`;
  const rows = (...opens: readonly number[]): string => `[${opens.map((at) => candle(at, 60)).join(",")}]`;

  test.each([
    [
      "out of order",
      rows(second + 60, second),
      `the candles are out of order: ${utc(second)} follows ${utc(second + 60)}`,
    ],
    [
      "before the slice",
      rows(second - 60, second),
      `the service sent a candle for ${utc(second - 60)}, outside the requested range from ${utc(second)} to ${utc(to)}`,
    ],
    [
      "after the slice",
      rows(second, to + 60),
      `the service sent a candle for ${utc(to + 60)}, outside the requested range from ${utc(second)} to ${utc(to)}`,
    ],
    ["of longer candles", `[${candle(second, 300)}]`, "the service sent candles of 5m instead of 1m"],
    ["without a time", `[{"open":1}]`, "invalid response: a candle has no valid time_open"],
    ["with a word for a time", `[{"time_open":"noon"}]`, "invalid response: a candle has no valid time_open"],
  ])("%s", async (_name, body, message) => {
    const { exit, stdout, stderr } = await runCommand(
      (request) =>
        askedOf(request.query).start === second ? json(body) : answerCandles(request, { interval: 60 }),
      words,
    );
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: linesOf(range(september, second, 60), 60) });
    expect(stderr).toContain(`${message}; 1,000 rows written`);
  });

  test("of shorter candles; but a last candle may be partial, and close early", async () => {
    const run = async (...opens: readonly number[]) => {
      const body = `[${opens.map((at) => candle(at, 60)).join(",")}]`;
      return await runCommand(() => json(body), `--interval 1h --from ${september} --to ${september + 7200}`);
    };
    const { exit, stderr } = await run(september, september + 60);
    expect([exit, stderr]).toEqual([
      1,
      expect.stringContaining("the service sent candles of 1m instead of 1h"),
    ]);
    expect((await run(september)).exit).toBe(0);
  });

  test("prints a candle once that the response contains twice", async () => {
    const body = rows(september, september, september + 60);
    const { exit, stdout } = await runCommand(
      (_, index) => json(index === 0 ? body : "[]"),
      words.replace(/--to \S+/u, `--to ${september + 180}`),
    );
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: linesOf([september, september + 60], 60) });
  });
});

describe("a failure halfway", () => {
  test("of --count-back prints the newest candles, which are paid for, and no command to continue", async () => {
    const to = september + 2500 * 60;
    const run = async (words: string) =>
      await runCommand(
        (request) =>
          askedOf(request.query).start === september ? empty(501) : answerCandles(request, { interval: 60 }),
        `--interval 1m --count-back 2500 --to ${to} -o ndjson ${words}`,
      );
    const { exit, stdout, stderr } = await run("");
    expect({ exit, stdout }).toEqual({ exit: 7, stdout: linesOf(range(september + 60_000, to, 60), 60) });
    expect(stderr).toContain("; 1,500 rows written");
    // The missing candles come first, so a file cannot be continued.
    for (const words of [`--out ${folder}/a`, `--out ${folder}/b --resume`]) {
      const inFile = await run(words);
      expect([inFile.exit, inFile.stderr]).toEqual([7, expect.not.stringContaining("--resume")]);
    }
    const filled = await run("--fill null");
    expect(filled.stdout).toBe(stdout);
  });

  test("of a time range prints the command that fetches the rest", async () => {
    const window = `--from ${september} --to ${september + 2500 * 60} --inversed --pool`;
    const failing = september + 120_000;
    const words = `--interval 1m ${window} -o ndjson --fill null`;
    const first = await runCommand(
      (request) =>
        askedOf(request.query).start === failing ? empty(501) : answerCandles(request, { interval: 60 }),
      words,
    );
    expect({ exit: first.exit, rows: rowsOf(first.stdout).length }).toEqual({ exit: 7, rows: 2000 });
    const next = String(toRow(first.stderr)["next"]);
    const command =
      /^more rows available; next page: dexdata (?<words>.*)$/u.exec(next)?.groups?.["words"] ?? "";
    expect(command).toContain(`--from ${utc(failing)}`);
    expect(command).toContain("--fill null");

    const server = await serveInTest((request) => answerCandles(request, { interval: 60 }));
    const env = {
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_API_KEY: "api_pro_0123456789",
      DEXDATA_TIER: "pro",
    };
    const rest = await dexdata(command, { env });
    expect(rest.exit).toBe(0);
    expect(first.stdout + rest.stdout).toBe(linesOf(range(september, september + 150_000, 60), 60));
  });
});
