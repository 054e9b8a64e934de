import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { poolPeriods } from "../../src/api/endpoints/searches.ts";
import { kindOfRow } from "../../src/api/asset-kind.ts";
import { readStoredList } from "../../src/cli/commands/sync/list-datasets.ts";
import { dexdata } from "../harness/dexdata.ts";
import { dataFiles, footerOf, hashesOf, rowsBelow, stampsOf, usdcWeth } from "../harness/lake.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: Number.POSITIVE_INFINITY });
const folder = temporaryFolder();
let pools: readonly { readonly id: string; readonly chain: string }[] = [];

const run = async (words: readonly string[], more: Parameters<typeof dexdata>[1] = {}) =>
  await dexdata([...words, "--rpm", "unlimited"], { ...more, env: { ...sandbox.env(), ...more.env } });

/** By day, which has more files; test/lake/months.test.ts has those by month. */
const sync = async (...words: readonly string[]) => {
  const isNew = words[1]?.startsWith("--") === false;
  return await run(["sync", ...words, ...(isNew ? ["--by", "day"] : [])]);
};

const linesOf = (text: string): readonly { readonly [name: string]: unknown }[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Object(JSON.parse(line)));

/** The quietest of some pools: few rows, so that tests are quick. */
beforeAll(async () => {
  const { stdout } = await run(["pools", "search", "ethereum", "--limit", "50", "-o", "ndjson"]);
  pools = linesOf(stdout)
    .map((row) => ({ id: String(row["id"]), chain: String(row["chain"]) }))
    .slice(40);
});

const named = (index: number): string => `ethereum:${pools[index]?.id ?? ""}`;
const listOf = (count: number): string => {
  const file = path.join(folder, `pools-${count}.ndjson`);
  writeFileSync(
    file,
    pools
      .slice(0, count)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(""),
  );
  return `@${file}`;
};

test("the first run keeps exactly the rows of the service, oldest first", async () => {
  const root = path.join(folder, "first");
  const outcome = await sync(root, named(0));
  expect({ exit: outcome.exit, stderr: outcome.stderr }).toEqual({ exit: 0, stderr: "" });
  const pulled = await run([
    "txns",
    "ethereum",
    pools[0]?.id ?? "",
    "--from",
    "2026-11-15",
    "--all",
    "-o",
    "ndjson",
  ]);
  const wanted = linesOf(pulled.stdout).toReversed();
  const rows = await rowsBelow(root);
  expect(rows.map(({ id, log_index }) => [id, log_index])).toEqual(
    wanted.map(({ id, log_index }) => [id, log_index]),
  );
  expect(rows.map(({ amount_0 }) => amount_0)).toEqual(wanted.map(({ amount_0 }) => String(amount_0)));
  expect(wanted.length).toBeGreaterThan(200);
  const names = dataFiles(root).map((name) => name.split("/").slice(-2).join("/"));
  expect(names).toEqual([
    ...["15", "16", "17", "18", "19"].map((date) => `date=2026-11-${date}/rows.parquet`),
    "date=2026-11-20/open.parquet",
    "date=2026-11-21/open.parquet",
  ]);
  const lines = linesOf(outcome.stdout);
  expect(new Set(lines.map(({ file }) => file))).toEqual(new Set(dataFiles(root)));
  expect(lines.reduce((sum, line) => sum + Number(line["rows"]), 0)).toBe(wanted.length);
  const footer = await footerOf(path.join(root, dataFiles(root)[0] ?? ""));
  expect(footer).toMatchObject({ state: "rows", pool: pools[0]?.id, total: footer.rows, lost: [] });
});

test("a run right after another sends nothing and changes nothing", async () => {
  const root = path.join(folder, "idle");
  expect((await sync(root, listOf(2), "--from", "2026-11-20")).exit).toBe(0);
  const before = stampsOf(root);
  sandbox.takeLog();
  const outcome = await sync(root);
  expect(outcome).toMatchObject({ exit: 0, stdout: "", stderr: "" });
  // The rows were read a moment ago; many-files.slow.test.ts has a run an hour later.
  expect(sandbox.takeLog().length).toBe(0);
  expect(stampsOf(root)).toEqual(before);
});

test("N15: the summary names what a run has checked, and what --force checks", async () => {
  const root = path.join(folder, "checked");
  const told = async (...words: readonly string[]): Promise<string> =>
    (await run(["sync", root, ...words], { isTerminal: { stderr: true }, columns: 120 })).stderr;
  const first = await told(named(0), "--from", "2026-11-19", "--by", "day");
  expect(first).not.toMatch(/checked|nothing to fetch/u);
  expect(await told()).toContain(
    "checked the names, sizes and footers of 3 files; --force checks every byte",
  );
  expect(await told()).toContain(
    "nothing to fetch yet: new rows are due a minute after the last run, candles when they close, and pools with their next period",
  );
  expect(await told("--force")).toContain("checked every byte of 3 files");
  expect((await sync(root, "--stats")).stderr).toContain("checked the names, sizes and footers of 3 files");
});

