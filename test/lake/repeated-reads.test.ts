import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { storedCandles } from "../../src/lake/stored-candles.ts";
import { dexdata } from "../harness/dexdata.ts";
import { secretMark } from "../harness/key-search.ts";
import { dataFiles, periodsBelow, rowsBelow } from "../harness/lake.ts";
import {
  type Disturbance,
  type MarketPool,
  rowAt,
  rowsOfDays,
  seconds,
  startMarketService,
  utc,
} from "../harness/market-service.ts";
import { json, type SeenRequest } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pool = `0x${"a".repeat(40)}`;
const [hour, day] = [3600, 86_400];
const days = Array.from({ length: 95 }, (_, index) =>
  utc(seconds("2026-08-20T00:00:00Z") + index * day).slice(0, 10),
);
const folder = temporaryFolder();
const rows = rowsOfDays(pool, days, 40);
const pools = new Map<string, MarketPool>([[pool, { rows, created: "2026-01-01T00:00:00Z" }]]);
let now = 0;
let root = "";
const service = await startMarketService(() => now, pools);

afterAll(service.close);
beforeEach(({ task }) => {
  now = seconds("2026-11-16T08:00:00Z");
  root = path.join(folder, task.name.replaceAll(/\W+/gu, "-").slice(0, 60));
  service.disturb({});
});

async function sync(words: readonly string[] = [], tier: "free" | "dev" | "pro" = "pro") {
  const before = service.requests.length;
  const env = {
    DEXDATA_TIER: tier,
    DEXDATA_API_KEY: `api_${tier}_${secretMark}_market`,
    DEXDATA_BASE_URL: service.url,
    DEXDATA_PRO_BASE_URL: service.url,
  };
  const limits = ["--rpm", "unlimited", "--error-format", "text", "--retries", "1"];
  const outcome = await dexdata(["sync", root, ...words, ...limits], { env, now: now * 1000 });
  return { ...outcome, requests: service.requests.slice(before) };
}

const startOf = ({ query }: SeenRequest): number => {
  const text = query.get("from") ?? query.get("start") ?? "";
  return /^\d+$/u.test(text) ? Number(text) : seconds(text);
};

/** The plan has candles of this many seconds. */
const limited =
  (reach: number) =>
  ({ query }: SeenRequest): Disturbance => {
    const start = query.get("start");
    const refusal = { error: "plan_required", param: "start", message: "too early" };
    return start !== null && Number(start) < now - reach ? { reply: json(refusal, { status: 403 }) } : {};
  };

const asset = `ethereum:${pool}`;
const candles = (interval: string): readonly string[] => [asset, "--kind", "ohlcv", "--interval", interval];

test("the count of a day whose rows are not returned is what the service counts, not 0", async () => {
  const begin = seconds("2026-11-14T00:00:00Z");
  const page_info = { limit: 100, page: 1, total_items: 40, total_pages: 1 };
  const headers = { Date: new Date(now * 1000).toUTCString() };
  const empty = json({ transactions: [], page_info }, { headers });
  service.disturb((request) => (startOf(request) === begin ? { reply: empty } : {}));
  const outcome = await sync([asset, "--from", "2026-11-14"]);
  expect(outcome.exit).toBe(8);
  expect(outcome.stderr).toContain(
    "date=2026-11-14: the service counts 40 rows, but returns 0; the file stays open",
  );
});

test("a complete day that the service counts differently is read once a day, and stays complete", async () => {
  expect((await sync([asset, "--from", "2026-11-12"])).exit).toBe(0);
  now = seconds("2026-11-17T09:00:00Z");
  const begin = seconds("2026-11-12T00:00:00Z");
  const own = rows.filter(({ created_at }) => created_at.startsWith("2026-11-12")).toReversed();
  service.disturb((request) => {
    if (startOf(request) !== begin) return {};
    const limit = Number(request.query.get("limit"));
    const page_info = { limit, page: 1, total_items: own.length + 1, total_pages: 1 };
    const headers = { Date: new Date(now * 1000).toUTCString() };
    return { reply: json({ transactions: own.slice(0, limit), page_info }, { headers }) };
  });
  const counts: number[] = [];
  for (let run = 0; run < 4; run += 1) {
    const { exit, stderr, requests } = await sync();
    const count = requests.filter((request) => startOf(request) === begin).length;
    counts.push(count);
    expect(exit).toBe(count > 0 ? 8 : 0);
    if (count > 0)
      expect(stderr).toContain(
        "the service counts 41 rows, but returns 40; the complete file stays as it is",
      );
    now += 6 * hour;
  }
  expect(counts.flatMap((count, run) => (count > 0 ? [run] : []))).toEqual([0]);
  service.disturb({});
  expect((await sync()).exit).toBe(0);
  const [first] = await periodsBelow(root);
  expect(first?.name).toContain("date=2026-11-12/rows.parquet");
  expect(first?.footer).toMatchObject({ rows: 40, total_at: now });
  expect(first?.footer.contradicted).toBeUndefined();
});

