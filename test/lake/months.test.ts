import fs, {
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hash } from "node:crypto";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openStored } from "../../src/base/files/synced-file.ts";
import { openParquet, withParquet } from "../../src/rows/parquet-file.ts";
import { readRows, writePart } from "../../src/lake/files/lake-file.ts";
import { joinParquet } from "../../src/rows/join-parquet.ts";
import { dexdata } from "../harness/dexdata.ts";
import { dataFiles, hashesOf, periodsBelow, periodsIn, stampsOf } from "../harness/lake.ts";
import { prepareKill } from "../harness/lake-history/kill-run.ts";
import { secretMark } from "../harness/key-search.ts";
import {
  type MarketPool,
  rowAt,
  rowsOfDays,
  seconds,
  startMarketService,
} from "../harness/market-service.ts";
import { html, json } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pool = `0x${"a".repeat(40)}`;
const [hour, day] = [3600, 86_400];
const days = Array.from({ length: 14 }, (_, index) =>
  new Date(Date.UTC(2026, 9, 24 + index)).toISOString().slice(0, 10),
);
const folder = temporaryFolder();
const pools = new Map<string, MarketPool>();
const begun = path.join(folder, "begun");
const begunAt = seconds("2026-11-03T08:00:00Z");
let now = begunAt;
let root = begun;
const service = await startMarketService(() => now, pools);

afterAll(service.close);
beforeAll(async () => {
  pools.set(pool, { rows: rowsOfDays(pool, days, 40), created: "2026-01-01T00:00:00Z" });
  expect((await first()).exit).toBe(0);
});
beforeEach(({ task }) => {
  now = begunAt;
  root = path.join(folder, task.name.replaceAll(/\W+/gu, "-").slice(0, 60));
  pools.set(pool, { rows: rowsOfDays(pool, days, 40), created: "2026-01-01T00:00:00Z" });
  service.disturb({});
});

async function run(words: readonly string[], tier: "free" | "pro" = "pro") {
  const key = { DEXDATA_API_KEY: `api_${tier}_${secretMark}_market` };
  const url = service.url;
  const before = service.requests.length;
  const env = { ...key, DEXDATA_TIER: tier, DEXDATA_BASE_URL: url, DEXDATA_PRO_BASE_URL: url };
  const more = [
    "--error-format",
    "text",
    ...(words[0] === "sync" ? ["--rpm", "unlimited", "--retries", "1"] : []),
  ];
  const outcome = await dexdata([...words, ...more], { env, now: now * 1000 });
  return { ...outcome, requests: service.requests.length - before };
}
const sync = async (...words: readonly string[]) => await run(["sync", root, ...words]);
const first = async (...words: readonly string[]) =>
  await sync(`ethereum:${pool}`, "--from", "2026-10-30", ...words);
/** As after `first()`, which takes fifty times as long. */
const copyFirst = (): void => cpSync(begun, root, { recursive: true, preserveTimestamps: true });

/** Such as `2026-10-29 rows`. */
const states = async (): Promise<readonly string[]> =>
  (await periodsBelow(root)).map(({ name }) =>
    name
      .split("/")
      .slice(-2)
      .join(" ")
      .replaceAll(/date=|\.parquet/gu, ""),
  );

const places = (): readonly string[] => dataFiles(root).map((name) => name.split("/").slice(-2).join("/"));

async function findings(): Promise<readonly (readonly unknown[])[]> {
  const { stdout } = await run(["verify", root, "-o", "ndjson"]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => Object(JSON.parse(line))).map(({ rule, field }) => [rule, field]);
}

const of = (state: string, month = "2026-11"): string =>
  path.join(root, dataFiles(root).find((name) => name.includes(`month=${month}/${state}`)) ?? "none");

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(file, bytes);
}