test("candles of pools and tokens are stored, except the partial one", async () => {
  const root = path.join(folder, "candles");
  // Trades in few pools, so that the sandbox has less to fold.
  const token = "0x85ade1e7513bf30c550191a1094cf6cafc120926";
  expect((await sync(root, named(0), "--kind", "ohlcv", "--interval", "10m")).exit).toBe(0);
  expect((await sync(root, `ethereum:${token}`, "--kind", "token-ohlcv", "--from", "2026-10-30")).exit).toBe(
    0,
  );
  expect(dataFiles(root)).toContain(
    `token-ohlcv/network=ethereum/token=${token}/candle=1h/month=2026-10/rows.parquet`,
  );
  const own = path.join(root, "token-ohlcv");
  const pulled = await run(["ohlcv", "ethereum", token, "--from", "2026-10-30", "-o", "ndjson"]);
  const wanted = linesOf(pulled.stdout).filter((row) => row["partial"] !== true);
  expect((await rowsBelow(own)).map((row) => row["time_open"])).toEqual(
    wanted.map((row) => row["time_open"]),
  );
  const before = stampsOf(root);
  sandbox.takeLog();
  expect(await sync(root)).toMatchObject({ exit: 0, stdout: "", stderr: "" });
  expect(sandbox.takeLog().length).toBeLessThanOrEqual(2);
  expect(stampsOf(root)).toEqual(before);
});

test("deleted, truncated and exchanged files are fetched again, byte for byte", async () => {
  const root = path.join(folder, "damage");
  expect((await sync(root, listOf(2), "--from", "2026-11-17")).exit).toBe(0);
  const whole = hashesOf(root);
  const names = dataFiles(root);
  const at = (index: number): string => path.join(root, names[index] ?? "");
  for (const index of [0, 4, 9]) rmSync(at(index));
  for (const index of [1, 6]) truncateSync(at(index), 1000);
  copyFileSync(at(2), path.join(folder, "exchanged"));
  renameSync(at(7), at(2));
  renameSync(path.join(folder, "exchanged"), at(7));
  const outcome = await sync(root);
  expect(outcome.exit).toBe(0);
  expect(outcome.stderr.match(/warning: replaced/gu)?.length).toBe(4);
  expect(hashesOf(root)).toEqual(whole);
});