test("unsettled rows are read again if their count or the newest of them has changed, and otherwise for one credit", async () => {
  const begin = seconds("2026-11-16T07:00:00Z");
  const busy = `0x${"b".repeat(40)}`;
  const recent = Array.from({ length: 120 }, (_, index) => rowAt(busy, begin + 900 + 20 * index));
  const serve = (busyRows: MarketPool["rows"]): void =>
    void pools.set(busy, { rows: busyRows, created: "2026-11-16T00:00:00Z" });
  serve(recent);
  expect((await sync([`ethereum:${busy}`, "--from", "2026-11-16"])).exit).toBe(0);
  now += 600;
  expect(await sync()).toMatchObject({ exit: 0, requests: { length: 1 } });
  const withLate = [rowAt(busy, begin + 890), ...recent];
  serve(withLate);
  expect(await sync()).toMatchObject({ exit: 0, requests: { length: 2 } });
  expect((await periodsBelow(root))[0]?.footer).toMatchObject({ rows: 121 });
  now += 120;
  // One goes, and another one comes.
  serve([...recent, rowAt(busy, now - 60)]);
  expect(await sync()).toMatchObject({ exit: 0, requests: { length: 2 } });
  expect((await periodsBelow(root))[0]?.footer).toMatchObject({
    rows: 121,
    last: { created_at: utc(now - 60) },
  });
});

test("complete candles that cannot be compared, because the time is unknown, are read once a day", async () => {
  expect((await sync([...candles("1m"), "--from", "2026-11-12"])).exit).toBe(0);
  now = seconds("2026-11-17T09:00:00Z");
  service.disturb({ date: null });
  const begin = seconds("2026-11-12T00:00:00Z");
  const asked = async (): Promise<boolean> =>
    (await sync()).requests.some((request) => startOf(request) === begin);
  expect(await asked()).toBe(true);
  now += hour;
  expect(await asked()).toBe(false);
  now += day;
  expect(await asked()).toBe(true);
});

test("an earlier start than the plan includes is said to be lost, and a complete month gets the rest", async () => {
  now = seconds("2026-10-06T08:00:00Z");
  service.disturb(limited(30 * day));
  expect((await sync([...candles("1h"), "--from", "2026-09-15"], "dev")).exit).toBe(0);
  now += hour;
  const widened = await sync([...candles("1h"), "--from", "2026-09-01"], "dev");
  expect(widened.exit).toBe(8);
  // The plan has candles from 2026-09-06T09:00:00Z on, and a request takes a while to arrive.
  const said = "rows from 2026-09-01T00:00:00Z to 2026-09-06T09:05:00Z are lost";
  expect(widened.stderr).toContain(
    `month=2026-09/rows.parquet: ${said} (the dev plan does not include them)`,
  );
  const [month] = await periodsBelow(root);
  const whole = new Set(
    rows
      .filter(({ created_at: at }) => at >= "2026-09-06T10" && at < "2026-10")
      .map(({ created_at: at }) => at.slice(0, 13)),
  );
  expect(month?.footer).toMatchObject({ state: "rows", rows: whole.size });
  const verified = await dexdata(["verify", root, "-o", "ndjson"], { now: now * 1000 });
  expect(verified.stdout).toContain("2026-09-01T00:00:00Z to 2026-09-06T09:05:00Z (plan dev)");
  for (let run = 0; run < 3; run += 1) {
    now += hour;
    const next = await sync([], "dev");
    expect([next.exit, next.requests.length]).toEqual([0, 1]);
  }
  // Another plan has them.
  service.disturb({});
  expect((await sync()).exit).toBe(0);
  expect((await periodsBelow(root))[0]?.footer).toMatchObject({ state: "rows", lost: [], rows: 30 * 20 });
});