test("complete days of a month are in one file, the others in another one, which is removed with its last day", async () => {
  copyFirst();
  expect(JSON.parse(readFileSync(path.join(root, "assets.ndjson"), "utf8"))).toMatchObject({ by: "month" });
  expect(await states()).toEqual([
    ...["10-30", "10-31", "11-01"].map((date) => `2026-${date} rows`),
    ...["11-02", "11-03"].map((date) => `2026-${date} open`),
  ]);
  expect(places()).toEqual([
    "month=2026-10/rows.parquet",
    "month=2026-11/open.parquet",
    "month=2026-11/rows.parquet",
  ]);
  expect(await findings()).toEqual([]);
  now = seconds("2026-11-05T08:00:00Z");
  expect((await sync()).exit).toBe(0);
  expect((await states()).filter((each) => each.endsWith("open"))).toEqual([
    "2026-11-04 open",
    "2026-11-05 open",
  ]);
  const before = stampsOf(root);
  expect(await sync()).toMatchObject({ exit: 0, stderr: "", requests: 0 });
  expect(stampsOf(root)).toEqual(before);
});

test.each([
  ["transactions", "rename"],
  ["ohlcv", "renamed", "--interval", "1m"],
] as const)(
  "a first run of %s writes the days of a month at once, if it is killed when any file is %s",
  async (kind, by, ...words) => {
    const begin = async () =>
      await sync(`ethereum:${pool}`, "--from", "2026-10-31", "--kind", kind, ...words);
    const renamed = vi.spyOn(fs, "renameSync");
    expect((await begin()).exit).toBe(0);
    const names = renamed.mock.calls.map(([, target]) => path.relative(root, String(target)));
    renamed.mockRestore();
    expect(names.filter((name) => name.startsWith(kind)).toSorted()).toEqual(dataFiles(root));
    const whole = hashesOf(root);
    for (const [number, name] of names.entries()) {
      // Before each renaming is after the one before it, so the other files need only one of the two.
      if (by === "renamed" && !name.startsWith(kind)) continue;
      root += "-killed";
      const kill = prepareKill(root, { by, number: number + 1 });
      await begin();
      expect(kill.end()).toBe(true);
      expect((await begin()).exit).toBe(0);
      expect(hashesOf(root)).toEqual(whole);
    }
  },
  120_000,
);

test("a disk that is full while the days of a month are written has none of them afterwards", async () => {
  const openSync = fs.openSync;
  let parts = 0;
  const opened = vi.spyOn(fs, "openSync").mockImplementation((file, ...words) => {
    if (String(file).endsWith(".part") && words[0] === "wx" && (parts += 1) === 3)
      throw Object.assign(new Error("full"), { code: "ENOSPC", syscall: "open", path: file });
    return openSync(file, ...words);
  });
  const { exit, stderr } = await first();
  opened.mockRestore();
  expect([exit, stderr, parts]).toEqual([1, expect.stringContaining("disk full"), 3]);
  const left = readdirSync(path.join(root, ".dexdata", "work"));
  expect(left.filter((name) => name.endsWith(".part"))).toEqual([]);
  expect((await first()).exit).toBe(0);
  expect(hashesOf(root)).toEqual(hashesOf(begun));
});

test("a month that grew day by day has the same bytes as one that was fetched at once, except for the times of reading", async () => {
  const rowsIn = async (): Promise<unknown> =>
    (await periodsBelow(root)).map(({ name, footer: { rows, rows_sha256 }, range }) => [
      name,
      rows,
      rows_sha256,
      range,
    ]);
  for (now = seconds("2026-10-30T08:00:00Z"); now <= begunAt; now += 20 * hour) await first();
  now = begunAt;
  await sync();
  const grown = await rowsIn();
  root += "-at-once";
  copyFirst();
  expect(grown).toEqual(await rowsIn());
  // Joining a file's own row groups again gives the same file.
  const file = of("rows");
  const pieces = (await periodsIn(root, path.relative(root, file))).map(({ range }) => ({ file, range }));
  const written: Buffer[] = [];
  const receipt = await withParquet(file, (parquet) => parquet.receipt);
  await joinParquet(pieces, receipt, async (bytes) => void written.push(Buffer.from(bytes)), false);
  expect(Buffer.concat(written).equals(readFileSync(of("rows")))).toBe(true);
});