test("--force finds a flipped bit in a page", async () => {
  const root = path.join(folder, "flipped");
  expect((await sync(root, named(1), "--from", "2026-11-18")).exit).toBe(0);
  const whole = hashesOf(root);
  const file = path.join(root, dataFiles(root)[1] ?? "");
  const bytes = readFileSync(file);
  bytes[500] = (bytes[500] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  expect((await sync(root)).exit).toBe(0);
  expect(hashesOf(root)).not.toEqual(whole);
  const outcome = await sync(root, "--force");
  expect(outcome.exit).toBe(0);
  expect(outcome.stderr).toContain(`replaced ${file}`);
  expect(hashesOf(root)).toEqual(whole);
});

test("one asset that fails is exit 8, and the others are complete", async () => {
  const root = path.join(folder, "failing");
  const missing = `ethereum:0x${"1".repeat(40)}`;
  const outcome = await sync(root, named(0), missing, named(1), "--from", "2026-11-20");
  expect(outcome.exit).toBe(8);
  expect(outcome.stderr).toContain(`not_found`);
  expect(dataFiles(root).length).toBe(4);
  const only = await sync(path.join(folder, "failing-only"), missing);
  expect(only.exit).toBe(3);
});

test("a plan that may not read transactions is exit 4", async () => {
  const outcome = await run(["sync", path.join(folder, "keyless"), named(0)], {
    env: { ...sandbox.env("free") },
  });
  expect(outcome.exit).toBe(4);
});

test("a held lock is exit 7", async () => {
  const root = path.join(folder, "locked");
  expect((await sync(root, named(0), "--from", "2026-11-20")).exit).toBe(0);
  const lock = path.join(root, ".dexdata", "lock");
  const both = await Promise.all([sync(root), sync(root)]);
  expect(new Set(both.map(({ exit }) => exit))).toEqual(new Set([0, 7]));
  expect(both.find(({ exit }) => exit === 7)?.stderr).toContain("is in use by");
  expect(() => readFileSync(lock)).toThrow("ENOENT");
});

test("a list with one bad line is exit 2, and nothing is sent or created", async () => {
  const root = path.join(folder, "bad-list");
  const token =
    '{"chain":"ethereum","id":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","symbol":"WETH","decimals":18}';
  const cases: readonly (readonly [line: string, part: string])[] = [
    [token, "line 2: transactions requires a pool, but the line is a token"],
    ['{"chain":"ethereum"}', "line 2: no address or id"],
    ['{"chain":"ethereum","id":"0x1"', "line 2: invalid JSON"],
    [`{"chain":"ethereum","id":"${usdcWeth}","kind":"trades"}`, 'invalid kind "trades"'],
    [`{"chain":"ethereum","id":"${usdcWeth}","kind":"ohlcv","interval":"2h"}`, 'invalid interval "2h"'],
    [`{"chain":"ethereum","id":"${usdcWeth}","from":"2026-02-30"}`, 'invalid from "2026-02-30"'],
    [`{"chain":"ethereum","id":"${usdcWeth}","from":"2027-02-20"}`, "must not be in the future"],
    [`{"chain":"ethereum","id":"${usdcWeth}","form":"2026-11-01"}`, 'line 2: unknown key "form"'],
    [`{"chain":"ethereum","id":"${usdcWeth}","knid":"ohlcv"}`, 'line 2: unknown key "knid"'],
  ];
  sandbox.takeLog();
  for (const [line, part] of cases) {
    const file = path.join(folder, "bad.ndjson");
    writeFileSync(file, `${JSON.stringify(pools[0])}\n${line}\n`);
    const outcome = await sync(root, `@${file}`);
    const { message } = Object(JSON.parse(outcome.stderr));
    expect({ exit: outcome.exit, message }).toEqual({ exit: 2, message: expect.stringContaining(part) });
  }
  expect(sandbox.takeLog()).toEqual([]);
  expect(() => stampsOf(root)).toThrow("ENOENT");
});

test("a mistyped key of the stored list is exit 2, and the hint has the right one", async () => {
  const root = path.join(folder, "mistyped");
  const list = path.join(root, "assets.ndjson");
  expect((await sync(root, named(0), "--from", "2026-11-20")).exit).toBe(0);
  const line = readFileSync(list, "utf8");
  sandbox.takeLog();
  for (const key of ["kind", "interval", "from", "by", "list", "every", "search", "created_at"]) {
    const typed = `${key.slice(0, -1)}${key.length > 2 ? "" : "z"}`;
    writeFileSync(list, line.replace("}", `,"${typed}":"1h"}`));
    const { exit, stderr } = await run(["sync", root, "--error-format", "text"]);
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: `error: ${list} line 1: unknown key "${typed}"\n  hint: did you mean "${key}"?\n`,
    });
  }
  expect(sandbox.takeLog()).toEqual([]);
});

test("no field of a row from the service is taken for a mistyped key", () => {
  const shapes = [...endpoints, poolPeriods].flatMap(({ rows }) => Object.values(rows));
  expect(shapes.length).toBeGreaterThan(endpoints.length);
  for (const { record, ofMany, added } of shapes) {
    const fields = Object.keys({ ...record, ...ofMany?.record, ...added?.record });
    // Rows with these fields are refused as a transaction or a candle.
    const others = fields.filter((name) => name !== "log_index" && name !== "time_open");
    const row = {
      ...Object.fromEntries(others.map((name) => [name, null])),
      chain: "ethereum",
      address: usdcWeth,
    };
    const line = JSON.stringify(row);
    const read = (text: string) => () => readStoredList(text, "list", sandboxNow);
    // What is not a pool is refused later, with another message.
    if ((kindOfRow(row, undefined) ?? "pool") === "pool") expect(read(line)()).toHaveLength(1);
    else expect(read(line)).toThrow("but the line is a");
    expect(read(line.replace("{", '{"form":null,'))).toThrow('unknown key "form"');
  }
});

test("a directory of another program, of another service or without a list is refused", async () => {
  const other = path.join(folder, "other");
  mkdirSync(other);
  writeFileSync(path.join(other, "thesis.txt"), "");
  expect(await sync(other, named(0))).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("is not empty, and dexdata did not create it"),
  });
  expect(await sync(path.join(folder, "none"))).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("assets.ndjson is missing, or lists no assets"),
  });
  const root = path.join(folder, "service");
  expect((await sync(root, named(0), "--from", "2026-11-20")).exit).toBe(0);
  expect(await dexdata(["sync", root, "--sandbox"])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("another service"),
  });
  expect(await sync(root, "--kind", "ohlcv")).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("--kind requires a list of assets"),
  });
});

test("--max-credits ends a run, and the next ones continue it to the same files", async () => {
  const [root, whole] = [path.join(folder, "budget"), path.join(folder, "budget-whole")];
  const from = ["--from", "2026-11-19"];
  expect((await sync(whole, listOf(2), ...from)).exit).toBe(0);
  const exits: number[] = [];
  for (let runs = 0; runs < 40 && exits.at(-1) !== 0; runs += 1)
    exits.push((await sync(root, listOf(2), ...from, "--max-credits", "3")).exit);
  expect(exits.length).toBeGreaterThan(2);
  expect(new Set(exits.slice(0, -1))).toEqual(new Set([5]));
  expect(exits.at(-1)).toBe(0);
  expect(hashesOf(root)).toEqual(hashesOf(whole));
});

