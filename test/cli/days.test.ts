import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { type Row, rowsOf, toRow } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { json, type Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
let serviceNow = 0;
const moving = useSandbox({ now: () => serviceNow });
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const quiet = "ethereum 0x6cdbaa786e1c1935d4d61336ef5ee11b3d412e8f";
const daySeconds = 86_400;
const firstDay = Date.parse("2026-10-20T00:00:00Z") / 1000;
const days = isLong ? 30 : 4;
const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

interface Placed {
  readonly micros: bigint;
  readonly row: Row;
}

/** Rows at the first and last second and microsecond of each day, and some within, newest first. */
const market: readonly Placed[] = (() => {
  const random = createRandom(7);
  const micros = Array.from({ length: days + 1 }, (_, day) => {
    const start = BigInt(firstDay + day * daySeconds) * 1_000_000n;
    const within = Array.from({ length: 8 }, () => BigInt(Math.floor(random() * 86_400e6)));
    return [-1_000_000n, -1n, 0n, 1n, 1_000_000n, ...within].map((offset) => start + offset);
  }).flat();
  return [...new Set(micros)]
    .toSorted((a, b) => (a < b ? 1 : -1))
    .map((each, index) => ({ micros: each, row: rowAt(each, index) }));
})();

function rowAt(micros: bigint, index: number): Row {
  const fraction = String(micros % 1_000_000n).padStart(6, "0");
  const second = new Date(Number(micros / 1_000_000n) * 1000).toISOString().slice(0, 19);
  const created = `${second}${fraction === "000000" ? "" : `.${fraction}`}Z`;
  const sides = { token_0: "0xa", token_1: "0xb", amount_0: "1", amount_1: "-1" };
  return { id: `0x${index.toString(16)}`, log_index: index, ...sides, created_at: created };
}

const microsOf = (bound: string | null, fallback: bigint): bigint =>
  bound === null
    ? fallback
    : BigInt(/^\d+$/u.test(bound) ? Number(bound) : Date.parse(bound) / 1000) * 1_000_000n;

/** The specification includes rows at `to`; the public service does not (wire-facts 4.6). */
const service =
  (isInclusive: boolean): Script =>
  (request) => {
    const { query } = request;
    const [from, to] = [microsOf(query.get("from"), 0n), microsOf(query.get("to"), 10n ** 18n)];
    const all = market.filter(
      ({ micros }) => micros >= from && (micros < to || (isInclusive && micros === to)),
    );
    const [limit, page] = [Number(query.get("limit") ?? 10), Number(query.get("page") ?? 1)];
    const rows = all.slice((page - 1) * limit, page * limit).map(({ row }) => row);
    const info = { limit, page, total_items: all.length, total_pages: Math.ceil(all.length / limit) };
    return json({ transactions: rows, page_info: info });
  };

const now = { DEXDATA_NOW: "2026-11-26T00:20:00Z" };
const idsOf = (stdout: string): readonly unknown[] => rowsOf(stdout).map(({ id }) => id);

describe.each([true, false])("days of a service that includes the end of a range: %s", (isInclusive) => {
  test("have each row exactly once, with any page size", async () => {
    const server = await serveInTest(service(isInclusive));
    const env = { ...now, DEXDATA_BASE_URL: server.url };
    const pull = async (words: string): Promise<readonly unknown[]> => {
      const shown = await dexdata(`txns ethereum ${pool} ${words} --all -o ndjson -q`, { env });
      expect({
        words,
        exit: shown.exit,
        stderr: shown.stderr.replace(/^warning: the clock.*\n/u, ""),
      }).toEqual({
        words,
        exit: 0,
        stderr: "",
      });
      return idsOf(shown.stdout);
    };
    const [first, last] = [firstDay, firstDay + (days - 1) * daySeconds].map(dateOf);
    const begin = BigInt(firstDay) * 1_000_000n;
    const end = BigInt(firstDay + days * daySeconds) * 1_000_000n;
    const wanted = market.filter(({ micros }) => micros >= begin && micros < end).map(({ row }) => row["id"]);
    expect(await pull(`--day ${first}..${last}`)).toEqual(wanted);
    const united: unknown[] = [];
    for (let day = days - 1; day >= 0; day -= 1)
      united.push(...(await pull(`--day ${dateOf(firstDay + day * daySeconds)} --page-size ${3 + day}`)));
    expect(united).toEqual(wanted);
  }, 60_000);
});

test("three days of the sandbox, pulled one by one, are the range pulled at once", async () => {
  const pull = async (words: string): Promise<readonly string[]> => {
    const fields = "--fields id,log_index,created_at -o csv --no-header -q";
    const shown = await dexdata(`txns ${quiet} ${words} --all ${fields}`, { env: sandbox.env() });
    expect(shown.exit).toBe(0);
    return shown.stdout.trimEnd().split("\n");
  };
  const united: string[] = [];
  for (const date of [20, 19, 18]) {
    const rows = await pull(`--day 2026-11-${date}`);
    expect(rows.every((row) => row.includes(`2026-11-${date}T`))).toBe(true);
    united.push(...rows);
  }
  expect(united.length).toBeGreaterThan(100);
  expect(new Set(united).size).toBe(united.length);
  expect(united).toEqual(await pull("--from 2026-11-18 --to 2026-11-20T23:59:59.999999Z"));
}, 60_000);

test("the receipt of a day that is over covers all of it, also after its last row", async () => {
  const receipt = path.join(folder, "day.json");
  const words = `txns ${quiet} --day 2026-11-20 --all -q --receipt ${receipt}`;
  expect((await dexdata(words, { env: sandbox.env() })).exit).toBe(0);
  expect(toRow(readFileSync(receipt, "utf8"))["window"]).toEqual({
    from: "2026-11-20T00:00:00Z",
    to: "2026-11-21T00:00:00Z",
  });
}, 60_000);

describe("candles of a day", () => {
  test.each(["1h", "6h", "24h"])("are those that open that day (%s)", async (interval) => {
    const words = `ohlcv ethereum ${pool} --pool --interval ${interval} -o ndjson -q`;
    const env = sandbox.env();
    const day = rowsOf((await dexdata(`${words} --day 2026-11-20`, { env })).stdout);
    const around = rowsOf(
      (await dexdata(`${words} --from 2026-11-18 --to 2026-11-21T08:00:00Z`, { env })).stdout,
    );
    expect(day).toEqual(around.filter((row) => String(row["time_open"]).startsWith("2026-11-20")));
    expect(day.length).toBeGreaterThan(0);
  });
});

describe("a day that can still get rows", () => {
  const receipt = path.join(folder, "receipt.json");
  const at = async (time: string, day: string, tier = "pro") => {
    const file = path.join(folder, "rows.ndjson");
    const words = ["txns", "ethereum", pool, "--day", day, "--limit", "5", "-q", "--out", file, "--force"];
    const shown = await dexdata([...words, "--receipt", receipt, "--sandbox", "--tier", tier], {
      env: { DEXDATA_NOW: time },
    });
    const { complete, complete_to: to, rows, why_not: reason } = toRow(readFileSync(receipt, "utf8"));
    return { ...shown, complete, to, rows, reason, written: rowsOf(readFileSync(file, "utf8")).length };
  };

  test.each([
    ["2026-11-21T00:03:59Z", "yesterday", 8, "2026-11-20T23:59:59Z"],
    ["2026-11-21T00:04:00Z", "yesterday", 0, null],
    ["2026-11-21T00:04:00Z", "2026-11-19..2026-11-20", 0, null],
    ["2026-11-21T00:03:59Z", "2026-11-19..yesterday", 8, "2026-11-20T23:59:59Z"],
    ["2026-11-21T08:54:00Z", "2026-11-21", 8, "2026-11-21T08:50:00Z"],
    ["2026-11-21T08:54:00Z", "today", 0, "2026-11-21T08:50:00Z"],
    ["2026-11-21T08:54:00Z", "2026-11-20..today", 0, "2026-11-21T08:50:00Z"],
  ])("at %s, --day %s exits %s", async (time, day, exit, to) => {
    const shown = await at(time, day);
    expect({ exit: shown.exit, to: shown.to, complete: shown.complete }).toEqual({
      exit,
      to,
      complete: to === null,
    });
    expect(shown.rows).toBe(5);
    expect(shown.written).toBe(5);
    expect(shown.reason === null).toBe(to === null);
    const warning = shown.stderr.split("\n").find((line) => line.includes("can still get rows"));
    if (exit === 0) expect(warning).toBeUndefined();
    else
      expect(warning).toMatch(
        /^warning: 2026-11-\S+( to 2026-11-\S+)? can still get rows; .* 2026-11-2\dT00:04:00Z or later$/u,
      );
  });

  test("is later on plans whose responses are older", async () => {
    const words = `ohlcv ethereum ${pool} --pool --day yesterday -q -o ndjson --sandbox --tier free`;
    const early = await dexdata(words, { env: { DEXDATA_NOW: "2026-11-21T00:04:59Z" } });
    expect([early.exit, early.stderr]).toEqual([
      8,
      expect.stringContaining(" 2026-11-21T00:05:00Z or later"),
    ]);
    expect((await dexdata(words, { env: { DEXDATA_NOW: "2026-11-21T00:05:00Z" } })).exit).toBe(0);
  });

  test.each([
    ["txns", "2026-11-20T23:54:30Z", "2026-11-20T23:50:30Z"],
    ["txns", "2026-11-21T00:14:30Z", null],
    ["ohlcv --pool", "2026-11-20T23:54:30Z", "2026-11-20T23:50:30Z"],
  ])("%s: the clock of the service decides, here %s", async (command, theirs, to) => {
    serviceNow = Date.parse(theirs);
    const words = `${command} ethereum:${pool} --day yesterday --receipt ${receipt} -q -o ndjson`;
    const shown = await dexdata(words, { env: moving.env(), now: "2026-11-21T00:04:30Z" });
    const { complete, complete_to: completeTo } = toRow(readFileSync(receipt, "utf8"));
    expect({ exit: shown.exit, complete, completeTo }).toEqual({
      exit: to === null ? 0 : 8,
      complete: to === null,
      completeTo: to,
    });
    if (to !== null) expect(shown.stderr).toContain("run this again at 2026-11-21T00:14:00Z or later");
  });

  test.each([
    ["2026-11-21T00:03:59Z", 8],
    ["2026-11-21T00:04:00Z", 0],
  ])("the local clock decides if the service does not say its time: at %s, exit %i", async (time, exit) => {
    const row = { id: "0x1", log_index: 0, created_at: "2026-11-20T12:00:00Z" };
    const page_info = { limit: 100, page: 1, total_items: 1, total_pages: 1 };
    const { url } = await serveInTest(() => json({ transactions: [row], page_info }));
    const env = { DEXDATA_PRO_BASE_URL: url, DEXDATA_API_KEY: "api_pro_0123456789", DEXDATA_TIER: "pro" };
    const words = `txns ethereum ${pool} --day yesterday --all -q -o ndjson`;
    expect(await dexdata(words, { env, now: time })).toMatchObject({ exit });
  });

  test.each([
    ["", " with --force"],
    [" --resume", " with --force instead of --resume"],
  ])("the printed command replaces the file of an incomplete day (first run%s)", async (flag, how) => {
    serviceNow = Date.parse("2026-11-21T00:02:00Z");
    const file = `${receipt}${flag.trim()}.ndjson`;
    const words = `txns ${quiet.replace(" ", ":")} --day yesterday --all --out ${file}`;
    const early = await dexdata(`${words}${flag}`, { env: moving.env(), now: "2026-11-21T00:02:00Z" });
    expect(early).toMatchObject({ exit: 8, stderr: expect.stringContaining(`run this again${how} at`) });
    serviceNow = Date.parse("2026-11-21T00:10:00Z");
    const later = await dexdata(`${words} --force`, { env: moving.env(), now: "2026-11-21T00:10:00Z" });
    expect(later.exit).toBe(0);
  });
});

describe("input", () => {
  test.each([
    ["--day 2026-11-20 --from -1h", "cannot be used together"],
    ["--day 2026-11-20 --to now", "cannot be used together"],
    ["--day 2026-11-20 --follow", "cannot be used"],
    ["--day 2026-11-31", "November 2026 has 30 days"],
    ["--day 2026-11-15..20261120", "dates must have dashes"],
    ["--day tomorrow", "must be a UTC day"],
    ["--day 2026-11-22", "must not be in the future"],
    ["--day 2026-11-20..2026-11-19", "the first day is after the last"],
    ["--day 2026-11-18..19..20", "must be a UTC day"],
    ["--day ..", "must be a UTC day"],
  ])("%s is refused before a request", async (words, problem) => {
    sandbox.takeLog();
    const shown = await dexdata(`txns ethereum ${pool} ${words}`, { env: sandbox.env() });
    expect(shown.exit).toBe(2);
    expect(shown.stderr).toContain(problem);
    expect(sandbox.takeLog()).toEqual([]);
  });

  test("candles of a day cannot be counted back", async () => {
    const words = `ohlcv ethereum ${pool} --pool --day 2026-11-20 --count-back 3`;
    expect((await dexdata(words, { env: sandbox.env() })).exit).toBe(2);
  });

  test("the command for the next page keeps the range of the day", async () => {
    const shown = await dexdata(`txns ethereum ${pool} --day 2026-11-20 --limit 3 --page-size 3 -o ndjson`, {
      env: { ...sandbox.env(), NO_COLOR: "1" },
      isTerminal: { stderr: true },
      columns: 500,
    });
    const next = /next page.*: dexdata (.*)/u.exec(shown.stderr)?.[1] ?? "";
    expect(next).not.toContain("--day");
    expect(next).toContain("--from 2026-11-20T00:00:00Z");
    const rows = rowsOf((await dexdata(next, { env: sandbox.env() })).stdout);
    expect(rows[0]?.["created_at"]).toMatch(/^2026-11-20/u);
  });

  test("a range of one point in time is reported, and no other", async () => {
    const words = `txns ethereum ${pool} -o ndjson`;
    const note = "the range is a single point in time; for the entire day, use --day 2026-11-20";
    const same = await dexdata(`${words} --from 2026-11-20 --to 2026-11-20`, { env: sandbox.env() });
    expect([same.exit, same.stderr.includes(`note: ${note}`)]).toEqual([0, true]);
    const other = await dexdata(`${words} --from yesterday --to today`, { env: sandbox.env() });
    expect([other.exit, other.stderr.includes("point in time")]).toEqual([0, false]);
  });
});