test("flipped, truncated and exchanged month files are found by day, and repaired while the service has the rows", async () => {
  copyFirst();
  now = seconds("2026-11-05T08:00:00Z");
  await sync();
  const whole = hashesOf(root);
  const ranges = (await periodsBelow(root)).filter(({ name }) => name.includes("date=2026-11-02"));
  expect(ranges[0]?.range).toEqual({ begin: 40, end: 80 });
  const file = of("rows");
  flip(file, 200);
  expect((await findings()).find(([rule]) => rule === "F1")).toEqual(["F1", "2026-11-01"]);
  const forced = await sync("--force");
  expect(forced.exit).toBe(0);
  expect(forced.stderr).toContain(`replaced ${file}: the file has changed since it was written`);
  const footers = async () =>
    (await periodsBelow(root)).map(({ name, footer }) => [name, footer.rows_sha256]);
  const healthy = await footers();
  expect(await findings()).toEqual([]);
  for (const damage of [
    () => truncateSync(file, 1000),
    () => copyFileSync(of("rows", "2026-10"), file),
    () => renameSync(file, file.replace("rows", "lost")),
  ]) {
    damage();
    expect((await findings()).length).toBeGreaterThan(0);
    await sync("--force");
    expect((await footers()).map(String)).toEqual(healthy.map(String));
  }
  expect(await findings()).toEqual([]);
  expect(Object.keys(hashesOf(root))).toEqual(Object.keys(whole));
});

/** The row groups of a file: the place of the first row of each, and the end of the rows. */
async function startsOf(file: string): Promise<readonly number[]> {
  return await withParquet(file, ({ starts }) => starts);
}

/** Writes a month as earlier versions left it, with a row group for each day. */
async function divide(file: string): Promise<void> {
  const receipt = await withParquet(file, (parquet) => parquet.receipt);
  const periods = await periodsIn(root, path.relative(root, file));
  const parts = periods.map(async ({ footer, range }, index) => {
    const part = path.join(root, `part-${index}`);
    const rows = await readRows(file, range);
    await writePart(
      part,
      footer.kind,
      rows,
      () => footer,
      () => undefined,
    );
    return { file: part, range: { begin: 0, end: rows.length } };
  });
  const written: Buffer[] = [];
  const write = async (bytes: Uint8Array) => void written.push(Buffer.from(bytes));
  await joinParquet(await Promise.all(parts), receipt, write, false);
  writeFileSync(file, Buffer.concat(written));
}

test("when its last day is complete, a month is written as one row group, in which each day is proven", async () => {
  copyFirst();
  const file = of("rows", "2026-10");
  expect(await startsOf(file)).toEqual([0, 80]);
  now = seconds("2026-11-05T08:00:00Z");
  await sync();
  expect(await startsOf(of("rows"))).toEqual([0, 40, 80, 120]);
  expect(await startsOf(file)).toEqual([0, 80]);
  expect(await findings()).toEqual([]);
  // A damaged byte is damage of each day in the row group.
  flip(file, 500);
  expect(await findings()).toEqual(["2026-10-30", "2026-10-31"].map((date) => ["F1", date]));
  expect((await sync("--force")).exit).toBe(0);
  expect(await findings()).toEqual([]);
  expect(await startsOf(file)).toEqual([0, 80]);
});

test("a month of an earlier version, with a row group per day, stays until one of its days changes", async () => {
  copyFirst();
  const file = of("rows", "2026-10");
  await divide(file);
  const before = readFileSync(file);
  expect(await startsOf(file)).toEqual([0, 40, 80]);
  expect(await findings()).toEqual([]);
  expect(await sync()).toMatchObject({ exit: 0, requests: 0 });
  expect(await startsOf(file)).toEqual([0, 40, 80]);
  const rows = [...(pools.get(pool)?.rows ?? []), rowAt(pool, seconds("2026-10-30T23:59:00Z"))];
  rows.sort((one, other) => seconds(one.created_at) - seconds(other.created_at));
  pools.set(pool, { rows, created: "2026-01-01T00:00:00Z" });
  now = seconds("2026-11-05T08:00:00Z");
  await sync();
  const counts = (await periodsIn(root, path.relative(root, file))).map(({ footer }) => footer.rows);
  expect(counts).toEqual([41, 40]);
  expect(await startsOf(file)).toEqual([0, 81]);
  expect(readFileSync(file).equals(before)).toBe(false);
  expect(await findings()).toEqual([]);
});

