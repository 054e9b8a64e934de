import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { isObject, member } from "../../src/base/json/json-scan.ts";
import { createServiceClock } from "../../src/lake/lake.ts";
import { dexdata, run as runIn } from "../harness/dexdata.ts";
import { startDisturbingProxy } from "../harness/disturbing-proxy.ts";
import { dataFiles, periodsBelow, rowsBelow } from "../harness/lake.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { html, json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";

const hour = 3_600_000;
const folder = temporaryFolder();
let now = sandboxNow;
let root = "";
let watched: TestContext | undefined;
/** While a run is watching, its clock is the service's. */
const serviceNow = (): number => {
  if (watched === undefined) return now;
  if (watched.clock.elapsed() > 270_000) watched.interrupt({ cause: "SIGTERM" });
  return watched.clock.now();
};
const sandbox = useSandbox({ now: serviceNow, requestsPerMinute: Number.POSITIVE_INFINITY });

beforeEach(({ task }) => {
  now = sandboxNow;
  root = path.join(folder, task.name.replaceAll(/\W+/gu, "-").slice(0, 60));
  sandbox.takeLog();
});

async function run(...words: readonly string[]) {
  const outcome = await dexdata([...words, "--error-format", "text"], { env: sandbox.env(), now });
  return { ...outcome, requests: sandbox.takeLog().length };
}
const sync = async (...words: readonly string[]) => await run("sync", root, ...words);
const assets = (): string => readFileSync(path.join(root, "assets.ndjson"), "utf8");

async function stored(): Promise<readonly object[]> {
  return (await rowsBelow(root)).filter(isObject);
}

