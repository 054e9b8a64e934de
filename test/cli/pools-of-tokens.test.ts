import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { fieldOf, rowsOf, toRow } from "../harness/rows.ts";
import { json, type Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const [A, B, C] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`, `0x${"c".repeat(40)}`];
const poolId = (index: number): string => `0x${String(index).padStart(40, "0")}`;

interface Pool {
  readonly id: string;
  readonly tokens: readonly string[];
}

/** One pool in 16 has A, and two of three of these have B, as all others do. */
const market: readonly Pool[] = Array.from({ length: 960 }, (_, index) => {
  const number = index + 1;
  const tokens = number % 16 > 0 ? [B] : number % 48 === 0 ? [A] : [A, B];
  return { id: poolId(number), tokens: number % 5 === 0 ? [...tokens, C] : tokens };
});

const row = ({ id, tokens }: Pool) => ({
  id,
  chain: "ethereum",
  tokens: tokens.map((each) => ({ id: each, chain: "ethereum" })),
});

/** Answers as the service does: one filter, pages with a cursor. */
const search =
  (pools: readonly Pool[], draw: (pool: Pool) => object = row): Script =>
  ({ query }) => {
    const list = pools.filter(({ tokens }) => tokens.includes(query.get("token_address") ?? ""));
    const [from, size] = [Number(query.get("cursor") ?? 0), Number(query.get("limit"))];
    const end = from + size;
    const more = end < list.length && { next_cursor: String(end) };
    return json({
      results: list.slice(from, end).map(draw),
      has_next_page: more !== false,
      ...more,
    });
  };

async function serve(script: Script = search(market)) {
  const server = await serveInTest(script);
  const run = async (words: string, format = "ndjson") =>
    await dexdata(`pools search ethereum ${words} -o ${format}`, { env: { DEXDATA_BASE_URL: server.url } });
  const sent = (): readonly string[] =>
    server.requests.map(({ query }) => `${query.get("token_address")?.[2]}${query.get("cursor") ?? 0}`);
  return { run, sent, server };
}

const both = market.filter(({ tokens }) => tokens.includes(A) && tokens.includes(B)).map(({ id }) => id);

describe("several --token", () => {
  test("can be written with a comma", async () => {
    const { run } = await serve();
    const { exit, stdout } = await run(`--token ${B},${A} --all`);
    expect([exit, rowsOf(stdout).map((each) => each["id"])]).toEqual([0, both]);
  });

  test("returns the pools with all of them from the list that ends sooner, in any order", async () => {
    const { run, sent } = await serve();
    const first = await run(`--token ${B} --token ${A} --all --page-size 50`);
    expect(first).toMatchObject({
      exit: 0,
      stderr: "note: found 40 pools with all tokens in 110 rows\n",
    });
    expect(fieldOf(first.stdout, "id")).toEqual(both);
    expect(sent()).toEqual(["a0", "b0", "a50"]);
    const other = await run(
      `--token ${A.toUpperCase().replace("0X", "0x")} --token ${B} --token ${A} --all --page-size 50`,
    );
    expect(other.stdout).toBe(first.stdout);
    expect(sent().slice(3)).toEqual(["a0", "b0", "a50"]);
  });

  test("reads no other list if the first one has only one page, and sends one request ahead of nothing", async () => {
    const { run, sent } = await serve();
    const { stdout } = await run(`--token ${A} --token ${B} --all`);
    expect([fieldOf(stdout, "id"), sent()]).toEqual([both, ["a0"]]);
    const limited = await run(`--token ${A} --token ${B} --limit 3 --page-size 20 -q`);
    expect(fieldOf(limited.stdout, "id")).toEqual(both.slice(0, 3));
    expect([limited.stderr, sent().slice(1)]).toEqual(["", ["a0", "b0"]]);
  });

  test("of three tokens finds pools with all three", async () => {
    const { run } = await serve();
    const { stdout } = await run(`--token ${A} --token ${B} --token ${C} --all`);
    const expected = market.filter(({ tokens }) => [A, B, C].every((each) => tokens.includes(each)));
    expect(fieldOf(stdout, "id")).toEqual(expected.map(({ id }) => id));
    expect(expected.length).toBeGreaterThan(5);
  });

  test("stops before --max-rows-read, with exit code 8 if all rows were requested", async () => {
    const { run, sent } = await serve();
    const receipt = path.join(temporaryFolder(), "receipt.json");
    const words = `--token ${A} --token ${B} --page-size 10 --max-rows-read 45 --receipt ${receipt}`;
    const all = await run(`${words} --all`);
    expect(all.exit).toBe(8);
    expect(fieldOf(all.stdout, "id")).toEqual(both.slice(0, 20));
    expect(all.stderr).toBe(
      "note: found 20 pools with all tokens in 40 rows\n" +
        "warning: stopped after 40 rows read (--max-rows-read), but the list continues; more pools may contain all tokens\n",
    );
    expect(sent()).toHaveLength(4);
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({
      condition: { contains_all: [A, B] },
      rows: 20,
      rows_read: 40,
      complete: false,
      more: true,
      next: null,
      exit: 8,
    });
    expect(await run(words)).toMatchObject({ exit: 0 });
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({ rows: 10, complete: true });
    expect(await run(`${words} --limit 21`)).toMatchObject({ exit: 0 });
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({ rows: 20, complete: false, exit: 0 });
    expect(await run(`${words} --limit 21 --out ${receipt}.ndjson`)).toMatchObject({ exit: 8 });
    const parquet = `${receipt}.parquet`;
    expect(await run(`${words} --all --out ${parquet}`, "parquet")).toMatchObject({ exit: 8 });
    expect(readFileSync(parquet, "latin1")).toContain('"complete":false');
  });

  test("stopped by --max-rows-read still ends with exit code 8 if it was killed before its checkpoint was removed", async () => {
    const folder = temporaryFolder();
    const [whole, file] = [path.join(folder, "whole.ndjson.gz"), path.join(folder, "rows.ndjson.gz")];
    let isTaken = false;
    const { run } = await serve((request, index) => {
      if (isTaken) writeFileSync(file, "precious");
      return search(market)(request, index);
    });
    const pull = async (out: string) =>
      await run(`--token ${A},${B} --all --page-size 10 --max-rows-read 45 --out ${out} --resume`);
    await pull(whole);
    isTaken = true;
    await pull(file);
    rmSync(`${file}.part`);
    copyFileSync(whole, file);
    expect(await pull(file)).toMatchObject({ exit: 8, stderr: `${file} is already complete: 20 rows\n` });
  });

  test("an interrupted pull continues in the same list, at most to the same number of rows", async () => {
    const { run, sent } = await serve();
    const [file, whole] = [
      path.join(temporaryFolder(), "a.ndjson"),
      path.join(temporaryFolder(), "b.ndjson"),
    ];
    const words = `--token ${A} --token ${B} --page-size 10 --all`;
    const cut = await run(`${words} --out ${file} --max-credits 4`);
    expect(cut.exit).toBe(5);
    expect(cut.stderr).toContain(`--token ${A} --token ${B}`);
    const before = sent().length;
    const other = await run(`--token ${B} --token ${A} --page-size 10 --all --out ${file} --resume`);
    expect(other).toMatchObject({ exit: 0, stderr: "note: found 40 pools with all tokens in 70 rows\n" });
    expect(sent().slice(before)).toEqual(["a30", "a40", "a50"]);
    expect(await run(`${words} --out ${whole}`)).toMatchObject({ exit: 0 });
    expect(readFileSync(file, "utf8")).toBe(readFileSync(whole, "utf8"));
  });

  test.each([1, 2])(
    "a list that ends %d times without a pool of another one is read again once, and then incomplete",
    async (times) => {
      const whole = search(market);
      let empty = 0;
      const { run } = await serve((request, index) => {
        const isEmpty = request.query.get("token_address") === C && (empty += 1) <= times;
        return isEmpty ? json({ results: [], has_next_page: false }) : whole(request, index);
      });
      const { exit, stdout, stderr } = await run(`--token ${B} --token ${C} --all`);
      const expected = market.filter(({ tokens }) => tokens.includes(B) && tokens.includes(C));
      expect([exit, fieldOf(stdout, "id")]).toEqual(
        times === 1 ? [0, expected.map(({ id }) => id)] : [8, []],
      );
      if (times > 1) expect(stderr).toMatch(/the list of token 0x\w+ lacks \d+ pools that another list has/u);
    },
  );

  test("ends if a row does not name its tokens, because it could be one of them", async () => {
    const { run } = await serve(search(market, ({ id }) => ({ id, chain: "ethereum" })));
    expect(await run(`--token ${A} --token ${B}`)).toMatchObject({ exit: 1, stdout: "" });
  });

  test.each([
    [`--token ${A} --token ${B} --cursor x`, "--cursor cannot be used with several tokens"],
    [`--token ${A} --max-rows-read 5`, "--max-rows-read requires several tokens"],
    [`--token ${A} --token 0x12`, "0x followed by 40"],
    [["1", "2", "3", "4", "5"].map((digit) => `--token 0x${digit.repeat(40)}`).join(" "), "at most 4 tokens"],
  ])("refuses %s before a request", async (words, message) => {
    const { run, server } = await serve();
    const { exit, stderr } = await run(words);
    expect([exit, server.requests.length]).toEqual([2, 0]);
    expect(stderr).toContain(message);
  });

  test("--estimate counts the rows that may be read", async () => {
    const { run, server } = await serve();
    const { stdout } = await run(`--token ${A} --token ${B}  --estimate`);
    expect(toRow(stdout)).toMatchObject({ requests: 20, certainty: "at most", rows_at_most: 10 });
    expect(server.requests.filter(({ path: asked }) => asked.includes("search"))).toHaveLength(0);
  });
});