test("a month in one row group is copied if only a footer changes, and continued if a day is added", async () => {
  copyFirst();
  const file = of("rows", "2026-10");
  const groupOf = async () => await withParquet(file, (parquet) => hash("sha256", parquet.bytesOf(0)));
  const [before, bytes] = [await groupOf(), readFileSync(file)];
  now = seconds("2026-11-05T08:00:00Z");
  await sync();
  expect(readFileSync(file).equals(bytes)).toBe(false);
  expect(await groupOf()).toBe(before);
  // An earlier start adds a day before those that share a row group.
  expect((await sync(`ethereum:${pool}`, "--from", "2026-10-29")).exit).toBe(0);
  expect(await startsOf(file)).toEqual([0, 120]);
  expect(await findings()).toEqual([]);
});

test("a program that knows the footer of the growing month finds its rows in the file of the complete one", async () => {
  copyFirst();
  const file = of("rows", "2026-10");
  await divide(file);
  const source = openStored(file);
  if (source === undefined) throw new Error("no file");
  const earlier = openParquet(source);
  const bytes = Buffer.concat([0, 1].map((index) => earlier.bytesOf(index)));
  source.close();
  now = seconds("2026-11-05T08:00:00Z");
  await sync();
  expect(await startsOf(file)).toEqual([0, 80]);
  expect(readFileSync(file).subarray(0, bytes.length).equals(bytes)).toBe(true);
  const before = readFileSync(file);
  expect(await findings()).toEqual([]);
  // A footer that changes later leaves all rows at their places.
  await sync(`ethereum:${pool}`, "--from", "2026-10-30", "--force");
  expect(readFileSync(file).subarray(0, bytes.length).equals(before.subarray(0, bytes.length))).toBe(true);
  expect(await findings()).toEqual([]);
});

test("a day that is in two files after a kill is in one of them after the next run", async () => {
  copyFirst();
  now = seconds("2026-11-04T08:00:00Z");
  const before = readFileSync(of("open"));
  await sync();
  const whole = hashesOf(root);
  // The open file as it was before the day left it.
  writeFileSync(of("open"), before);
  expect((await findings())[0]).toEqual(["F4", "date=2026-11-02"]);
  await sync();
  expect(await states()).toEqual([...new Set(await states())]);
  expect(new Set(places())).toEqual(
    new Set(["month=2026-10/rows.parquet", "month=2026-11/open.parquet", "month=2026-11/rows.parquet"]),
  );
  expect(await findings()).toEqual([]);
  expect(hashesOf(root)[Object.keys(whole).at(-2) ?? ""]).toBeDefined();
});

test("days of a damaged month that the service no longer has are named, and the file stays", async () => {
  copyFirst();
  now = seconds("2026-11-06T08:00:00Z");
  await sync();
  const bytes = readFileSync(of("rows"));
  truncateSync(of("rows"), 2000);
  service.disturb({ reach: 3 * day });
  const outcome = await sync();
  expect(outcome.exit).toBe(8);
  const kept = readdirSync(path.join(root, ".dexdata"), { recursive: true, encoding: "utf8" });
  const copy = kept.find((name) => name.endsWith("month=2026-11/rows.parquet")) ?? "none";
  expect(readFileSync(path.join(root, ".dexdata", copy)).equals(bytes.subarray(0, 2000))).toBe(true);
  now += 2 * day;
  await sync();
  // What is missing is still said days later.
  const said = (await findings()).filter(
    ([, field]) => String(field).includes("2026-11-01") || field === "state",
  );
  expect(
    said.length + (await states()).filter((each) => /2026-11-01 (?:open|lost)/u.test(each)).length,
  ).toBeGreaterThan(0);
});

test("a directory by day continues by day, whatever the flag or its line says", async () => {
  expect((await first("--by", "day")).exit).toBe(0);
  const list = path.join(root, "assets.ndjson");
  const line: Readonly<Record<string, unknown>> = Object(JSON.parse(readFileSync(list, "utf8")));
  // Earlier versions do not name it.
  writeFileSync(list, `${JSON.stringify({ ...line, by: undefined })}\n`);
  now += day;
  expect((await sync()).exit).toBe(0);
  expect(places().every((name) => name.startsWith("date="))).toBe(true);
  for (const words of [[`ethereum:${pool}`, "--by", "month"], []]) {
    now += day;
    const mixed = await sync(...words);
    expect(mixed).toMatchObject({ exit: 0, stderr: expect.stringContaining("keep their layout") });
    expect(places().every((name) => name.startsWith("date="))).toBe(true);
    writeFileSync(list, `${JSON.stringify({ ...line, by: "month" })}\n`);
  }
});