/** What a search has of this pool now. */
async function search(row: object): Promise<unknown> {
  const created = String(member(row, "created_at"));
  const words = [
    "pools",
    "search",
    "ethereum",
    "--created-after",
    created,
    "--created-before",
    created,
    "--all",
  ];
  const { stdout } = await run(...words, "-o", "ndjson");
  const rows: readonly unknown[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const found = rows.find((each) => member(each, "id") === member(row, "id"));
  // A stored row has no nulls.
  return Object.fromEntries(Object.entries(Object(found)).filter(([, value]) => value !== null));
}

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const quietPool = "0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f";
const busy = "ethereum --volume-usd-24h-min 100k --limit 250";

test("every hour has the search's rows in order, with the time that their values are from", async () => {
  const first = await sync("--search", busy, "--list", "big");
  expect([first.exit, first.requests]).toEqual([0, 2]);
  expect(assets()).toBe(
    `{"kind":"pools","list":"big","every":"1h","from":"2026-11-21T08:00:00Z","search":"${busy}"}\n`,
  );
  const again = await sync();
  expect([again.exit, again.requests]).toEqual([0, 0]);
  now += hour;
  expect((await sync()).exit).toBe(0);
  expect(dataFiles(root)).toEqual(["pools/network=ethereum/list=big/month=2026-11/rows.parquet"]);
  const rows = await stored();
  const periods = [...new Set(rows.map((row) => member(row, "period")))];
  expect(periods).toEqual(["2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z"]);
  const ranks = rows.filter((row) => member(row, "period") === periods[0]).map((row) => member(row, "rank"));
  expect(ranks).toEqual(ranks.map((_, index) => index + 1));
  for (const row of [rows[0], rows[70], rows.at(-1)]) {
    if (row === undefined) throw new Error("no rows");
    now = Date.parse(String(member(row, "as_of")));
    expect(row).toMatchObject({ ...Object(await search(row)), tokens: expect.anything() });
  }
  now = sandboxNow + hour;
  expect((await run("verify", root)).stdout).toBe("");
});

test("periods without a run are lost, also over days and months, and nothing takes their place", async () => {
  now = Date.parse("2026-11-29T22:10:00Z");
  await sync("--search", "ethereum --limit 5");
  now = Date.parse("2026-12-02T03:30:00Z");
  const late = await sync("-o", "table");
  expect([late.exit, late.stderr.trimEnd().split("\n")]).toEqual([
    8,
    [
      "warning: pools of ethereum:search: rows from 2026-11-29T23:00:00Z to 2026-12-02T03:00:00Z are lost (no file has them, and the service has no history of them)",
    ],
  ]);
  expect(late.stdout).toMatch(/ COMPLETE +OPEN +LOST .*\n.* 2 +2 +0 +2 +10 /u);
  const lost = (await periodsBelow(root)).map(({ footer }) => [footer.rows, ...footer.lost]);
  expect(lost.map(([rows]) => rows)).toEqual([5, 0, 0, 5]);
  const ranges = lost.map(([, range]) => [member(range, "from"), member(range, "to"), member(range, "why")]);
  const at = (text: string): number => Date.parse(`${text}:00:00Z`) / 1000;
  expect(ranges).toEqual([
    [at("2026-11-29T23"), at("2026-11-30T00"), "missed"],
    [at("2026-11-30T00"), at("2026-12-01T00"), "missed"],
    [at("2026-12-01T00"), at("2026-12-02T00"), "missed"],
    [at("2026-12-02T00"), at("2026-12-02T03"), "missed"],
  ]);
  now += hour;
  const next = await sync();
  expect([next.exit, next.requests]).toEqual([0, 1]);
  const verified = await run("verify", root);
  expect([verified.exit, verified.stdout.split("\n").length]).toEqual([0, 5]);
});

test("a listed pool costs one request per period, and its creation is asked for once", async () => {
  const first = await sync(`ethereum:${pool}`, "--kind", "pools", "--every", "5m");
  expect([first.exit, first.requests]).toEqual([0, 2]);
  now += 300_000;
  expect((await sync()).requests).toBe(1);
  const [one] = await stored();
  expect(one).toMatchObject({ id: pool, period: "2026-11-21T08:50:00Z" });
  writeFileSync(
    path.join(folder, "more.ndjson"),
    `${JSON.stringify(one)}\n{"chain":"ethereum","id":"0xc7bbec68d12a0d1830360f8ec58fa599ba1b0e9b"}\n`,
  );
  expect((await sync(`@${folder}/more.ndjson`, "--kind", "pools")).stderr).toContain("exists, with another");
  now += 300_000;
  const more = await sync(`@${folder}/more.ndjson`, "--kind", "pools", "--every", "5m");
  expect([more.exit, more.requests]).toEqual([0, 3]);
  expect(assets().trimEnd().split("\n")).toHaveLength(3);
  now += 300_000;
  expect((await sync()).requests).toBe(2);
});

test.each([
  [1, 3, ""],
  [2, 2, "note: pools of ethereum:pools: the service did not return 1 pool\n"],
])("a pool that %i responses lack: it is requested once more", async (lacking, count, said) => {
  const { stdout: found } = await run("pools", "search", "ethereum", "--limit", "3", "-o", "ndjson");
  const list = path.join(folder, `three-${lacking}.ndjson`);
  writeFileSync(list, found);
  const [second = {}] = [JSON.parse(found.split("\n")[1] ?? "")];
  const created = String(Date.parse(String(member(second, "created_at"))) / 1000);
  const { restPaid } = sandbox.running();
  let left = lacking;
  const server = await serveInTest(async ({ url, query, headers }) => {
    const response = await fetch(restPaid + url, {
      headers: { authorization: String(headers.authorization) },
    });
    const date = response.headers.get("date") ?? "";
    const isLacking = query.get("created_after") === created && left > 0;
    if (isLacking) left -= 1;
    return json(isLacking ? { results: [], has_next_page: false } : await response.text(), {
      headers: { date },
    });
  });
  const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: server.url };
  const words = ["sync", root, `@${list}`, "--kind", "pools", "--error-format", "text"];
  const { exit, stderr } = await dexdata(words, { env, now });
  expect([exit, stderr, (await stored()).length, left]).toEqual([0, said, count, 0]);
});

test.each([
  [1, 2, 5],
  [2, 7, 0],
])(
  "a search of an earlier run that %i responses show as empty: it is requested once more",
  async (empty, requests, ranked) => {
    await sync("--search", "ethereum --limit 5");
    now += hour;
    const { restPaid } = sandbox.running();
    let left = empty;
    const server = await serveInTest(async ({ url, query, headers }) => {
      const authorization = String(headers.authorization);
      const response = await fetch(restPaid + url, { headers: { authorization } });
      const isEmpty = !query.has("created_after") && left > 0;
      if (isEmpty) left -= 1;
      const date = response.headers.get("date") ?? "";
      const body = await response.text();
      return json(isEmpty ? { results: [], has_next_page: false } : body, { headers: { date } });
    });
    sandbox.takeLog();
    const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: server.url };
    const outcome = await dexdata(["sync", root, "--error-format", "text"], { env, now });
    expect([outcome.exit, outcome.stderr, left]).toEqual([0, "", 0]);
    expect([sandbox.takeLog().length, (await stored()).length]).toEqual([requests, 10]);
    const ranks = (await stored()).slice(5).map((row) => member(row, "rank") ?? null);
    expect(ranks.filter((rank) => rank !== null).length).toBe(ranked);
  },
);

