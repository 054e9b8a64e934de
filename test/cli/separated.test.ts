import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { endpoints } from "../../src/api/endpoints/all.ts";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf } from "../harness/rows.ts";
import { useSandbox } from "../harness/sandbox.ts";
import { json, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { parseCsv, parseTsv } from "../render/separated-values.ts";

const sandbox = useSandbox();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

let server: ScriptedServer;

async function answerWith(body: string, words: string | readonly string[]) {
  server = await serveInTest(() => json(body));
  const { exit, stdout, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
  return { exit, stdout, stderr };
}

/** One command line for each command of the service. */
const commands = [
  "networks",
  "dexes ethereum --limit 3",
  `pool ethereum ${pool}`,
  `pool ethereum ${pool} ${pool}`,
  `txns ethereum ${pool} --limit 20`,
  `prices ethereum ${weth} 0x${"0".repeat(40)} --missing null`,
  `token ethereum ${weth}`,
  "tokens search --chains celo --limit 3",
  "tokens search celo --limit 3",
  "pools search --chains celo --limit 3",
  "pools search ethereum --limit 3",
  "search weth",
  "search uniswap --type dexes",
  `ohlcv ethereum ${weth} --count-back 5 --fill null`,
  `ohlcv ethereum ${pool} --pool --count-back 3`,
  "api /networks",
  "api /networks/ethereum/pools/search --paginate --limit 3",
];

describe("csv and tsv", () => {
  test.each(commands)(
    "%s: both have the same cells, and every line as many as the header",
    async (command) => {
      const env = { ...sandbox.env(), DEXDATA_NOW: "2026-11-21T08:54:00Z" };
      const [csv, tsv] = [
        await dexdata(`${command} -o csv`, { env, isTerminal: { stdout: true }, columns: 40 }),
        await dexdata(`${command} -o tsv`, { env }),
      ];
      expect([csv.exit, csv.stderr, tsv.exit, tsv.stderr]).toEqual([0, "", 0, ""]);
      const rows = parseCsv(csv.stdout);
      expect(rows.length).toBeGreaterThan(1);
      expect(new Set(rows.map((cells) => cells.length)).size).toBe(1);
      expect(new Set(rows[0]).size).toBe(rows[0]?.length);
      expect(parseTsv(tsv.stdout)).toEqual(rows);
    },
  );

  test("contain the values of ndjson, digit for digit", async () => {
    const command = `txns ethereum ${pool} --limit 50 --to 2026-11-21T08:00:00Z`;
    const fields = "id,log_index,amount_0,amount_1,price_0,created_at";
    const lines = (await dexdata(`${command} -o ndjson`, { env: sandbox.env() })).stdout
      .trimEnd()
      .split("\n");
    const { stdout } = await dexdata(`${command} -o csv --fields ${fields}`, { env: sandbox.env() });
    const [header, ...rows] = parseCsv(stdout);
    expect(header).toEqual(fields.split(","));
    expect(rows.length).toBe(50);
    for (const [index, row] of rows.entries()) {
      for (const [column, name] of fields.split(",").entries())
        expect(lines[index]).toMatch(new RegExp(`"${name}":"?${row[column]}"?[,}]`, "u"));
    }
  });

  test("request names and symbols, as a table does", async () => {
    sandbox.takeLog();
    await dexdata("pools search ethereum --limit 1 -o csv", { env: sandbox.env() });
    await dexdata("pools search ethereum --limit 1 -o csv --fields id", { env: sandbox.env() });
    expect(sandbox.takeLog().map(({ url }) => url.includes("detailed=true"))).toEqual([true, false]);
  });

  test.each([
    ["pools search ethereum", "tokens.0.symbol"],
    ["pools search --chains base", "tokens.1.decimals"],
    ["tokens search ethereum", "24h.txns"],
    ["tokens search --chains base", "symbol"],
  ])("%s returns %s with the same value in every format", async (command, field) => {
    const printAs = async (format: string): Promise<string> => {
      const words = `${command} --limit 5 --fields ${field} --no-header -o ${format}`;
      return (await dexdata(words, { env: sandbox.env() })).stdout;
    };
    const values = (await printAs("tsv")).trimEnd().split("\n");
    expect(values).toEqual(Array(5).fill(expect.stringMatching(/./u)));
    expect((await printAs("csv")).trimEnd().split("\n")).toEqual(values);
    const lines = await printAs("ndjson");
    expect(rowsOf(lines).map((row) => String(row[field]))).toEqual(values);
    expect(JSON.parse(await printAs("json"))).toEqual(rowsOf(lines));
  });

  test.each([
    ["pools", "id,tokens.0.symbol", true],
    ["pools", "tokens.*.24h.volume_usd", true],
    ["pools", "tokens.0.id,tokens.0.has_image,created_at", false],
    ["tokens", "address,symbol", true],
    ["tokens", "1m", true],
    ["tokens", "address,fdv_usd,volume_usd_24h", false],
  ])("request a detailed %s search if %s requires it: %s", async (what, fields, isFull) => {
    const command = `${what} search ethereum --limit 1 --fields ${fields} -o`;
    const formats = fields.startsWith("id,")
      ? ["csv", "tsv", "table", "wide", "ndjson", "json"]
      : ["csv", "table"];
    for (const format of formats) {
      sandbox.takeLog();
      const { stderr, stdout } = await dexdata(`${command} ${format}`, { env: sandbox.env() });
      const [asked] = sandbox.takeLog();
      expect(asked?.url.includes("detailed=true")).toBe(isFull);
      if (format === "csv") expect([stderr, stdout]).toEqual(["", expect.not.stringMatching(/^,|,,|,$/mu)]);
    }
  });

  test("a token name cannot forge a row or a formula", async () => {
    const name = '=cmd|"/c calc"!A1\n0x2,"x"\t\u202e';
    const body = JSON.stringify({
      results: [{ address: "0x1", chain: "ethereum", name }],
      has_next_page: false,
    });
    const words = "tokens search ethereum --fields address,name -o";
    expect(await answerWith(body, `${words} csv`)).toEqual({
      exit: 0,
      stdout: `address,name\n0x1,"'=cmd|""/c calc""!A1\\n0x2,""x""\\t\\u{202e}"\n`,
      stderr: "",
    });
    expect((await answerWith(body, `${words} tsv --no-header`)).stdout).toBe(
      `0x1\t=cmd|"/c calc"!A1\\n0x2,"x"\\t\\xe2\\x80\\xae\n`,
    );
  });

  test("an unknown path requires --fields, and prints the elements of an array or the object itself", async () => {
    expect(await answerWith("[]", "api /networks/a/new -o csv --error-format text")).toEqual({
      exit: 2,
      stdout: "",
      stderr:
        "error: --output csv: no columns are known for /networks/a/new\n  hint: choose fields: --fields id,…\n",
    });
    expect(server.requests).toEqual([]);
    const { stdout } = await answerWith('[{"id":1.0},{"id":{"a" :2}},7]', "api /new -o csv --fields id");
    expect(stdout).toBe('id\n1.0\n"{""a"":2}"\n""\n');
    expect((await answerWith('{"id":1.0}', "api /new -o tsv --fields id")).stdout).toBe("id\n1.0\n");
  });

  test.each(["csv", "tsv"])("%s: the command that continues repeats no header", async (format) => {
    const env = { ...sandbox.env(), DEXDATA_NOW: "2026-11-21T08:54:00Z" };
    const words = ["dexes", "ethereum", "--limit", "4", "--page-size", "4", "-o", format];
    const first = await dexdata(words, { env, isTerminal: { stderr: true }, columns: 400 });
    const next = /next page: dexdata (.*)/u.exec(first.stderr)?.[1]?.split(" ") ?? [];
    expect(next).toContain("--no-header");
    const second = await dexdata(next, { env });
    const whole = await dexdata(["dexes", "ethereum", "--limit", "8", "-o", format], { env });
    expect(first.stdout + second.stdout).toBe(whole.stdout);
  });

  test("--resume continues below the header, and the receipt counts only rows", async () => {
    const folder = temporaryFolder();
    const [file, receipt] = [path.join(folder, "x.csv"), path.join(folder, "receipt.json")];
    const words = ["pools", "search", "ethereum", "--limit", "30", "--page-size", "10", "-o", "csv"];
    const into = [...words, "--out", file, "--resume", "--receipt", receipt];
    const env = { ...sandbox.env(), DEXDATA_NOW: "2026-11-21T08:54:00Z" };
    const cut = await dexdata([...into, "--max-credits", "2"], { env });
    expect(cut.exit).toBe(5);
    expect(parseCsv(readFileSync(file, "utf8")).length).toBe(21);
    expect((await dexdata(into, { env })).exit).toBe(0);
    expect(readFileSync(file, "utf8")).toBe((await dexdata(words, { env })).stdout);
    expect(JSON.parse(readFileSync(receipt, "utf8"))).toMatchObject({ rows: 30, complete: true });
  });

  test("a file with the extension .csv, .tsv or .json gets that format, unless another one is set", async () => {
    const folder = temporaryFolder();
    const written = async (name: string, ...flags: readonly string[]): Promise<string> => {
      const file = path.join(folder, name);
      const words = ["networks", "--fields", "id", "--out", file, ...flags];
      expect((await dexdata(words, { env: sandbox.env() })).exit).toBe(0);
      return readFileSync(file, "utf8").split("\n", 1)[0] ?? "";
    };
    expect(await written("a.csv")).toBe("id");
    expect(await written("b.TSV", "--no-header")).toBe("ethereum");
    expect(await written("c.csv", "-o", "ndjson")).toBe('{"id":"ethereum"}');
    expect(JSON.parse(await written("d.json", "--limit", "2"))).toEqual([
      { id: "ethereum" },
      { id: expect.any(String) },
    ]);
    expect(await written("e.json", "-o", "ndjson")).toBe('{"id":"ethereum"}');
    expect(await written("csv")).toBe('{"id":"ethereum"}');
    for (const words of [
      `stream ethereum ${weth} --out a.csv`,
      `txns ethereum ${pool} --follow --out a.tsv`,
      `stream ethereum ${weth} --out a.json`,
      `txns ethereum ${pool} --follow --out a.JSON`,
    ]) {
      const { exit, stderr } = await dexdata(`${words} --error-format text`, { env: sandbox.env() });
      expect(exit).toBe(2);
      expect(stderr).toMatch(
        /: (?:a stream|--follow) writes ndjson\n {2}hint: use the extension \.ndjson\n$/u,
      );
    }
  });

  test("can be set in the environment and the config file; errors are then printed as text", async () => {
    const { exit, stdout, stderr } = await dexdata(
      "pool ethereum 0x0000000000000000000000000000000000000001",
      {
        env: { ...sandbox.env(), DEXDATA_OUTPUT: "csv" },
      },
    );
    expect({ exit, stdout }).toEqual({ exit: 3, stdout: "" });
    expect(stderr).toMatch(/^error: pool 0x0{39}1 not found/u);
    const listed = await dexdata("config list -o tsv --no-header", { env: { DEXDATA_OUTPUT: "csv" } });
    expect(parseTsv(listed.stdout)).toContainEqual(["output", "csv", "environment", "DEXDATA_OUTPUT"]);
  });
});

describe("--fields ?", () => {
  test.each(
    endpoints.map(({ command, chosenBy }) => `${command}${chosenBy === undefined ? "" : ` --${chosenBy}`}`),
  )("%s: lists fields, without a request or an address", async (command) => {
    const { exit, stdout, stderr } = await dexdata([...command.split(" "), "--fields", "?", "-o", "csv"]);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    const [header, ...rows] = parseCsv(stdout);
    expect(header?.slice(-4)).toEqual(["field", "type", "meaning", "given"]);
    expect(rows.length).toBeGreaterThan(3);
  });

  test("lists the fields of the rows", async () => {
    const { stdout } = await dexdata(["pool", "--fields", "?", "-o", "csv", "--no-header"]);
    const listed = parseCsv(stdout).filter((row) => row.at(-1) === "always");
    const fields = listed.map(([field]) => field).join(",");
    const row = await dexdata(`pool ethereum ${pool} --fields ${fields} -o csv`, { env: sandbox.env() });
    expect(row.stderr).toBe("");
    expect(parseCsv(row.stdout)[1]).not.toContain(undefined);
  });

  test("lists the fields of an API path as paths in the response", async () => {
    const { stdout } = await dexdata([
      "api",
      "/networks/ethereum/pools/search",
      "--fields",
      "?",
      "-o",
      "csv",
    ]);
    expect(stdout).toMatch(/^field.*\nresults\.0\.id,/u);
    const rows = await dexdata([
      "api",
      "/networks/ethereum/pools/search",
      "--paginate",
      "--fields",
      "?",
      "-o",
      "csv",
    ]);
    expect(rows.stdout).toMatch(/^field.*\nid,/u);
    const unknown = await dexdata(["api", "/new", "--fields", "?"]);
    expect(unknown.exit).toBe(2);
  });
});

describe("a field that no row has", () => {
  const body =
    '{"results":[{"id":"0x1","chain":"ethereum","new":null,"tokens":[{"id":"0x2"}]}],"has_next_page":false}';

  test.each([
    ["id,new,tokens.*.id,tokens.0", ""],
    ["zzz", `warning: no row has the field "zzz" (list fields: --fields '?')\n`],
  ])("%s: %j", async (fields, warning) => {
    for (const format of ["ndjson", "csv", "table"]) {
      const { exit, stderr } = await answerWith(
        body,
        `pools search ethereum --fields ${fields} -o ${format}`,
      );
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: warning });
    }
  });

  test.each([
    ["voluem_usd_24h", "volume_usd_24h"],
    ["tokens.*.symbl", "tokens.*.symbol"],
    ["symbol", "tokens.0.symbol"],
  ])("%s: is refused, because %s is close to it", async (fields, near) => {
    const { exit, stderr } = await answerWith(body, `pools search ethereum --fields ${fields} -o csv`);
    expect(exit).toBe(2);
    expect(stderr).toContain(`hint: did you mean ${near}?`);
  });

  test("causes no warning if no row was found or the field may exist", async () => {
    const none = '{"results":[],"has_next_page":false}';
    expect((await answerWith(none, "pools search ethereum --fields zzz")).stderr).toBe("");
    expect((await answerWith('{"plan":"free"}', "usage --fields plan,credits.used")).stderr).toBe("");
  });
});
