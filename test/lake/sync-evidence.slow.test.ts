import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dexdata, readRows } from "../harness/dexdata.ts";
import { secretMark } from "../harness/key-search.ts";
import { dataFiles, hashesOf, periodsBelow, rowsBelow } from "../harness/lake.ts";
import { type MarketPool, rowsOfDays, seconds, startMarketService, utc } from "../harness/market-service.ts";
import { html, json, type SeenRequest } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const [pool, other] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`];
const day = 86_400;
const days = Array.from({ length: 10 }, (_, index) => `2026-11-${11 + index}`);
const folder = temporaryFolder();
const paid = { DEXDATA_TIER: "pro", DEXDATA_API_KEY: `api_pro_${secretMark}_market` };
const pools = new Map<string, MarketPool>();
let now = 0;
let by = "month";
let root = "";
const service = await startMarketService(() => now, pools);

afterAll(service.close);
beforeEach(({ task }) => {
  now = seconds("2026-11-17T08:00:00Z");
  root = path.join(folder, by, task.name.replaceAll(/\W+/gu, "-"));
  pools.clear();
  for (const address of [pool, other])
    pools.set(address, { rows: rowsOfDays(address, days, 40), created: "2026-01-01T00:00:00Z" });
  disturb({});
});

const disturb: typeof service.disturb = (fault) => service.disturb(fault);

async function sync(...words: readonly string[]) {
  const before = service.requests.length;
  const outcome = await dexdata(
    ["sync", root, ...words, "--rpm", "unlimited", "--error-format", "text", "--retries", "1"],
    { env: { ...paid, DEXDATA_PRO_BASE_URL: service.url }, now: now * 1000 },
  );
  return { ...outcome, requests: service.requests.slice(before) };
}

const first = async (...words: readonly string[]) =>
  await sync(`ethereum:${pool}`, "--from", "2026-11-12", ...words, "--by", by);

/** Whether the request is for the rows of this day and later ones. */
function isOf(date: string, { query }: SeenRequest): boolean {
  const from = query.get("from") ?? query.get("start") ?? "";
  return seconds(/^\d+$/u.test(from) ? utc(Number(from)) : from) === seconds(`${date}T00:00:00Z`);
}

/** Such as `12 rows 40`: day, state and number of rows. */
async function states(): Promise<readonly string[]> {
  return (await periodsBelow(root)).map(({ name, footer: { rows } }) => {
    const [, date = "", state = ""] = /(?:date|month)=[\d-]*(\d\d)\/(\w+)\.parquet$/u.exec(name) ?? [];
    return `${date} ${state} ${rows}`;
  });
}

const complete = ["12", "13", "14", "15"].map((date) => `${date} rows 40`);

describe.each(["month", "day"] as const)("by %s", (partition) => {
  beforeAll(() => {
    by = partition;
  });

  test("L0: a shorter reach takes no row of a complete day", async () => {
    expect((await first()).exit).toBe(0);
    expect((await states()).slice(0, 4)).toEqual(complete);
    disturb({ reach: 3 * day });
    for (let run = 0; run < 4; run += 1) {
      now += day;
      await sync();
      expect((await states()).slice(0, 4)).toEqual(complete);
    }
    expect((await dexdata(["verify", root], { now: now * 1000 })).exit).toBe(0);
  });

  test("L0: a count of 0 for a complete day is only noted, and two reads that lack the same rows replace it", async () => {
    now = seconds("2026-11-16T08:00:00Z");
    expect((await first()).exit).toBe(0);
    now = seconds("2026-11-17T09:00:00Z");
    // The day is counted again on the fifth day.
    disturb((request) => (isOf("2026-11-12", request) ? { rows: (rows) => rows.slice(0, -5) } : {}));
    const noted = await sync();
    expect(noted.exit).toBe(8);
    expect(noted.stderr).toContain(
      "2026-11-12: the service no longer returns 5 of 40 rows; the file keeps them",
    );
    expect((await states())[0]).toBe("12 rows 40");
    expect((await periodsBelow(root))[0]?.footer).toMatchObject({ contradicted: { at: now, rows: 5 } });
    now += 1800;
    expect((await sync()).exit).toBe(0);
    expect((await states())[0]).toBe("12 rows 40");
    now += 1800;
    expect((await sync()).exit).toBe(0);
    expect((await states())[0]).toBe("12 rows 35");
    const [time = ""] = readdirSync(path.join(root, ".dexdata", "replaced"));
    const file = (await periodsBelow(root))[0]?.file ?? "";
    expect(existsSync(path.join(root, ".dexdata", "replaced", time, file))).toBe(true);
  });

  test("L0: rows are judged one by one, so another absence is not a confirmation", async () => {
    now = seconds("2026-11-16T08:00:00Z");
    expect((await first()).exit).toBe(0);
    now = seconds("2026-11-17T09:00:00Z");
    for (const count of [5, 7, 3, 9]) {
      disturb((request) => (isOf("2026-11-12", request) ? { rows: (rows) => rows.slice(count) } : {}));
      await sync();
      expect((await states())[0]).toBe("12 rows 40");
      now += 3600;
    }
    disturb({});
    expect((await sync()).exit).toBe(0);
    expect((await periodsBelow(root))[0]?.footer.contradicted).toBeUndefined();
  });

  test("a bit that flips among the rows of an open file is found when the file is written again, and the same run reads all of its day", async () => {
    await first();
    const undamaged = await states();
    const of17 = async () =>
      (await periodsBelow(root)).find(({ name: each }) => each.includes("date=2026-11-17/"));
    const name = (await of17())?.file ?? "";
    const bytes = readFileSync(path.join(root, name));
    bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
    writeFileSync(path.join(root, name), bytes);
    now += 7200;
    const found = await sync();
    // In a file by month, these are rows of its first day.
    expect(found.stderr).toContain(
      by === "day"
        ? `replaced ${path.join(root, name)}: the file has changed since it was written`
        : `${path.join(root, name)}: the rows of 2026-11-16 have changed and are read again`,
    );
    expect(found.exit).toBe(0);
    expect(await states()).toEqual([...undamaged.slice(0, 5), "17 open 20"]);
  });

  test("an old day without rows waits for its second read, which is a note of verify only if no run makes it", async () => {
    const rows = rowsOfDays(pool, days, 40).filter((row) => !row.created_at.startsWith("2026-11-14"));
    pools.set(pool, { rows, created: "2026-01-01T00:00:00Z" });
    expect((await first()).exit).toBe(0);
    expect((await states())[2]).toBe("14 open 0");
    const notes = async (): Promise<string> =>
      (await dexdata(["verify", root, "-o", "ndjson"], { now: now * 1000 })).stdout;
    expect(await notes()).toBe("");
    now += 28 * 3600;
    expect(await notes()).toContain("a complete period, which ended at 2026-11-15T00:00:00Z");
    expect((await sync()).exit).toBe(0);
    expect((await states())[2]).toBe("14 rows 0");
  });

  test("a day is not complete too early because the clock was ahead in an interrupted run", async () => {
    disturb(({ query }) => ({
      date: null,
      ...(query.get("page") === "2" && { reply: json({ error: "internal_error" }, { status: 500 }) }),
    }));
    const words = ["sync", root, `ethereum:${pool}`, "--from", "2026-11-12", "--retries", "0"];
    const env = { ...paid, DEXDATA_PRO_BASE_URL: service.url };
    expect((await dexdata(words, { env, now: (now + 2 * day) * 1000 })).exit).toBe(7);
    disturb({});
    expect((await sync()).exit).toBe(0);
    expect(await states()).toEqual([...complete, "16 open 40", "17 open 16"]);
  });

  test("L1: days that the service has cut are not complete, and are once it has them again", async () => {
    disturb({ reach: 3 * day });
    const outcome = await first();
    expect(outcome.exit).toBe(8);
    const said = outcome.stderr.match(
      /no row from before .*(?= first rows may be missing; the days? stays? open)/gu,
    );
    expect(said?.join().match(/2026-11-\d\d/gu)).toEqual(["2026-11-12", "2026-11-13", "2026-11-14"]);
    // The service has rows from 2026-11-14T08:00:00Z on.
    expect(await states()).toEqual([
      "12 open 0",
      "13 open 0",
      expect.stringMatching(/^14 open [12]\d$/u),
      "15 rows 40",
      "16 open 40",
      "17 open 16",
    ]);
    expect(outcome.requests.filter(({ query }) => query.get("limit") === "1").length).toBe(1);
    disturb({});
    now += day;
    expect((await sync()).exit).toBe(0);
    expect((await states()).slice(0, 5)).toEqual([...complete, "16 rows 40"]);
  });

  test("L1: when a listed pool was created is not asked for", async () => {
    const created_at = "2026-01-01T00:00:00Z";
    disturb({ reach: 3 * day });
    const list = path.join(folder, "list.ndjson");
    writeFileSync(list, JSON.stringify({ chain: "ethereum", id: pool, created_at }));
    const outcome = await sync(`@${list}`, "--from", "2026-11-12", "--by", by);
    expect(outcome.stderr).toContain("first rows may be missing; the day");
    expect(outcome.requests.filter(({ path: asked }) => asked.endsWith(`/pools/${pool}`))).toEqual([]);
  });

  test("L1: a row of any other pool is a witness, and a run needs one request for it", async () => {
    const rows = rowsOfDays(other, days, 40).filter((row) => row.created_at >= "2026-11-12T05");
    pools.set(other, { rows, created: "2026-01-01T00:00:00Z" });
    const outcome = await sync(`ethereum:${other}`, `ethereum:${pool}`, "--from", "2026-11-12");
    expect(outcome).toMatchObject({ exit: 0, stderr: "" });
    expect((await states()).filter((each) => each.startsWith("12"))).toEqual(["12 rows 40", "12 rows 30"]);
    expect(outcome.requests.filter(({ query }) => query.get("limit") === "1").length).toBeLessThanOrEqual(2);
  });

  test("L1: a pool that was created later needs no older row", async () => {
    const rows = rowsOfDays(pool, days.slice(2), 40);
    pools.set(pool, { rows, created: "2026-11-13T00:02:00Z" });
    await first();
    expect((await states()).slice(0, 3)).toEqual(["12 open 0", "13 rows 40", "14 rows 40"]);
    now += 3600;
    // The second empty answer is believed.
    expect((await sync()).exit).toBe(0);
    expect((await states())[0]).toBe("12 rows 0");
  });

  test("L2: the reach passes a day while the run waits", async () => {
    const edge = seconds("2026-11-12T00:00:00Z");
    now = edge + 7 * day - 300;
    disturb((request) => {
      // The response to the oldest day comes ten hours later.
      if (isOf("2026-11-12", request)) now = edge + 7 * day + 10 * 3600;
      return { reach: 7 * day };
    });
    await first();
    expect((await states())[0]).not.toContain("rows");
  });

  test("L3: one empty response at the final reading takes nothing", async () => {
    now = seconds("2026-11-13T12:00:00Z");
    expect((await first()).exit).toBe(0);
    expect((await states())[0]).toBe("12 open 40");
    now = seconds("2026-11-14T01:00:00Z");
    disturb((request) => ({ isEmpty: isOf("2026-11-12", request) }));
    await sync();
    expect((await states())[0]).toBe("12 open 40");
    disturb({});
    for (let run = 0; run < 2; run += 1) {
      now += day;
      expect((await sync()).exit).toBe(0);
    }
    expect((await states()).slice(0, 2)).toEqual(complete.slice(0, 2));
  });

  test("a first reading without rows stays open until the next run", async () => {
    const rows = rowsOfDays(pool, days, 40).filter((row) => !row.created_at.startsWith("2026-11-13"));
    pools.set(pool, { rows, created: "2026-01-01T00:00:00Z" });
    expect((await first()).exit).toBe(0);
    expect((await states()).slice(0, 3)).toEqual(["12 rows 40", "13 open 0", "14 rows 40"]);
    now += 3600;
    expect((await sync()).exit).toBe(0);
    expect((await states())[1]).toBe("13 rows 0");
  });

  test("L4: a shorter response takes no candle, and one that was cut at first is completed by the second read", async () => {
    const words = ["--kind", "ohlcv", "--interval", "1m"];
    disturb((request) => (isOf("2026-11-12", request) ? { candles: (all) => all.slice(6) } : {}));
    now = seconds("2026-11-14T00:00:00Z");
    expect((await first(...words)).exit).toBe(0);
    expect((await states())[0]).toBe("12 rows 34");
    disturb({});
    now = seconds("2026-11-17T01:00:00Z");
    expect((await sync()).exit).toBe(0);
    expect((await states())[0]).toBe("12 rows 40");
    disturb({ candles: (all) => all.slice(0, 29) });
    now += day;
    await sync();
    expect((await states()).slice(0, 2)).toEqual(["12 rows 40", "13 rows 40"]);
    expect((await dexdata(["verify", root], { now: now * 1000 })).exit).toBe(0);
  });

  test("a day without candles needs no older row, so it is not a problem, and the next run completes it", async () => {
    const rows = rowsOfDays(pool, days, 40).filter((row) => !row.created_at.startsWith("2026-11-12"));
    pools.set(pool, { rows, created: "2026-01-01T00:00:00Z" });
    const outcome = await first("--kind", "ohlcv", "--interval", "1m");
    expect({ exit: outcome.exit, stderr: outcome.stderr }).toEqual({ exit: 0, stderr: "" });
    expect((await states())[0]).toBe("12 open 0");
    now += 3600;
    expect((await sync()).exit).toBe(0);
    expect((await states())[0]).toBe("12 rows 0");
  });

  test("L5: a Date header three days ahead completes no day, and neither does a local clock", async () => {
    for (const [name, date, local] of [
      ["one header", 3 * day, 0],
      ["the local clock", 0, 2 * day],
      ["the local clock without a header", null, 2 * day],
    ] as const) {
      root = path.join(folder, by, name);
      now = seconds("2026-11-14T20:00:00Z");
      const served = now;
      const clocked = await startMarketService(() => served, pools);
      let count = 0;
      clocked.disturb(() => ({ date: date === 3 * day && (count += 1) > 1 ? 0 : date }));
      const words = ["sync", root, `ethereum:${pool}`, "--from", "2026-11-12", "--error-format", "text"];
      const env = { ...paid, DEXDATA_PRO_BASE_URL: clocked.url };
      const outcome = await dexdata(words, { env, now: (now + local) * 1000 });
      await clocked.close();
      expect(outcome.stderr, name).toContain("no file was completed in this run");
      expect((await states()).filter((each) => each.includes("rows"))).toEqual([]);
      root = path.join(folder, by, name);
      now += 86_400;
      expect((await sync()).exit, name).toBe(0);
      now += 2 * day;
      await sync();
      expect((await states()).slice(0, 3), name).toEqual(complete.slice(0, 3));
    }
  });

  test("L6: rows of another pool are not stored, and the day stays open", async () => {
    const foreign = rowsOfDays(other, ["2026-11-13"], 7).map((row) => ({ ...row, log_index: 9 }));
    disturb(({ path: asked, query }) =>
      asked.endsWith("transactions") && query.get("limit") === "100"
        ? { rows: (rows) => [...rows, ...foreign].toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1)) }
        : {},
    );
    const outcome = await first();
    expect(outcome.exit).not.toBe(0);
    expect((await rowsBelow(root)).filter((row) => row["pool_id"] === other)).toEqual([]);
    expect((await states()).filter((each) => each.includes("rows"))).toEqual([]);
    disturb({});
    now += day;
    expect((await sync()).exit).toBe(0);
    expect((await states()).slice(0, 4)).toEqual(complete);
  });

  test("a run with nothing to complete sends no request for a witness", async () => {
    expect((await first()).exit).toBe(0);
    const before = hashesOf(root);
    now += 3600;
    const { requests, exit } = await sync();
    expect({ exit, requests: requests.length }).toEqual({ exit: 0, requests: 1 });
    for (const [name, hash] of Object.entries(before))
      if (name.endsWith("rows.parquet")) expect(hashesOf(root)[name]).toBe(hash);
  });

  test("a request for a witness that fails keeps what was read for the next run", async () => {
    disturb(({ query }) =>
      query.get("limit") === "1" ? { reply: json({ message: "broken" }, { status: 500 }) } : {},
    );
    expect((await first()).exit).not.toBe(0);
    disturb({});
    const { exit, requests } = await sync();
    expect(exit).toBe(0);
    expect((await states()).slice(0, 4)).toEqual(complete);
    expect(requests.filter(({ path: asked }) => asked.endsWith("transactions")).length).toBe(1);
  });

  test("L11: a start of 0001 begins at the creation of the pool, with one range and no line for each day", async () => {
    pools.set(pool, { rows: rowsOfDays(pool, days, 20), created: "2026-09-01T10:00:00Z" });
    disturb({ reach: 7 * day });
    const outcome = await sync(`ethereum:${pool}`, "--from", "0001-01-01");
    expect(outcome.exit).toBe(8);
    expect(outcome.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(3);
    expect(outcome.stderr).toContain("rows from 2026-09-01T00:00:00Z to 2026-11-10T00:00:00Z are lost");
    expect(dataFiles(root).length).toBeLessThan(10);
    const footer = (await periodsBelow(root))[0]?.footer;
    expect(footer?.before?.map(({ from, to, why }) => [from, to, why])).toEqual([
      [seconds("2015-01-01T00:00:00Z"), seconds("2026-09-01T00:00:00Z"), "created"],
      [seconds("2026-09-01T00:00:00Z"), seconds("2026-11-10T00:00:00Z"), "reach"],
    ]);
    // One request says when the pool was created, and tells nothing about where its rows begin.
    const records = outcome.requests.filter(({ path: asked }) => asked.endsWith(`/pools/${pool}`)).length;
    expect(records).toBe(1);
    const verified = await dexdata(["verify", root], { now: now * 1000 });
    expect(verified.exit).toBe(0);
    expect((await sync()).requests).toEqual([]);
  });

  test("L14: a token that is not found is requested again a day later", async () => {
    disturb(({ path: asked }) =>
      asked.includes("/tokens/0xaa") ? { reply: json({ message: "token not found" }, { status: 404 }) } : {},
    );
    expect((await first()).exit).toBe(0);
    const table = async () =>
      (await readRows(path.join(root, "tokens.parquet"))).map((line) => JSON.parse(line));
    expect(await table()).toEqual([
      { network: "ethereum", token: `0x${"a".repeat(40)}`, absent_at: "2026-11-17T08:00:00Z" },
      { network: "ethereum", token: `0x${"b".repeat(40)}`, symbol: "T", decimals: 6 },
    ]);
    disturb({});
    now += 3600;
    const asked = ({ requests }: Awaited<ReturnType<typeof sync>>) =>
      requests.filter((request) => request.path.includes("/tokens/")).length;
    expect(asked(await sync())).toBe(0);
    now += day;
    expect(asked(await sync())).toBe(1);
    expect((await table())[0]).toMatchObject({ symbol: "T", decimals: 6 });
  });

  test("a web page says nothing about a token, which is requested again by the next run", async () => {
    disturb(({ path: asked }) => (asked.includes("/tokens/0xaa") ? { reply: html(404) } : {}));
    expect((await first()).exit).toBe(0);
    const tokens = (await readRows(path.join(root, "tokens.parquet"))).map((line) => JSON.parse(line).token);
    expect(tokens).toEqual([`0x${"b".repeat(40)}`]);
  });

  test("L16: one 403 is a failure of that asset, and the others continue", async () => {
    disturb(({ path: asked }) =>
      asked.includes(pool) ? { reply: json({ message: "forbidden" }, { status: 403 }) } : {},
    );
    const outcome = await sync(`ethereum:${pool}`, `ethereum:${other}`, "--from", "2026-11-12");
    expect(outcome.exit).toBe(8);
    expect((await periodsBelow(root)).length).toBe(6);
    root = path.join(folder, by, "all forbidden");
    disturb({ reply: json({ message: "forbidden" }, { status: 403 }) });
    expect((await first()).exit).toBe(4);
  });

  test.each([
    ["403", json({ message: "forbidden" }, { status: 403 }), 4],
    ["an HTML page", html(404), 7],
  ])("%s for the first assets ends the run", async (what, reply, exit) => {
    root = path.join(folder, by, what);
    disturb({ reply });
    const assets = Array.from({ length: 20 }, (_, index) => `ethereum:0x${`${index}`.padStart(40, "0")}`);
    const outcome = await sync(...assets, "--from", "2026-11-12");
    expect(outcome.exit).toBe(exit);
    expect(new Set(outcome.requests.map((request) => request.path)).size).toBeLessThan(assets.length);
  });
});