test("a pool that leaves the search is read for a day more", async () => {
  await sync("--search", "ethereum --order-by price_change_percentage_1h --limit 3", "--every", "12h");
  for (let index = 0; index < 4; index += 1) {
    now += 12 * hour;
    expect((await sync()).exit).toBe(0);
  }
  const rows = await stored();
  const listed = new Map<unknown, number>();
  const last = new Map<unknown, number>();
  for (const row of rows) {
    const period = Date.parse(String(member(row, "period")));
    last.set(member(row, "id"), period);
    if (typeof member(row, "rank") === "number") listed.set(member(row, "id"), period);
  }
  const end = Math.floor(now / hour / 12) * hour * 12;
  expect([...listed.values()].some((left) => left < end - 24 * hour)).toBe(true);
  for (const [id, left] of listed) expect(last.get(id)).toBe(Math.min(left + 24 * hour, end));
});

test("a run that ends early keeps the pages that it has paid for", async () => {
  const early = await sync("--search", "ethereum --limit 300", "--max-credits", "2", "--parallel", "1");
  expect(early.exit).toBe(5);
  expect(dataFiles(root)).toEqual([]);
  now += 60_000;
  // The list is in assets.ndjson.
  const rest = await sync();
  expect([rest.exit, early.requests + rest.requests]).toEqual([0, 3]);
  const rows = await stored();
  expect(rows).toHaveLength(300);
  // The sandbox continues the list as it was at the first page.
  expect(new Set(rows.map((row) => member(row, "as_of"))).size).toBe(1);
  expect(readdirSync(path.join(root, ".dexdata", "work"))).toEqual([]);
});

test.each([
  ["refuses connections", 0],
  ["fails", 500],
])("a service that %s says nothing about a search, which is stored", async (_, status) => {
  const server = await serveInTest(() => json({ error: "internal" }, { status }));
  if (status === 0) await server.close();
  const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: server.url };
  const words = ["sync", root, "--search", "ethereum --limit 5", "--retries", "0"];
  expect((await dexdata(words, { env, now })).exit).toBe(7);
  expect(assets()).toContain('"search":"ethereum --limit 5"');
  expect((await sync()).exit).toBe(0);
  expect(assets().trimEnd().split("\n").length).toBe(1);
});

test("a list is stored before its first request, so that a killed run does not forget it", async () => {
  let before = "";
  const server = await serveInTest(() => {
    before = assets();
    return json({ error: "not_found" }, { status: 404 });
  });
  const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: server.url };
  const words = ["sync", root, `ethereum:${pool}`, "--kind", "ohlcv,pools"];
  expect((await dexdata(words, { env, now })).exit).toBe(3);
  expect(before).toContain('"kind":"pools"');
  // The service does not know what the list names.
  expect(assets()).not.toContain('"kind":"pools"');
});

test.each([
  ["a list of pools", ["--search", "ethereum --limit 5"], '"results":', '"results":7,"rows":'],
  ["transactions", [`ethereum:${pool}`, "--from", "2026-11-21"], '"created_at":"', '"created_at":"x'],
])("an invalid response for %s is requested again by the next run", async (_, words, valid, invalid) => {
  const { restPaid } = sandbox.running();
  const server = await serveInTest(async ({ url, headers }) => {
    const response = await fetch(restPaid + url, {
      headers: { authorization: String(headers.authorization) },
    });
    const date = response.headers.get("date") ?? "";
    return json((await response.text()).replaceAll(valid, invalid), { headers: { date } });
  });
  const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: server.url };
  const { exit, stderr } = await dexdata(["sync", root, ...words], { env, now });
  expect([exit, stderr]).toEqual([1, expect.stringContaining("invalid response")]);
  expect((await sync()).exit).toBe(0);
});

