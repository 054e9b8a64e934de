import { readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { dexdata, run } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
const at = (name: string): string => path.join(folder, name);
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

async function pull(name: string): Promise<void> {
  const words = `txns ethereum ${pool} --from -2h --to 2026-11-21T08:00:00Z --all --out ${at(name)}`;
  const argv = [...words.split(" "), "--receipt", at(`${name}.receipt`)];
  const { exit, stderr } = await dexdata(argv, { env: sandbox.env() });
  expect(exit, stderr).toBe(0);
}

const verify = async (...words: readonly string[]) => await dexdata(["verify", ...words]);
const rulesOf = (stdout: string): readonly unknown[] => rowsOf(stdout).map(({ rule }) => rule);

beforeAll(async () => {
  await pull("rows.ndjson");
  await pull("rows.json");
  await pull("rows.csv");
});

test("a reader that leaves after the first finding does not make the file sound", async () => {
  const text = readFileSync(at("rows.ndjson"), "utf8");
  writeFileSync(at("twice.ndjson"), text + text);
  const context = createTestContext();
  context.stdout.closeAfter(1);
  expect((await run(["verify", at("twice.ndjson")], context)).exit).toBe(8);
});

describe("a receipt", () => {
  test("stands for its file, here or next to it, plain or compressed", async () => {
    const clean = { exit: 0, stdout: "", stderr: "" };
    expect(await verify(at("rows.ndjson.receipt"))).toMatchObject(clean);
    expect(await verify(at("rows.ndjson.receipt"), at("rows.json.receipt"))).toMatchObject(clean);
    await pull("moved.ndjson");
    writeFileSync(at("moved.ndjson.gz"), gzipSync(readFileSync(at("moved.ndjson"))));
    renameSync(at("moved.ndjson"), at("other.ndjson"));
    expect(await verify(at("moved.ndjson.receipt"))).toMatchObject(clean);
    expect(await verify(at("moved.ndjson.receipt"), at("other.ndjson"))).toMatchObject(clean);
  });

  test("of a pull without rows, and therefore without files, is checked", async () => {
    const receipt = at("empty.json");
    const words = `txns ethereum ${pool} --from 2026-11-21T07:00:00Z --to 2026-11-21T07:00:00Z --all --receipt ${receipt}`;
    const argv = [...words.split(" "), "--out", at("empty-{date}.csv")];
    expect((await dexdata(argv, { env: sandbox.env() })).exit).toBe(0);
    expect(await verify(receipt)).toMatchObject({ exit: 0, stdout: "" });
    const text = readFileSync(receipt, "utf8");
    expect(text).toMatch(/"outputs": \[\]/u);
    writeFileSync(receipt, text.replace('"complete": true', '"complete": false'));
    const { exit, stdout } = await verify(receipt);
    expect([exit, rulesOf(stdout)]).toEqual([8, ["H1"]]);
  });

  test.each(["ndjson", "csv.gz", "parquet"])(
    "of several %s files stands for each of them",
    async (ending) => {
      const receipt = at(`split-${ending}.json`);
      const words = `txns ethereum ${pool} --from 2026-11-20T22:00:00Z --to 2026-11-21T02:00:00Z --all --receipt ${receipt}`;
      const out = at(`split-${ending.length}-{date}.${ending}`);
      const { exit, stderr } = await dexdata([...words.split(" "), "--out", out], { env: sandbox.env() });
      expect(exit, stderr).toBe(0);
      expect(await verify(receipt)).toMatchObject({ exit: 0, stdout: "", stderr: "" });
      const second = out.replace("{date}", "2026-11-21");
      const bytes = readFileSync(second);
      bytes[bytes.length - 12] = (bytes.at(-12) ?? 0) ^ 1;
      writeFileSync(second, bytes);
      const damaged = await verify(receipt);
      expect(damaged.exit).toBe(8);
      const found = rowsOf(damaged.stdout).filter(({ rule }) => rule === "F1" || rule === "F2");
      expect(new Set(found.map(({ file }) => file))).toEqual(new Set([second]));
    },
  );

  test("of several files of an incomplete pull: what concerns the pull is found once, with the first file", async () => {
    const receipt = at("split.json");
    const words = `txns ethereum ${pool} --from 2026-11-20T22:00:00Z --to 2026-11-21T02:00:00Z --all --receipt ${receipt}`;
    const argv = [...words.split(" "), "--out", at("incomplete-{date}.csv")];
    expect((await dexdata(argv, { env: sandbox.env() })).exit).toBe(0);
    const text = readFileSync(receipt, "utf8");
    writeFileSync(receipt, text.replace('"complete": true', '"complete": false'));
    const { exit, stdout } = await verify(receipt);
    const found = rowsOf(stdout).map(({ file, rule }) => [file, rule]);
    expect([exit, found]).toEqual([8, [[at("incomplete-2026-11-20.csv"), "H1"]]]);
  });

  test("without its file is a finding", async () => {
    await pull("lost.ndjson");
    renameSync(at("lost.ndjson"), at("found.ndjson"));
    const { exit, stdout } = await verify(at("lost.ndjson.receipt"));
    expect(exit).toBe(8);
    expect(rowsOf(stdout)).toMatchObject([{ rule: "F1", found: "no such file" }]);
  });

  test("of rows on stdout needs their file on the command line", async () => {
    const words = `txns ethereum ${pool} --limit 5 -o ndjson --receipt ${at("stdout.receipt")}`;
    const { stdout } = await dexdata(words, { env: sandbox.env() });
    writeFileSync(at("saved.ndjson"), stdout);
    const alone = await verify(at("stdout.receipt"));
    expect(alone.exit).toBe(2);
    expect(alone.stderr).toContain("the rows were written to stdout");
    expect(rulesOf((await verify(at("stdout.receipt"), at("saved.ndjson"))).stdout)).toEqual(["H2"]);
  });

  test("of an interrupted pull is a finding", async () => {
    const receipt = readFileSync(at("rows.ndjson.receipt"), "utf8");
    const file = at("interrupted.receipt");
    const text = receipt.replace('"complete": true', '"complete": false');
    writeFileSync(file, text.replace('"why_not": null', '"why_not": "SIGINT"'));
    const { exit, stdout } = await verify(file);
    expect(exit).toBe(8);
    expect(rowsOf(stdout)).toMatchObject([{ rule: "H1", line: null, found: "false: SIGINT" }]);
  });

  test.each(["rest.parquet", "rest-{date}.csv", "rest-{date}.ndjson"])(
    "of an unfinished pull into %s has no findings about its work file",
    async (name) => {
      const receipt = at(`${name}.receipt`);
      const words = `txns ethereum ${pool} --day yesterday --all --max-credits 2 --receipt ${receipt}`;
      const argv = [...words.split(" "), "--out", at(name)];
      expect((await dexdata(argv, { env: sandbox.env() })).exit).toBe(5);
      const { exit, stdout } = await verify(receipt);
      expect([exit, rulesOf(stdout)]).toEqual([8, ["H1"]]);
    },
  );

  test.each([
    ["rows", "F4", 8],
    ["first_row", "F4", 8],
    ["last_row", "F4", 8],
    ["missing", "H2", 0],
    ["refused", "H2", 0],
  ])("with other %s is %s, although its file has the right bytes", async (field, rule, exit) => {
    const said = JSON.parse(readFileSync(at("rows.ndjson.receipt"), "utf8"));
    said[field] = typeof said[field] === "number" ? said[field] + 1 : { ...said[field], id: "0x1" };
    writeFileSync(at("contradicting.receipt"), JSON.stringify(said));
    const ended = await verify(at("contradicting.receipt"));
    expect([ended.exit, rowsOf(ended.stdout)]).toMatchObject([exit, [{ rule, field }]]);
  });
});

describe("damaged files", () => {
  const ndjson = (): string => readFileSync(at("rows.ndjson"), "utf8");
  const check = async (name: string, content: string | Buffer): Promise<readonly unknown[]> => {
    writeFileSync(at(name), content);
    const { exit, stdout } = await verify(at(name));
    expect(exit).toBe(stdout === "" ? 0 : 8);
    return rowsOf(stdout).map(({ rule, line }) => [rule, line]);
  };

  test("truncated and damaged gzip data is one finding", async () => {
    const packed = gzipSync(ndjson());
    expect(await check("whole.ndjson.gz", packed)).toEqual([]);
    expect(await check("cut.ndjson.gz", packed.subarray(0, -9))).toEqual([["F2", null]]);
    const changed = Buffer.from(packed);
    changed.writeUInt8(changed.readUInt8(packed.length - 6) ^ 1, packed.length - 6);
    expect(await check("changed.ndjson.gz", changed)).toEqual([["F2", null]]);
  });

  test("a JSON array that ends early, or has text after its end", async () => {
    const json = readFileSync(at("rows.json"), "utf8");
    const rows = ndjson().split("\n").length - 1;
    expect(await check("cut.json", json.slice(0, -2))).toEqual([["F2", rows + 1]]);
    expect(await check("more.json", `${json}[]`)).toEqual([["F2", rows + 1]]);
    expect(await check("comma.json", json.replace("},{", "} {"))).toMatchObject([["F2", expect.any(Number)]]);
    expect(await check("empty.json", "")).toEqual([["F2", 1]]);
    expect(await check("no-rows.json", "[]\n")).toEqual([]);
  });

  test.each(["ndjson", "json"])(
    "a row in %s that lacks a field of the first row is a note",
    async (ending) => {
      const text = readFileSync(at(`rows.${ending}`), "utf8");
      const second = text.indexOf('"token_0"', text.indexOf('"token_0"') + 1);
      const without = text.slice(0, second) + text.slice(second).replace(/"token_0":"[^"]*",/u, "");
      writeFileSync(at(`lacking.${ending}`), without);
      const { exit, stdout } = await verify(at(`lacking.${ending}`));
      expect([exit, rowsOf(stdout).map(({ rule, line, field }) => [rule, line, field])]).toEqual([
        0,
        [["R1", 2, "token_0"]],
      ]);
    },
  );

  test("a note about a value names the types that its field can have", async () => {
    const [first = "", ...rest] = ndjson().split("\n");
    const changed = (field: string, value: string): string =>
      first.replace(new RegExp(`"${field}":[^,}]*`, "u"), `"${field}":${value}`);
    const rows = [first, changed("amount_0", "null"), changed("log_index", "1.5"), changed("price_0", '"1"')];
    writeFileSync(at("types.ndjson"), [...rows, changed("sender", "7"), ...rest].join("\n"));
    const found = rowsOf((await verify(at("types.ndjson"))).stdout).filter(({ rule }) => rule === "R1");
    expect(found.map(({ field, expected, found: value }) => [field, expected, value])).toEqual([
      ["amount_0", "a string or a number", "null"],
      ["log_index", "an integer", "1.5"],
      ["price_0", "a number", "1"],
      ["sender", "a string", "7"],
    ]);
  });

  test("a csv line with a missing cell, a repeated line, and an unpaired quote", async () => {
    const lines = readFileSync(at("rows.csv"), "utf8").split("\n");
    const joined = (changed: readonly string[]): string => [...changed].join("\n");
    const [header = "", first = "", second = "", ...rest] = lines;
    expect(await check("cell.csv", joined([header, first.replace(",", " "), second, ...rest]))).toEqual([
      ["F2", 2],
    ]);
    writeFileSync(at("one-cell.csv"), joined([header, "cell", ""]));
    expect((await verify(at("one-cell.csv"))).stdout).toContain('"found":"1 cell"}');
    expect(await check("twice.csv", joined([header, first, first, second, ...rest]))).toEqual([["R3", 3]]);
    expect(await check("quote.csv", joined([header, `"${first}`, second, ...rest]))).toEqual([["F2", 2]]);
  });

  test("an unknown kind of row is only read, which is a finding", async () => {
    expect(await check("unknown.ndjson", '{"a":1}\n{"a":1}\n')).toEqual([["F2", 1]]);
    expect(await check("unknown-cut.ndjson", '{"a":1}\n{"a":1')).toEqual([
      ["F2", 2],
      ["F2", 1],
    ]);
  });

  test("one step up in falling candles is found, and so is one step down in rising ones", async () => {
    const candle = (hour: number): string =>
      JSON.stringify({
        time_open: `2026-11-20T0${hour}:00:00Z`,
        time_close: `2026-11-20T0${hour + 1}:00:00Z`,
        open: 1,
        high: 1,
        low: 1,
        close: 1,
        volume: 1,
      });
    const found = async (hours: readonly number[]): Promise<unknown> => {
      writeFileSync(at("steps.ndjson"), hours.map((hour) => `${candle(hour)}\n`).join(""));
      return rowsOf((await verify(at("steps.ndjson"))).stdout).map(({ rule, line }) => [rule, line]);
    };
    expect(await found([6, 5, 3, 4, 2, 1])).toEqual([["R5", 4]]);
    expect(await found([1, 2, 4, 3, 5, 6])).toEqual([["R5", 4]]);
  });

  test("late rows are a note if they come from txns --follow, and a finding if they come from a pull", async () => {
    const rows = ndjson().split("\n").slice(0, 40);
    const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
    const exchanged = rows.with(10, rows[30] ?? "").with(30, rows[10] ?? "");
    writeFileSync(at("pulled.ndjson"), text(exchanged));
    expect((await verify(at("pulled.ndjson"))).exit).toBe(8);
    writeFileSync(at("followed.ndjson"), text(exchanged.toReversed()));
    const { exit, stdout } = await verify(at("followed.ndjson"));
    expect(exit).toBe(0);
    expect(rowsOf(stdout)).toMatchObject([
      { rule: "R5", level: "note" },
      { rule: "R5", level: "note" },
    ]);
  });
});

test("the table counts findings for each file and shows the first places of each rule", async () => {
  const rows = readFileSync(at("rows.ndjson"), "utf8").split("\n").slice(0, 20);
  writeFileSync(at("table.ndjson"), rows.flatMap((row) => [`${row}\n`, `${row}\n`]).join(""));
  const { exit, stdout, stderr } = await dexdata(["verify", at("table.ndjson")], {
    isTerminal: true,
    columns: 80,
  });
  expect(exit).toBe(8);
  expect(stdout).toMatch(/^ *40 +20 +0 +transaction +F2 R3 R4 R5 R1 T3 T7\s+\S+table\.ndjson$/mu);
  expect(stdout).toContain("R3: 20 findings; expected: no row appears twice");
  expect(stdout).toContain("and 17 more; show all: -o ndjson");
  expect(stderr).toMatch(/^1 file, 40 rows, 20 findings, 0 notes, .*s\n$/u);
});

test("every format contains all findings", async () => {
  const file = at("table.ndjson");
  expect(rowsOf((await verify(file, "-o", "ndjson")).stdout)).toHaveLength(20);
  expect(JSON.parse((await verify(file, "-o", "json")).stdout)).toHaveLength(20);
  const csv = (await verify(file, "-o", "csv")).stdout.trimEnd().split("\n");
  expect(csv[0]).toBe("file,line,rule,level,field,expected,found");
  expect(csv).toHaveLength(21);
});

test.each([
  [[], "missing <file|directory…>"],
  [["/none.ndjson"], "cannot be read (no such file)"],
  [["-"], "write the rows to a file first, with --out"],
  [[folder], "is a directory"],
])("%j exits 2", async (words, message) => {
  const { exit, stdout, stderr } = await verify(...words);
  expect(exit).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain(message);
});

test("changes no file", async () => {
  const before = readFileSync(at("rows.ndjson.receipt"));
  await verify(at("table.ndjson"), at("rows.ndjson.receipt"), at("rows.ndjson"));
  expect(readFileSync(at("rows.ndjson.receipt"))).toEqual(before);
});

test("an interruption ends it with the code of the signal", async () => {
  const context = createTestContext({});
  const ending = run(["verify", at("rows.ndjson"), at("rows.csv")], context);
  context.interrupt({ cause: "SIGINT" });
  expect((await ending).exit).toBe(130);
});

describe("N3: a file that was not really checked is a finding", () => {
  const csv = (): string => readFileSync(at("rows.csv"), "utf8");
  const repeated = (): string => {
    const lines = csv().split("\n");
    return [...lines.slice(0, 3), lines[2], ...lines.slice(3)].join("\n");
  };

  test("CRLF and a byte order mark change nothing, and repeated rows are found", async () => {
    writeFileSync(at("windows.csv"), `\uFEFF${csv().replaceAll("\n", "\r\n")}`);
    expect(await verify(at("windows.csv"))).toMatchObject({ exit: 0, stdout: "", stderr: "" });
    writeFileSync(at("windows-twice.csv"), repeated().replaceAll("\n", "\r\n"));
    const { exit, stdout } = await verify(at("windows-twice.csv"));
    expect(exit).toBe(8);
    expect(rulesOf(stdout)).toContain("R3");
    writeFileSync(at("windows.ndjson"), readFileSync(at("rows.ndjson"), "utf8").replaceAll("\n", "\r\n"));
    expect(await verify(at("windows.ndjson"))).toMatchObject({ exit: 0, stdout: "" });
  });

  test.each([
    ["semicolons.csv", () => csv().replaceAll(",", ";"), "other fields"],
    ["headless.csv", () => csv().split("\n").slice(1).join("\n"), "other fields"],
    ["joined.csv", () => csv() + csv(), "the header again"],
    ["wrapped.json", () => `{"transactions":${readFileSync(at("rows.json"), "utf8")}}`, "other fields"],
    ["data.json", () => `{"data":${readFileSync(at("rows.json"), "utf8")}}`, "other fields: data"],
    ["other.ndjson", () => '{"a":1}\n', "other fields: a"],
    ["pools.json", () => '{"pools":[{"id":"0x1"}]}', "other fields: pools"],
    ["receipt.json", () => "{}", "no fields"],
    ["empty.csv", () => "", "no line"],
    ["empty.tsv", () => "", "no line"],
    ["empty.ndjson.gz", () => "", "damaged or truncated data"],
    ["empty.csv.gz", () => "", "damaged or truncated data"],
    ["rows.txt", () => "ID  CHAIN\n", "invalid JSON"],
  ])("%s", async (name, text, found) => {
    writeFileSync(at(name), text());
    const { exit, stdout } = await verify(at(name));
    expect(exit).toBe(8);
    expect(rowsOf(stdout)[0]).toMatchObject({ rule: "F2", found: expect.stringContaining(found) });
  });

  test.each([
    ["of a new pool", '"first_seen":"2026-11-21T08:54:00Z","as_of":"2026-11-21T08:54:00Z","row"'],
    ["of a group", '"group":"transactions","row"'],
    ["of an event", '"feed":"transactions","event":"swap","network":"ethereum","data"'],
  ])("a repeated row is found within the envelope %s", async (_, before) => {
    const lines = readFileSync(at("rows.ndjson"), "utf8").trimEnd().split("\n");
    const wrapped = [...lines, lines[1]].map((row) => `{${before}:${row}}\n`);
    writeFileSync(at("wrapped.ndjson"), wrapped.slice(0, -1).join(""));
    expect(await verify(at("wrapped.ndjson"))).toMatchObject({ exit: 0, stdout: "" });
    writeFileSync(at("wrapped.ndjson"), wrapped.join(""));
    const { exit, stdout } = await verify(at("wrapped.ndjson"));
    expect({ exit, rules: new Set(rulesOf(stdout)) }).toEqual({ exit: 8, rules: new Set(["R3", "R5"]) });
  });

  test("--kind sets the kind of rows, and a table shows the rules that were checked", async () => {
    expect(await verify(at("other.ndjson"), "--kind", "other")).toMatchObject({ exit: 0, stdout: "" });
    expect((await verify(at("other.ndjson"), "--kind", "trade")).exit).toBe(2);
    const { stdout } = await verify(
      at("rows.csv"),
      at("other.ndjson"),
      "-o",
      "table",
      "--kind",
      "transaction",
    );
    expect(stdout).toMatch(/transaction +F2 R3 R4 R5 R1 T3 T7 +/u);
    const { stdout: other } = await verify(at("other.ndjson"), "-o", "table");
    expect(other).toMatch(/1 +1 +0 +unknown +F2 +/u);
  });

  test.each(["rows.ndjson", "rows.json", "rows.csv", "rows.parquet", "rows.ndjson.receipt"])(
    "--kind does not turn transactions into candles: %s",
    async (name) => {
      if (name.endsWith("parquet")) await pull(name);
      const { exit, stdout } = await verify(at(name), "--kind", "candle");
      expect(exit).toBe(8);
      const [only, ...others] = rowsOf(stdout);
      expect(only).toMatchObject({ rule: "F2", line: 1, expected: "fields of a candle" });
      expect(others).toEqual([]);
    },
  );

  test.each(["", " --in ethereum:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"])(
    "past prices%s",
    async (words) => {
      const token = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
      const { stdout } = await dexdata(`prices ethereum ${token} --at -1d --at -2h${words}`, {
        env: sandbox.env(),
      });
      writeFileSync(at("past.ndjson"), stdout);
      const clean = await verify(at("past.ndjson"), "-o", "table");
      expect(clean).toMatchObject({
        exit: 0,
        stdout: expect.stringMatching(/2 +0 +0 +past-price +F2 R1 /u),
      });
      writeFileSync(at("past.ndjson"), stdout.replace(/"candle":"[^"]*"/u, '"candle":5'));
      const { stdout: found } = await verify(at("past.ndjson"));
      expect(rulesOf(found)).toEqual(["R1"]);
    },
  );

  test("missing candles are looked for only if empty intervals have rows, and only then H1 is shown", async () => {
    const candle = (hour: number, more = "") =>
      `{"time_open":"2026-11-20T0${hour}:00:00Z","time_close":"2026-11-20T0${hour + 1}:00:00Z","open":1,"high":1,"low":1,"close":1,"volume":1${more}}\n`;
    const filled = `{"time_open":"2026-11-20T03:00:00Z","time_close":"2026-11-20T04:00:00Z","open":null,"high":null,"low":null,"close":null,"volume":0,"filled":true}\n`;
    writeFileSync(at("plain.ndjson"), candle(0) + candle(2));
    writeFileSync(at("filled.ndjson"), candle(0) + candle(2) + filled);
    const plain = await verify(at("plain.ndjson"), "-o", "table");
    expect(plain).toMatchObject({ exit: 0, stdout: expect.not.stringContaining("H1") });
    const gap = await verify(at("filled.ndjson"), "-o", "table");
    expect(gap).toMatchObject({
      exit: 8,
      stdout: expect.stringMatching(/candle +F2 .*H1.*\n[^]*H1: 1 finding/u),
    });
  });

  test("rows with chosen fields and the groups of a search are known", async () => {
    writeFileSync(at("chosen.ndjson"), '{"created_at":"2026-11-20T00:00:00Z","amount_0":"1"}\n');
    const { exit, stdout } = await verify(at("chosen.ndjson"), "-o", "table");
    expect(exit).toBe(0);
    expect(stdout).toMatch(/transaction +F2 R4 R5 R1 T3 T7 +/u);
    writeFileSync(at("found.json"), '{"tokens":[],"pools":[],"dexes":[]}\n');
    expect(await verify(at("found.json"))).toMatchObject({ exit: 0, stdout: "" });
    writeFileSync(at("found.ndjson"), '{"group":"pools","row":{"id":"0x1","chain":"ethereum"}}\n');
    expect(await verify(at("found.ndjson"))).toMatchObject({ exit: 0, stdout: "" });
  });

  test("rows after the fields of --prefix are checked like others", async () => {
    const [name, receipt] = [at("rows.kv"), at("rows.kv.receipt")];
    const words = `txns ethereum ${pool} --from -1h --all --prefix pool_id,id --out ${name} --receipt ${receipt}`;
    expect((await dexdata(words.split(" "), { env: sandbox.env() })).exit).toBe(0);
    expect(await verify(receipt)).toMatchObject({ exit: 0, stdout: "", stderr: "" });
    expect((await verify(name, "-o", "table")).stdout).toMatch(/transaction +F2 R3 R4 R5 R1 T3 T7 +/u);
    const [first = "", second = "", third = "", ...rest] = readFileSync(name, "utf8").split("\n");
    writeFileSync(name, [first, second, third.slice(third.indexOf("\t") + 1), second, ...rest].join("\n"));
    const { exit, stdout } = await verify(name);
    expect(exit).toBe(8);
    expect(rowsOf(stdout).map(({ line, rule }) => [line, rule])).toEqual([
      [3, "F2"],
      [4, "R3"],
    ]);
  });

  test("an empty list in NDJSON is sound", async () => {
    writeFileSync(at("none.ndjson"), "");
    expect(await verify(at("none.ndjson"))).toMatchObject({ exit: 0, stdout: "" });
  });
});