test("an estimate changes nothing, and is close to the cost", async () => {
  const root = path.join(folder, "estimate");
  const outcome = await sync(root, listOf(2), "--estimate");
  const estimate = Object(JSON.parse(outcome.stdout));
  expect(estimate).toMatchObject({ datasets: 2, days: 14, estimate_requests: 2 });
  expect(() => stampsOf(root)).toThrow("ENOENT");
  sandbox.takeLog();
  expect((await sync(root, listOf(2))).exit).toBe(0);
  const requests = sandbox.takeLog().length;
  expect(Math.abs(requests - estimate.requests)).toBeLessThanOrEqual(0.2 * requests + 2);
  const nothing = Object(JSON.parse((await sync(root, "--estimate")).stdout));
  expect(nothing).toMatchObject({ requests: 0, basis: expect.not.stringContaining("search") });
});

test("an estimate of candles of tokens counts the request for each new token", async () => {
  const root = path.join(folder, "token-estimate");
  const tokens = [
    `ethereum:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48`,
    `ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2`,
  ];
  const words = [root, ...tokens, "--kind", "token-ohlcv"];
  const estimated = async () => Object(JSON.parse((await sync(...words, "--estimate")).stdout));
  const { requests } = await estimated();
  sandbox.takeLog();
  expect((await sync(...words)).exit).toBe(0);
  expect(sandbox.takeLog()).toHaveLength(requests);
  const later = await estimated();
  rmSync(path.join(root, "tokens.parquet"));
  expect(await estimated()).toMatchObject({ requests: later.requests + 2 });
});

test("the stored list can be edited, and a list adds to it", async () => {
  const root = path.join(folder, "list");
  const list = path.join(root, "assets.ndjson");
  expect((await sync(root, named(0), "--from", "2026-11-20")).exit).toBe(0);
  const [first = ""] = readFileSync(list, "utf8").split("\n");
  expect(JSON.parse(first)).toEqual({
    kind: "transactions",
    chain: "ethereum",
    address: pools[0]?.id,
    by: "day",
    from: "2026-11-20",
  });
  writeFileSync(list, `# mine\n${first}\n`);
  expect((await sync(root, named(0), named(1), "--from", "2026-11-21")).exit).toBe(0);
  const lines = readFileSync(list, "utf8").trimEnd().split("\n");
  expect(lines.slice(0, 2)).toEqual(["# mine", first]);
  expect(lines.length).toBe(3);
  expect(dataFiles(root).length).toBe(3);
  const earlier = await sync(root, `@${list}`, "--from", "2026-11-19");
  expect(earlier).toMatchObject({
    exit: 0,
    stderr: 'note: --from does not apply to 2 lines with a later "from"\n',
  });
  writeFileSync(list, `${lines[2] ?? ""}\n`);
  sandbox.takeLog();
  expect((await sync(root)).exit).toBe(0);
  expect(sandbox.takeLog().length).toBe(0);
  expect(dataFiles(root).length).toBe(3);
});

test("rows of an interrupted run that have changed on the disk are requested again", async () => {
  const root = path.join(folder, "changed-work");
  const words = [`ethereum:${usdcWeth}`, "--from", "2026-11-21"];
  expect((await sync(root, ...words, "--max-credits", "2")).exit).toBe(5);
  const work = path.join(root, ".dexdata", "work");
  const [staged = ""] = readdirSync(work).filter((name) => name.endsWith(".ndjson"));
  const file = path.join(work, staged);
  writeFileSync(file, readFileSync(file, "utf8").replace("pool_id", "pool_ix"));
  expect(await sync(root)).toMatchObject({ exit: 0, stderr: "" });
  expect((await rowsBelow(root)).every((row) => "pool_id" in Object(row))).toBe(true);
});

test("a local clock that is wrong by more than six hours completes no day", async () => {
  for (const [name, hours] of [
    ["ahead", 50],
    ["behind", -30],
  ] as const) {
    const root = path.join(folder, `clock-${name}`);
    const now = sandboxNow + hours * 3_600_000;
    const outcome = await run(["sync", root, named(2), "--from", "2026-11-19"], { now });
    expect(outcome.exit).toBe(0);
    expect(outcome.stderr).toContain("the clock of this machine is");
    expect(outcome.stderr).toContain("no file was completed in this run");
    expect(dataFiles(root).filter((each) => each.endsWith("rows.parquet"))).toEqual([]);
  }
});