/** Changes a byte of the first or of the last row group. */
function damage(file: string, day: "first" | "last"): void {
  const bytes = readFileSync(file);
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  const at = day === "first" ? 300 : footer - 100;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

test.each(["first", "last"] as const)(
  "the %s day is damaged: it is kept aside, and named lost",
  async (day) => {
    await sync("--search", "ethereum --limit 5");
    now += 24 * hour;
    await sync();
    damage(path.join(root, dataFiles(root)[0] ?? ""), day);
    now += hour;
    const found = await sync();
    expect(found.stderr).toContain("the earlier file is in .dexdata/replaced");
    now += hour;
    const next = await sync();
    expect([found.exit, next.exit, next.stderr]).toEqual([8, 0, ""]);
    expect(found.stderr).toContain("are lost (their file was damaged");
    expect(readdirSync(path.join(root, ".dexdata", "replaced")).length).toBe(1);
    const days = (await periodsBelow(root)).map(({ footer }) => footer.rows);
    expect(days).toEqual(day === "first" ? [0, 16] : [5, 11]);
    const reasons = (await periodsBelow(root)).flatMap(({ footer }) => footer.lost.map(({ why }) => why));
    expect(reasons).toEqual(day === "first" ? ["damaged", "missed"] : ["missed", "damaged"]);
    expect((await run("verify", root)).exit).toBe(0);
  },
);

test("a damaged file of a list that is not due is named, and kept", async () => {
  now = Date.parse("2026-11-30T22:10:00Z");
  await sync("--search", "ethereum --limit 5");
  now += 3 * hour;
  await sync();
  const file = path.join(root, dataFiles(root)[0] ?? "");
  expect(file).toContain("month=2026-11");
  damage(file, "first");
  const bytes = readFileSync(file);
  const advice = "the service has no history of pools, so sync keeps the file: restore it from a backup";
  expect(await sync()).toMatchObject({ exit: 0, requests: 0, stderr: "" });
  const forced = await sync("--force");
  expect([forced.exit, forced.requests, forced.stderr]).toEqual([8, 0, expect.stringContaining(`${file}: `)]);
  expect(forced.stderr).toContain(advice);
  bytes.fill(0, bytes.length - 6);
  writeFileSync(file, bytes);
  expect(await sync()).toMatchObject({ exit: 8, requests: 0, stderr: expect.stringContaining(advice) });
  expect(readFileSync(file).equals(bytes)).toBe(true);
});

test("--watch reads each period of the lists until a signal arrives", async () => {
  const env = sandbox.env();
  watched = createTestContext({ flows: true, now, env });
  const words = ["sync", root, "--search", "ethereum --limit 5", "--every", "1m", "--watch", "-o", "ndjson"];
  const { exit, stdout, stderr } = await runIn(words, watched);
  watched = undefined;
  expect([exit, stderr]).toEqual([143, expect.not.stringContaining("error")]);
  expect(stderr).toMatch(/^note: recording 1 list: about 60 credits\/hour, 43,200 a month\n/u);
  const ends = stdout
    .trimEnd()
    .split("\n")
    .map((line) => String(member(JSON.parse(line), "settled_to")).slice(11, 16));
  expect(ends).toEqual(["08:55", "08:56", "08:57", "08:58", "08:59"]);
});

async function watchThrough(
  disturbances: Parameters<typeof startDisturbingProxy>[1],
  every = "1m",
  flags: readonly string[] = [],
) {
  const proxy = await startDisturbingProxy(sandbox.running().restPaid, disturbances);
  watched = createTestContext({
    flows: true,
    now,
    env: { ...sandbox.env(), DEXDATA_PRO_BASE_URL: proxy.url },
  });
  const words = ["sync", root, "--search", "ethereum --limit 5", "--every", every, "--watch", ...flags];
  const ended = await runIn(words, watched);
  watched = undefined;
  await proxy.close();
  return ended;
}

test("--watch outlasts an outage: the periods that pass are lost and recorded, and the next ones are read", async () => {
  const isOut = (): boolean => {
    const at = (watched?.clock.now() ?? 0) - sandboxNow;
    return at > 90_000 && at < 210_000;
  };
  const arrived = (): void => {
    if (isOut()) throw new Error("the connection is closed");
  };
  const { exit, stderr } = await watchThrough({ arrived });
  expect(exit).toBe(143);
  expect(stderr).toContain(
    "rows from 2026-11-21T08:56:00Z to 2026-11-21T08:58:00Z are lost (no file has them",
  );
  const periods = [...new Set((await stored()).map((row) => String(member(row, "period")).slice(11, 16)))];
  expect(periods).toEqual(["08:54", "08:55", "08:58"]);
  const [day] = await periodsBelow(root);
  expect(day?.footer.lost.map(({ from, to, why }) => [from, to, why])).toEqual([
    [Date.parse("2026-11-21T08:56:00Z") / 1000, Date.parse("2026-11-21T08:58:00Z") / 1000, "missed"],
  ]);
});

const shownPeriods = async (): Promise<readonly string[]> => [
  ...new Set((await stored()).map((row) => String(member(row, "period")).slice(11, 16))),
];

/** Whether the watch has run for this many seconds. */
const isWithin = (from: number, to: number): boolean => {
  const at = (watched?.clock.elapsed() ?? 0) / 1000;
  return at > from && at < to;
};

test("--watch reads a period that began in an outage before the period ends", async () => {
  const arrived = (): void => {
    if (isWithin(50, 100)) throw new Error("the connection is closed");
  };
  const { exit, stderr } = await watchThrough({ arrived }, "5m");
  expect(exit).toBe(143);
  expect(stderr).not.toContain("are lost");
  expect(await shownPeriods()).toEqual(["08:50", "08:55"]);
});

test("--watch reports a failed round in the format of errors", async () => {
  const arrived = (): void => {
    if (isWithin(50, 100)) throw new Error("the connection is closed");
  };
  const { stderr } = await watchThrough({ arrived });
  const lines = stderr.split("\n").filter((line) => line.startsWith("{"));
  expect(lines.map((line) => member(JSON.parse(line), "exit"))).toEqual([7]);
});

test("--watch gives the hint of an outage once, although several rounds fail", async () => {
  const arrived = (): void => {
    if (isWithin(50, 230)) throw new Error("the connection is closed");
  };
  const { stderr } = await watchThrough({ arrived }, "1m", ["--error-format", "text"]);
  expect(stderr.match(/^error: /gmu)?.length).toBeGreaterThan(1);
  expect(stderr.match(/^ {2}hint: check the host name/gmu)).toHaveLength(1);
});

test.each([403, 404, 200])("--watch outlasts HTML pages with status %i", async (status) => {
  const balancer = await serveInTest(() => html(status));
  const service = (): string => (isWithin(50, 100) ? balancer.url : sandbox.running().restPaid);
  const { exit, stderr } = await watchThrough({ service });
  expect([exit, stderr]).toEqual([
    143,
    expect.stringContaining("08:55:00Z to 2026-11-21T08:56:00Z are lost"),
  ]);
  expect(await shownPeriods()).toEqual(["08:54", "08:56", "08:57", "08:58"]);
});

test("a clock that is ahead of the service's does not move a period", async () => {
  const { exit, stderr } = await dexdata(["sync", root, "--search", "ethereum --limit 5"], {
    env: sandbox.env(),
    now: now + 3 * hour,
  });
  expect([exit, stderr]).toEqual([0, expect.stringContaining("ahead of")]);
  const periods = (await stored()).map((row) => member(row, "period"));
  sandbox.takeLog();
  expect(new Set(periods)).toEqual(new Set(["2026-11-21T08:00:00Z"]));
  expect((await sync()).requests).toBe(0);
  expect((await run("verify", root)).exit).toBe(0);
});

/** Runs behind a proxy that moves the `Date` header by these days, or leaves it out. */
async function syncMoved(days: number | undefined, ...words: readonly string[]) {
  const moved = (date = ""): string => new Date(Date.parse(date) + (days ?? 0) * 24 * hour).toUTCString();
  const proxy = await startDisturbingProxy(sandbox.running().restPaid, {
    date: (date) => (days === undefined ? undefined : moved(date)),
  });
  const env = { ...sandbox.env(), DEXDATA_PRO_BASE_URL: proxy.url };
  const outcome = await dexdata(["sync", root, ...words, "--error-format", "text"], { env, now });
  await proxy.close();
  const log = sandbox.takeLog();
  return { ...outcome, log, requests: log.length };
}

const unwritten = "more than 6h from that of this machine, so nothing was written";

test.each([
  [3, "3d behind"],
  [-60, "60d ahead of"],
  [undefined, "no response had a Date header"],
])("a Date header that is %s days off writes nothing, and loses no period", async (days, said) => {
  const first = await syncMoved(days, "--search", "ethereum --limit 101");
  expect([first.exit, first.requests, first.stderr]).toEqual([8, 1, expect.stringContaining(said)]);
  expect(first.stderr).toContain(unwritten);
  expect(dataFiles(root)).toEqual([]);
  await sync("--search", "ethereum --limit 101");
  now += hour;
  const later = await syncMoved(days);
  expect([later.exit, later.requests, later.stderr]).toEqual([8, 1, expect.stringContaining(unwritten)]);
  expect((await sync()).exit).toBe(0);
  const rows = await stored();
  const times = (field: string): unknown[] => [...new Set(rows.map((row) => member(row, field)))];
  expect(times("period")).toEqual(["2026-11-21T08:00:00Z", "2026-11-21T09:00:00Z"]);
  expect(times("as_of")).toEqual(["2026-11-21T08:54:00Z", "2026-11-21T09:54:00Z"]);
  const verified = await run("verify", root);
  expect([verified.exit, verified.stdout]).toEqual([0, ""]);
});

test("a Date header that is 60 days back, seen first in transactions: the list fails before it costs a credit", async () => {
  await sync(`ethereum:${quietPool}`, "--kind", "pools,transactions");
  now += hour;
  const { exit, stderr, log } = await syncMoved(-60);
  expect([exit, stderr]).toEqual([8, expect.stringContaining(unwritten)]);
  expect(log.filter(({ url }) => url.includes("/search"))).toEqual([]);
  expect((await sync()).exit).toBe(0);
});

test("verify has a note for values from up to 6 hours outside their period, and a finding for others", async () => {
  const words = ["sync", root, "--search", "ethereum --limit 2", "--error-format", "text"];
  const behind = await dexdata(words, { env: sandbox.env(), now: now - 5 * hour });
  expect([behind.exit, behind.stderr]).toEqual([0, expect.stringContaining("5h behind")]);
  const { exit, stdout } = await run("verify", root);
  expect([
    exit,
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ]).toEqual([
    0,
    [1, 2].map((line) =>
      expect.objectContaining({
        line,
        rule: "R4",
        level: "note",
        field: "as_of",
        found: "2026-11-21T08:54:00Z",
      }),
    ),
  ]);
  const file = path.join(folder, "moved.ndjson");
  const moved = (await stored()).map((row) => ({ ...row, as_of: "2026-11-24T03:54:00Z" }));
  writeFileSync(file, moved.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const found = await run("verify", file);
  expect([found.exit, JSON.parse(found.stdout.split("\n")[0] ?? "")]).toEqual([
    8,
    expect.objectContaining({ line: 1, rule: "R4", level: "finding", field: "as_of" }),
  ]);
});

test("a copy that was in a cache for days does not say which period it is", () => {
  const clock = createServiceClock(() => now);
  const at = (days: number): number => now - days * 24 * hour;
  const copy = (days: number) => ({ asOf: at(days), age: now - at(days), isBound: false, sameFor: 0 });
  clock.record(new Date(at(0.2)).toUTCString(), copy(0.2));
  expect([clock.isSure(), clock.isWrong()]).toEqual([true, false]);
  clock.record(new Date(at(2)).toUTCString(), copy(2));
  expect([clock.isSure(), clock.isWrong()]).toEqual([true, true]);
});

test("--watch outlasts a wrong Date header", async () => {
  const isOff = (): boolean => (watched?.clock.now() ?? 0) < sandboxNow + 60_000;
  const { exit, stderr } = await watchThrough({
    date: (date = "") => (isOff() ? "Tue, 01 Sep 2026 00:00:00 GMT" : date),
  });
  expect([exit, stderr]).toEqual([143, expect.stringContaining(unwritten)]);
  const periods = [...new Set((await stored()).map((row) => String(member(row, "period")).slice(11, 16)))];
  expect(periods).toEqual(["08:55", "08:56", "08:57", "08:58"]);
});

test("--watch continues at the right time after the machine was suspended for two hours", async () => {
  const context = createTestContext({ flows: true, now, env: sandbox.env() });
  let isSuspended = false;
  const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    await context.clock.sleep(milliseconds, signal);
    if (isSuspended || context.clock.elapsed() < 70_000) return;
    isSuspended = true;
    context.clock.setNow(context.clock.now() + 2 * hour);
  };
  watched = context;
  const words = ["sync", root, "--search", "ethereum --limit 5", "--every", "1m", "--watch"];
  const { exit, stderr } = await runIn(words, { ...context, clock: { ...context.clock, sleep } });
  watched = undefined;
  expect(exit).toBe(143);
  expect(stderr).toContain("rows from 2026-11-21T08:56:00Z to 2026-11-21T10:56:00Z are lost");
  expect(stderr).not.toContain("the clock of this machine");
  const rows = await stored();
  const minute = (row: object, field: string): string => String(member(row, field)).slice(11, 16);
  const periods = [...new Set(rows.map((row) => minute(row, "period")))];
  expect(periods).toEqual(["08:54", "08:55", "10:56", "10:57", "10:58"]);
  for (const row of rows) expect(minute(row, "as_of")).toBe(minute(row, "period"));
});

test("a period is written while seconds pass", async () => {
  const context = createTestContext({ now, env: sandbox.env() });
  let passed = 0;
  const clock = { ...context.clock, elapsed: () => context.clock.elapsed() + 1000 * (passed += 1) };
  const words = ["sync", root, "--search", busy, "--every", "24h", "--error-format", "text"];
  const { exit, stderr } = await runIn(words, { ...context, clock });
  expect([exit, stderr]).toEqual([0, ""]);
  expect((await run("verify", root)).exit).toBe(0);
});

test("a reader that leaves does not make an incomplete sync a success", async () => {
  await sync("--search", "ethereum --limit 5", "--list", "one");
  await sync("--search", "base --limit 5", "--list", "two");
  now += hour;
  const context = createTestContext({ now, env: sandbox.env() });
  context.stdout.closeAfter(1);
  const { exit, stderr } = await runIn(["sync", root, "--parallel", "1"], context);
  expect([exit, stderr]).toEqual([
    8,
    expect.stringContaining("stdout was closed before the sync was complete"),
  ]);
});

test("--watch requires --search or --kind pools", async () => {
  const { exit, stderr } = await sync("ethereum:0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640", "--watch");
  expect([exit, stderr]).toEqual([2, expect.stringContaining("--watch requires --search or --kind pools")]);
});

test("the estimate has the credits of a month and the plan that they fit", async () => {
  const { stdout, requests } = await sync("--search", "ethereum --limit 500", "--estimate", "-o", "json");
  const basis = expect.stringContaining(
    "each pool that left the search in the last 24h costs 1 more (not counted)",
  );
  const monthly = { credits_per_month: 3600, fits_plan: "keyless", plan_credits_last_days: 41_666.66 };
  const figures = { requests: 5, ...monthly, rows_at_most: 500, basis };
  expect(JSON.parse(stdout)).toMatchObject(figures);
  expect(requests).toBe(0);
});

test.each(["transactions,pools", "ohlcv,pools"])(
  "the estimate of %s has no figures of a month",
  async (kinds) => {
    const { stdout } = await sync(`ethereum:${pool}`, "--kind", kinds, "--estimate", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      credits_per_month: null,
      fits_plan: null,
      plan_credits_last_days: null,
      certainty: "about",
      basis: expect.stringContaining("no monthly figures, because other datasets vary"),
    });
  },
);