test("starts that are earlier and earlier than the plan includes are each said to be lost, and not read again", async () => {
  now = seconds("2026-10-20T08:00:00Z");
  service.disturb(limited(7 * day));
  expect((await sync([...candles("1m"), "--from", "2026-10-18"], "free")).exit).toBe(0);
  const starts = ["2026-10-11", "2026-10-09"];
  for (const [index, from] of starts.entries()) {
    now += hour;
    const { exit, stderr } = await sync([...candles("1m"), "--from", from], "free");
    expect(exit).toBe(8);
    if (index > 0)
      expect(stderr).toContain(`rows from ${from}T00:00:00Z to ${starts[index - 1]}T00:00:00Z are lost`);
    now += hour;
    const next = await sync([], "free");
    expect(next.exit).toBe(0);
    expect(next.requests.filter((request) => startOf(request) < now - 7 * day).length).toBe(0);
  }
  expect((await dexdata(["verify", root], { now: now * 1000 })).exit).toBe(0);
  // Another plan has them all.
  service.disturb({});
  expect((await sync()).exit).toBe(0);
  expect((await periodsBelow(root))[0]?.footer).toMatchObject({ state: "rows", rows: 40, lost: [] });
});

test("a start that is not text is read like one", async () => {
  const list = path.join(folder, "list.ndjson");
  const line = (from: unknown): void =>
    writeFileSync(list, `${JSON.stringify({ chain: "ethereum", address: pool, from })}\n`);
  line(seconds("2026-11-13T00:00:00Z"));
  expect((await sync([`@${list}`])).exit).toBe(0);
  expect((await periodsBelow(root))[0]?.name).toContain("date=2026-11-13/");
  root += "-refused";
  line(["2026-11-13"]);
  const refused = await sync([`@${list}`]);
  expect(refused.exit).toBe(2);
  expect(refused.stderr).toContain("must be a time such as");
});

function storedBlocks(): ReturnType<ReturnType<typeof storedCandles>> {
  const read = storedCandles(root, () => "a local server");
  const target = { isSimulated: false, rest: service.url };
  const subject = { network: "ethereum", address: pool, kind: "pool" as const };
  return read(target, subject, "1m", ({ from }) => from < seconds("2026-11-15T00:00:00Z"));
}

test("--lake: the days of a month are read from one open file, so that each row group is decoded once", async () => {
  expect((await sync([...candles("1m"), "--from", "2026-11-12"])).exit).toBe(0);
  const found: string[] = [];
  for await (const { from } of storedBlocks()) {
    found.push(utc(from).slice(0, 10));
    for (const file of dataFiles(root)) rmSync(path.join(root, file));
  }
  expect(found).toEqual(["2026-11-14", "2026-11-13", "2026-11-12"]);
});

test("--lake: a file that is replaced while its candles are read does not give others in their place", async () => {
  expect((await sync([...candles("1m"), "--from", "2026-11-12"])).exit).toBe(0);
  const blocks = storedBlocks();
  const found = async () => {
    const { value } = await blocks.next();
    if (value === undefined) return undefined;
    const { from, candles: own } = value;
    return [utc(from).slice(0, 10), own.length, utc(own[0]?.opens ?? 0).slice(0, 10)];
  };
  expect(await found()).toEqual(["2026-11-14", 40, "2026-11-14"]);
  // Earlier days move all others within the file.
  now += hour;
  expect((await sync([...candles("1m"), "--from", "2026-11-10"])).exit).toBe(0);
  expect([undefined, "2026-11-13"]).toContain((await found())?.at(-1));
});

test("the estimate of candles that are compared has the requests of their second read", async () => {
  expect((await sync([...candles("1m"), "--from", "2026-11-05"])).exit).toBe(0);
  now += hour;
  const { stdout } = await sync(["--estimate", "-o", "json"]);
  const { requests } = await sync();
  expect(requests.length).toBeGreaterThan(10);
  expect(JSON.parse(stdout)).toMatchObject({ requests: requests.length, credits: requests.length });
});

test("a candle that a response has twice with different values is noted, and the later one is stored", async () => {
  service.disturb({ candles: (all) => all.flatMap((each) => [{ ...each, close: -1 }, each]).slice(1) });
  const { exit, stderr } = await sync([...candles("1m"), "--from", "2026-11-12"]);
  expect(exit).toBe(0);
  expect(stderr).toMatch(
    /^note: ohlcv \(1m\) of ethereum:\w+: \d+ candles were received twice with different values; dexdata keeps the later ones$/mu,
  );
  expect(stderr.match(/received twice/gu)?.length).toBe(1);
  const stored = await rowsBelow(root);
  expect(stored.length).toBeGreaterThan(100);
  expect(stored.filter(({ close }) => Number(close) < 0)).toEqual([]);
});