test.each([["transactions"], ["ohlcv", "--interval", "1m"]])(
  "the run on the day after a killed run of %s reads the rows since then, too",
  async (kind, ...words) => {
    const begin = ["--kind", kind, ...words];
    for (const number of [1, 3]) {
      root += `-${number}`;
      const kill = prepareKill(root, { by: "rename", number });
      await first(...begin);
      expect(kill.end()).toBe(true);
      now += day;
      expect((await first(...begin)).exit).toBe(0);
      const found = await states();
      expect(found.at(-1)).toBe(`${new Date(now * 1000).toISOString().slice(0, 10)} open`);
      expect(await findings()).toEqual([]);
      now -= day;
    }
  },
);

test.each([
  ["month", "day", "2026-11-01"],
  ["month", "day", "2026-10-28"],
  ["day", "month", "2026-10-31"],
] as const)(
  "a directory by %s names directories by %s that were copied into it, such as that of %s",
  async (by, other, date) => {
    const own = `${root}-${date}`;
    root = `${own}-other`;
    now = seconds(`${date}T08:00:00Z`);
    await sync(`ethereum:${pool}`, "--by", other, "--from", date);
    now = begunAt;
    const copied = (by === "month" ? /date=/u : /month=/u).source;
    const name =
      dataFiles(root).find((each) => each.includes(copied) && each.includes(date.slice(0, 7))) ?? "";
    const source = path.join(root, name);
    root = own;
    if (by === "month") copyFirst();
    else await first("--by", by);
    const before = hashesOf(root);
    cpSync(path.dirname(source), path.dirname(path.join(root, name)), { recursive: true });
    for (const words of [[], ["--force"]]) {
      const { exit, stderr, requests } = await sync(...words);
      expect({ exit, requests }).toEqual({ exit: 8, requests: 0 });
      expect(stderr).toContain(
        `${path.join(root, name)}: the files of this dataset are by ${by}; sync does not`,
      );
    }
    expect(hashesOf(root)).toEqual({ ...before, [name]: hashesOf(root)[name] });
    expect((await run(["verify", root])).exit).toBe(8);
    expect(await findings()).toContainEqual(["F4", null]);
    rmSync(path.dirname(path.join(root, name)), { recursive: true });
    expect(await sync("--force")).toMatchObject({ exit: 0, requests: 0 });
    expect(await findings()).toEqual([]);
  },
);

test("a dataset that fails is named once, however many of its requests have failed", async () => {
  await first("--by", "day");
  for (const date of ["2026-10-30", "2026-11-02"])
    rmSync(path.join(root, path.dirname(dataFiles(root).find((name) => name.includes(date)) ?? "")), {
      recursive: true,
    });
  service.disturb({ reply: json({ message: "unavailable" }, { status: 503 }) });
  const { exit, stderr } = await sync();
  expect(exit).toBe(7);
  expect(stderr.match(/^error: /gmu)).toHaveLength(1);
});

test("the record of another token says nothing about a token", async () => {
  const foreign = json({ id: `0x${"f".repeat(40)}`, symbol: "F", decimals: 9 });
  const tokens = path.join(root, "tokens.parquet");
  service.disturb(({ path: place }) => (place.includes("/tokens/") ? { reply: foreign } : {}));
  const { exit, stderr } = await first();
  expect([exit, stderr]).toEqual([0, expect.stringContaining("2 tokens could not be fetched")]);
  let requests = 0;
  service.disturb(({ path: place }) =>
    place.includes("/tokens/") && (requests += 1) === 1 ? { reply: foreign } : {},
  );
  expect(await sync()).toMatchObject({ exit: 0, requests: 3 });
  const symbols = (await readRows(tokens)).map((row) => Object(JSON.parse(row)).symbol);
  expect(symbols).toEqual(["T", "T"]);
});