test("a list of pools begins with its first run, whatever its line says", async () => {
  const other = path.join(folder, "other.ndjson");
  const line = { chain: "ethereum", address: pool, from: "2025-11-20T00:00:00Z" };
  const own = { ...line, kind: "pools", list: "own", from: "2026-11-01T00:00:00Z" };
  writeFileSync(other, [line, own].map((each) => `${JSON.stringify(each)}\n`).join(""));
  const { exit, stderr } = await sync(`@${other}`, "--kind", "pools");
  expect([exit, stderr]).toEqual([0, ""]);
  expect((await periodsBelow(root)).map(({ footer }) => footer.lost)).toEqual([[], []]);
  const text = assets();
  writeFileSync(path.join(root, "assets.ndjson"), text.replaceAll("2026-11-21T08", "1970-01-01T00"));
  now += hour;
  for (const words of [["sync"], ["verify"]]) {
    const wrong = await run(...words, root);
    expect([wrong.exit, wrong.requests, wrong.stderr]).toEqual([
      2,
      0,
      expect.stringMatching(
        /invalid from "1970-01-01T00:00:00Z" in .*assets.ndjson line 1: no run recorded/u,
      ),
    ]);
  }
  writeFileSync(path.join(root, "assets.ndjson"), text.replaceAll(',"from":"2026-11-21T08:00:00Z"', ""));
  expect([(await sync()).exit, (await run("verify", root)).exit]).toEqual([0, 0]);
});

