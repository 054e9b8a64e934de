import { rmSync, truncateSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import { parseFaults, startSandbox } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { dataFiles, footerOf, hashesOf, rowsBelow, stampsOf } from "../harness/lake.ts";
import { json, startScriptedServer } from "../harness/scripted-server.ts";
import { rowsOf } from "../harness/rows.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const pool = "ethereum:0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f";
let now = Date.parse("2026-11-21T08:54:00Z");
let requests = 0;
let server: RunningSandbox | undefined;

beforeAll(async () => {
  const faults = parseFaults("reach=7d");
  server = await startSandbox({
    now: () => now,
    elapsed: () => performance.now(),
    requestsPerMinute: Number.POSITIVE_INFINITY,
    log: () => void (requests += 1),
    faults,
  });
});
afterAll(async () => await server?.close());

async function sync(words: readonly string[], tier: "free" | "dev" | "pro" = "pro") {
  if (server === undefined) throw new Error("the sandbox is not running");
  requests = 0;
  const { keys, restFree, restPaid } = server;
  const env = {
    DEXDATA_API_KEY: keys[tier],
    DEXDATA_TIER: tier,
    DEXDATA_BASE_URL: restFree,
    DEXDATA_PRO_BASE_URL: restPaid,
  };
  return await dexdata(["sync", ...words, "--rpm", "unlimited", "--error-format", "text"], { env, now });
}

const statesIn = (root: string): readonly string[] =>
  dataFiles(path.join(root, "transactions")).map((name) => name.split("/").slice(-2).join("/"));

test("days before the first rows of the service are one line and one range, and are never requested again", async () => {
  const root = path.join(folder, "reach");
  const first = await sync([root, pool, "--from", "2026-11-11", "--by", "day", "-o", "table"]);
  expect(first.exit).toBe(8);
  expect(first.stderr.match(/^warning: .*/gmu)).toEqual([
    expect.stringMatching(
      /are lost \(the service no longer has them\); the first rows of the following day may be missing, too, so it stays open$/u,
    ),
  ]);
  expect(first.stdout).toMatch(/LOST.+\n(?:\S+ +){2}8 +5 +3 +3 /u);
  expect(statesIn(root)).toEqual([
    "date=2026-11-14/open.parquet",
    ...["15", "16", "17", "18", "19"].map((day) => `date=2026-11-${day}/rows.parquet`),
    "date=2026-11-20/open.parquet",
    "date=2026-11-21/open.parquet",
  ]);
  const [cut = ""] = dataFiles(path.join(root, "transactions"));
  const footer = await footerOf(path.join(root, "transactions", cut));
  expect(footer.rows).toBeGreaterThan(10);
  expect(footer).toMatchObject({
    lost: [],
    before: [{ from: Date.parse("2026-11-11") / 1000, to: Date.parse("2026-11-14") / 1000, why: "reach" }],
  });
  const { exit, stdout } = await dexdata(["verify", root, "-o", "ndjson"]);
  expect({ exit, stdout }).toEqual({
    exit: 0,
    stdout: expect.stringContaining('"found":"2026-11-11T00:00:00Z to 2026-11-14T00:00:00Z (reach)"'),
  });
  const before = stampsOf(root);
  for (let again = 0; again < 2; again += 1) {
    expect(await sync([root])).toMatchObject({ exit: 0, stdout: "", stderr: "" });
    expect(requests).toBe(0);
  }
  expect(stampsOf(root)).toEqual(before);
  // Only --force asks again, which changes nothing here.
  expect((await sync([root, "--force"])).exit).toBe(0);
  expect(stampsOf(root)).toEqual(before);
});

test("days before the first file are counted as lost once, although its month gets new rows", async () => {
  const root = path.join(folder, "counted");
  const lostDays = async (words: readonly string[]): Promise<string | undefined> =>
    /LOST.+\n(?:\S+ +){5}(\d+) /u.exec((await sync([root, ...words, "-o", "table"])).stdout)?.[1];
  expect(await lostDays([pool, "--from", "2026-11-11"])).toBe("3");
  now += 3600 * 1000;
  expect(await lostDays([])).toBe("0");
  now -= 3600 * 1000;
});

test("a damaged file stays if nothing can replace it", async () => {
  const root = path.join(folder, "kept");
  const later = now;
  now = Date.parse("2026-11-18T08:54:00Z");
  expect((await sync([root, pool, "--from", "2026-11-12", "--by", "day"])).exit).toBe(0);
  now = later;
  expect((await sync([root])).exit).toBe(0);
  const whole = hashesOf(root);
  const [first = "", second = ""] = dataFiles(path.join(root, "transactions"));
  truncateSync(path.join(root, "transactions", first), 3000);
  rmSync(path.join(root, "transactions", second));
  const damaged = hashesOf(root);
  const outcome = await sync([root]);
  expect(outcome.exit).toBe(8);
  expect(outcome.stderr).toContain("the service no longer has all of its rows");
  const after = hashesOf(root);
  const kept = `transactions/${first}`;
  expect(after[kept]).toBe(damaged[kept]);
  // Nothing shows that the deleted file had rows.
  expect(statesIn(root)).toContain("date=2026-11-13/open.parquet");
  for (const [name, hash] of Object.entries(whole))
    if (![first, second].includes(name.replace(/^transactions\//u, ""))) expect(after[name]).toBe(hash);
  // The file is still damaged, so a later run must not end as if all were well.
  expect((await sync([root])).exit).toBe(8);
});

test("a day that was never compared a day later is lost, with its rows", async () => {
  const root = path.join(folder, "unconfirmed");
  const later = now;
  now = Date.parse("2026-11-12T12:00:00Z");
  expect((await sync([root, pool, "--from", "2026-11-12", "--by", "day"])).exit).toBe(0);
  now = Date.parse("2026-11-13T02:00:00Z");
  expect((await sync([root])).exit).toBe(0);
  now = later;
  expect((await sync([root])).exit).toBe(8);
  const name =
    dataFiles(path.join(root, "transactions")).find((each) => each.includes("date=2026-11-12")) ?? "";
  expect(name).toContain("lost.parquet");
  const footer = await footerOf(path.join(root, "transactions", name));
  expect(footer.rows).toBeGreaterThan(10);
  expect(footer.lost).toMatchObject([{ why: "unconfirmed" }]);
  // The next try loses nothing more of it.
  now = later + 25 * 3_600_000;
  expect((await sync([root])).stderr).not.toContain("date=2026-11-12");
  const again = await footerOf(path.join(root, "transactions", name));
  expect([again.rows, again.lost]).toMatchObject([footer.rows, [{ why: "unconfirmed" }]]);
  expect(again.lost[0]?.seen_at).toBeGreaterThan(footer.lost[0]?.seen_at ?? 0);
  now = later;
});

test("rows of the last hour of a run stay, although the service stops keeping them before the next run", async () => {
  const root = path.join(folder, "cut");
  const later = now;
  now = Date.parse("2026-11-13T03:00:00Z");
  expect((await sync([root, pool, "--from", "2026-11-13", "--by", "day"])).exit).toBe(0);
  const idsOf = async () =>
    (await rowsBelow(path.join(root, "transactions"))).map((row) => [row["id"], row["log_index"]]);
  const held = await idsOf();
  // The service has the last 20 minutes of that run, and no row from before them.
  now = Date.parse("2026-11-20T02:40:00Z");
  const next = await sync([root]);
  expect(next.exit).toBe(8);
  expect(next.stdout).not.toMatch(/"withdrawn":[1-9]/u);
  expect(await idsOf()).toEqual(expect.arrayContaining(held));
  now = later;
});

test("candles before the plan's reach are lost until a run on another plan requests them", async () => {
  const root = path.join(folder, "plan");
  const words = [root, pool, "--kind", "ohlcv", "--interval", "1h", "--from", "2026-11-01"];
  const first = await sync(words, "free");
  expect(first.exit).toBe(8);
  expect(first.stderr).toContain("the free plan does not include them");
  const name = (): string =>
    path.join(root, dataFiles(root).find((each) => each.includes("month=2026-11")) ?? "");
  expect(name()).toContain("open.parquet");
  const footer = await footerOf(name());
  expect(footer.lost).toMatchObject([{ why: "plan free" }]);
  expect((await sync([root], "free")).exit).toBe(0);
  expect((await footerOf(name())).lost).toEqual(footer.lost);
  expect((await sync([root], "pro")).exit).toBe(0);
  expect(await footerOf(name())).toMatchObject({
    lost: [],
    period: { from: Date.parse("2026-11-01") / 1000 },
  });
});

test("candles before the plan's reach are one warning for each asset", async () => {
  const words = [path.join(folder, "one"), pool, "--kind", "ohlcv", "--interval", "15m", "--from"];
  const { exit, stderr } = await sync([...words, "2026-11-01"], "free");
  expect([exit, stderr.match(/^warning: .*/gmu)]).toEqual([
    8,
    [
      `warning: ohlcv (15m) of ${pool}: rows from 2026-11-01T00:00:00Z to 2026-11-14T08:58:00Z are lost (the free plan does not include them)`,
    ],
  ]);
});

test("candles that a plan excluded are requested on another plan after the month has ended, too", async () => {
  const root = path.join(folder, "month-of-plan");
  const begun = now;
  const words = [root, pool, "--kind", "ohlcv", "--interval", "1h", "--from", "2026-11-01"];
  expect((await sync(words, "free")).exit).toBe(8);
  now = Date.parse("2026-12-03T00:00:00Z");
  await sync([root], "free");
  const [name = ""] = dataFiles(root);
  expect(name).toContain("month=2026-11/lost.parquet");
  expect((await footerOf(path.join(root, name))).lost).toMatchObject([
    { from: Date.parse("2026-11-01") / 1000, why: "plan free" },
  ]);
  expect((await sync([root], "pro")).exit).toBe(0);
  expect(dataFiles(root)[0]).toContain("month=2026-11/rows.parquet");
  now = begun;
});

const row = (index: number): object => ({
  id: `0x${String(index).padStart(64, "0")}`,
  log_index: index,
  token_0: `0x${"a".repeat(40)}`,
  token_1: `0x${"b".repeat(40)}`,
  amount_0: index,
  amount_1: -index,
  price_0: 1,
  price_1: 1,
  created_at_block_number: 1000 - index,
  created_at: new Date(Date.parse("2026-11-18T20:00:00Z") - index * 60_000)
    .toISOString()
    .replace(".000Z", "Z"),
});

test("a day whose count disagrees stays open, is read again a day later, and is then complete", async () => {
  let missing = 2;
  const rows = Array.from({ length: 30 }, (_, index) => row(index));
  const service = await startScriptedServer((request) => {
    const { path: asked, query } = request;
    const headers = { Date: new Date(now).toUTCString() };
    if (!asked.endsWith("/transactions"))
      return asked.includes("/pools/")
        ? json({ created_at: "2026-11-18T10:00:00Z" }, { headers })
        : json({}, { status: 404 });
    const [from, to] = ["from", "to"].map((name) => Number(query.get(name) ?? Number.NaN));
    const own = rows.filter((each) => {
      const at = Date.parse(String(Object(each).created_at)) / 1000;
      return !(at < (from ?? 0)) && !(at > (to ?? 0));
    });
    const page = Number(query.get("page") ?? "1");
    const total = own.length + (own.length > 0 ? missing : 0);
    const body = {
      transactions: page === 1 ? own : [],
      page_info: { limit: 100, page, total_items: total, total_pages: Math.ceil(total / 100) },
    };
    return json(body, { headers });
  });
  const root = path.join(folder, "disagree");
  const env = { DEXDATA_BASE_URL: service.url };
  const go = async (...more: readonly string[]) =>
    await dexdata(["sync", root, ...more, "--rpm", "unlimited", "--error-format", "text", "--retries", "1"], {
      env,
      now,
    });
  now = Date.parse("2026-11-21T08:00:00Z");
  const first = await go(pool, "--from", "2026-11-18", "--by", "day");
  expect(first.exit).toBe(8);
  expect(first.stderr).toContain("the service counts 32 rows, but returns 30; the file stays open");
  expect(statesIn(root)[0]).toBe("date=2026-11-18/open.parquet");
  const verified = await dexdata(["verify", root], { now });
  expect(verified.exit).toBe(0);
  expect(rowsOf(verified.stdout).filter(({ rule }) => rule === "H2")).toMatchObject([
    { rule: "H2", level: "note", field: "total", expected: "32 rows", found: "30 rows" },
  ]);
  const before = hashesOf(root);
  expect((await go()).exit).toBe(0);
  expect(hashesOf(root)).toEqual(before);
  now += 86_400_000;
  expect((await go()).exit).toBe(8);
  missing = 0;
  now += 86_400_000;
  const last = await go();
  expect(last).toMatchObject({ exit: 0, stderr: "" });
  expect(statesIn(root)[0]).toBe("date=2026-11-18/rows.parquet");
  await service.close();
});