test("the creation of another pool says nothing about the days of a pool", async () => {
  pools.set(pool, { rows: rowsOfDays(pool, days, 40), created: "2026-10-24T00:00:00Z" });
  const foreign = json({ id: `0x${"f".repeat(40)}`, chain: "ethereum", created_at: "2026-11-01T00:00:00Z" });
  service.disturb(({ path: place }) => (place.endsWith(pool) ? { reply: foreign } : {}));
  const { exit, stderr } = await sync(`ethereum:${pool}`, "--from", "2026-09-01");
  expect([exit, stderr]).toEqual([1, expect.stringContaining("the service returned rows of 0xffff")]);
  service.disturb({});
  expect((await sync()).exit).toBe(0);
  expect((await states())[0]).toBe("2026-10-24 rows");
});

test("N6: an earlier start widens a known dataset, and a later one removes nothing", async () => {
  copyFirst();
  const estimate = await sync(`ethereum:${pool}`, "--from", "2026-10-28", "--estimate", "-o", "json");
  expect(JSON.parse(estimate.stdout)).toMatchObject({ days: 2 });
  expect((await states()).length).toBe(5);
  const list = path.join(root, "assets.ndjson");
  writeFileSync(list, `# mine\n${readFileSync(list, "utf8")}`);
  expect((await sync(`ethereum:${pool}`, "--from", "2026-10-28")).exit).toBe(0);
  expect((await states())[0]).toBe("2026-10-28 rows");
  expect((await states()).length).toBe(7);
  const [mine, line = ""] = readFileSync(list, "utf8").split("\n");
  expect(mine).toBe("# mine");
  expect(JSON.parse(line)).toMatchObject({ from: "2026-10-28", address: pool });
  const before = hashesOf(root);
  const later = await sync(`ethereum:${pool}`, "--from", "2026-11-02");
  expect(later.stderr).toContain("1 dataset began earlier; a later --from removes nothing");
  expect(hashesOf(root)).toEqual(before);
});

test("the default start counts back from the service's clock", async () => {
  const local = now + 3 * day;
  const env = {
    DEXDATA_TIER: "pro",
    DEXDATA_API_KEY: `api_pro_${secretMark}_market`,
    DEXDATA_PRO_BASE_URL: service.url,
  };
  await dexdata(["sync", root, `ethereum:${pool}`, "--rpm", "unlimited"], { env, now: local * 1000 });
  expect(JSON.parse(readFileSync(path.join(root, "assets.ndjson"), "utf8"))).toMatchObject({
    from: "2026-10-28",
  });
  expect((await states())[0]).toContain("2026-10-28");
});

test("N18: a bare 403 for an old start is the plan's reach only if a start within it succeeds", async () => {
  const words = [`ethereum:${pool}`, "--kind", "ohlcv", "--interval", "30m", "--from", "2026-10-20"];
  const refusal = json({ message: "historical data is limited" }, { status: 403 });
  const isOld = (start: string): boolean => {
    const at = /^\d+$/u.test(start) ? Number(start) : seconds(start);
    return at < now - 7 * day - 60;
  };
  service.disturb(({ query }) => (isOld(query.get("start") ?? "0") ? { reply: refusal } : {}));
  const found = await run(["sync", root, ...words], "free");
  expect(found.exit).toBe(8);
  expect(found.stderr).toContain("the free plan does not include them");
  expect((await states()).length).toBeGreaterThan(5);
  for (const reply of [
    refusal,
    html(403),
    json({ error: "plan_required", param: "interval" }, { status: 403 }),
  ]) {
    root += "-all";
    service.disturb({ reply });
    const all = await run(["sync", root, ...words], "free");
    expect(all.exit).toBe(4);
    expect(dataFiles(root)).toEqual([]);
  }
});

test("a moved or copied directory, with a bracket and a quote in its path, is the same directory", async () => {
  copyFirst();
  const moved = path.join(folder, "it's a [lake] *");
  cpSync(root, moved, { recursive: true, preserveTimestamps: true });
  const text = readFileSync(path.join(moved, "views.sql"), "utf8");
  expect(text).not.toContain(folder);
  root = moved;
  expect(await sync()).toMatchObject({ exit: 0, requests: 0 });
  expect(readFileSync(path.join(moved, "views.sql"), "utf8")).toBe(text);
  expect(await findings()).toEqual([]);
});