test.each([
  [
    "a search that matches nothing",
    ["--search", "ethereum --volume-usd-24h-min 1e15"],
    "error: pools of ethereum:search: the service returned no pool",
  ],
  ["a period that is too short", ["--search", "ethereum", "--every", "30s"], "responses can be 60s old"],
  ["a period that does not divide a day", ["--search", "ethereum", "--every", "7h"], "equal parts"],
  ["a period of half minutes", ["--search", "ethereum", "--every", "90s"], "must be full minutes"],
  ["an unknown flag", ["--search", "ethereum --volume-min 1"], 'unknown flag "--volume-min"'],
  ["a flag without a value", ["--search", "ethereum --limit"], "missing value for --limit"],
  ["a network that does not exist", ["--search", "etherium --limit 5"], "etherium"],
  ["a second network", ["--search", "ethereum base --limit 5"], 'unexpected argument "base"'],
  ["an unclosed quote", ["--search", "ethereum --dex 'uniswap_v3"], "contains an unclosed '"],
  ["another kind", ["--search", "ethereum", "--kind", "pools,ohlcv"], "--kind requires a list of assets"],
  [
    "an interval without candles",
    [`ethereum:${pool}`, "--interval", "1m"],
    "--interval requires --kind ohlcv or token-ohlcv",
  ],
  ["an invalid value", ["--search", "ethereum --liquidity-usd-min x"], '--liquidity-usd-min "x"'],
  ["no network", ["--search", "--limit 5"], "must begin with a network"],
  ["a list that names no directory", ["--search", "ethereum", "--list", "../x"], "names a directory"],
  ["a list without pools", ["--list", "big"], "--list requires a list of assets"],
])("%s is rejected, and nothing is stored", async (_, words, problem) => {
  const { exit, stderr } = await sync(...words);
  expect([exit, stderr]).toEqual([problem === "etherium" ? 3 : 2, expect.stringContaining(problem)]);
  expect(() => assets()).toThrow("ENOENT");
});

test("a value of a search may be in quotes, or after an equal sign", async () => {
  const quoted = `ethereum --dex='uniswap_v3' --limit "5"`;
  expect((await sync("--search", quoted)).exit).toBe(0);
  now += hour;
  expect(await sync()).toMatchObject({ exit: 0, stderr: "" });
  const dexes = (await stored()).map((row) => member(row, "dex_id"));
  expect([dexes.length, ...new Set(dexes)]).toEqual([10, "uniswap_v3"]);
});

test("a search without --limit has 10 pools, which the run that adds it shows", async () => {
  const { exit, stderr } = await sync("--search", "ethereum --volume-usd-24h-min 1M");
  expect([exit, stderr]).toEqual([0, "note: --search without --limit records 10 pools\n"]);
  expect(await stored()).toHaveLength(10);
  now += hour;
  expect(await sync()).toMatchObject({ exit: 0, stderr: "" });
});

test("a stored search that matches nothing does not keep other datasets from being completed", async () => {
  expect((await sync(`ethereum:${pool}`, "--kind", "ohlcv", "--from", "2026-11-20")).exit).toBe(0);
  const line = { kind: "pools", list: "none", search: "ethereum --volume-usd-24h-min 1e15" };
  writeFileSync(path.join(root, "assets.ndjson"), `${assets()}${JSON.stringify(line)}\n`);
  now += 3 * hour;
  const { exit, stderr } = await sync("--parallel", "1");
  expect([exit, stderr]).toEqual([8, expect.stringContaining("ethereum:none: the service returned no pool")]);
  const [candles] = await periodsBelow(root);
  expect(candles?.footer.settled_to).toBe(Date.parse("2026-11-21T10:00:00Z") / 1000);
});
