import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { UNSAFE_IN_LINE } from "../../src/base/text/unsafe-text.ts";
import { dexdata, run } from "../harness/dexdata.ts";
import { breakAt, pullOfPages, servePages } from "../harness/paged-list.ts";
import { createRandom } from "../harness/random.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";
import { createTestContext } from "../harness/test-context.ts";
import { isLong } from "../harness/long.ts";
import { price, stream } from "../tail/keeping.ts";
import { listen } from "../tail/stream-run.ts";

const folder = temporaryFolder();
const sandbox = useSandbox();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

const linesOf = (text: string): readonly string[] => text.split("\n").slice(0, -1);
/** A line is a prefix without tabs, one tab, and the row. */
const rowOf = (line: string): string => line.slice(line.indexOf("\t") + 1);
const prefixOf = (line: string): string => line.slice(0, line.indexOf("\t"));

const UNSAFE = new RegExp(`[\\\\${UNSAFE_IN_LINE}]`, "gu");
const escaped = (text: string): string =>
  text.replaceAll(UNSAFE, (found) =>
    Array.from(
      { length: found.length },
      (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
/** The rules of the manual, for the JSON of a value. */
const textOf = (written: string): string => {
  const value: unknown = JSON.parse(written);
  return value === null ? "" : typeof value === "string" ? escaped(value) : written;
};

/** Values and members that a careless search for a name, a quote, a tab or a line break would misread. */
const values: readonly [string, ...string[]] = [
  '"plain"',
  '"tab\\tand\\nbreak\\r"',
  '"quote \\" and , \\"dex_id\\":\\"no\\" "',
  '"ends with a backslash\\\\"',
  '"\\\\\\"dex_id\\":1,"',
  '"\\u0009\\u0000\\u001b[31m\\ud800"',
  '"\\\\u0009"',
  '"日本\u202eに\u0085\u007f"',
  '"{[\\"dex_id\\":"',
  '","',
  '"null"',
  '""',
  "null",
  "true",
  "-12.50",
  "123456789012345678901234567890",
];
type Member = (value: string) => string;
const members: readonly [Member, ...Member[]] = [
  (value: string) => `"dex_id":${value}`,
  (value: string) => `"dex_id": ${value} `,
  (value: string) => `"d\\u0065x_id":${value}`,
  (value: string) => `"dex_id":"first","dex_id":${value}`,
  (value: string) => `"dex_id":"first","x":1,"de\\u0078_id":${value}`,
  (value: string) => `"x":{"dex_id":"inner"},"dex_id":${value}`,
  (value: string) => `"x":[{"dex_id":"inner"}],"dex_id":${value}`,
  (value: string) => `"dex_id":${value},"x":{"dex_id":"inner"}`,
  (value: string) => `"\\"dex_id":"other","dex_id":${value}`,
  (value: string) => `"x":"dex_id","dex_id":${value}`,
  () => '"x":1',
];

const pageCount = isLong ? 1000 : 40;

test(`${pageCount * 100} hostile rows are the same bytes after the tab, and the prefix has the fields' texts`, async () => {
  const random = createRandom(20_261_123);
  const pick = <T>(from: readonly [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0];
  const pages = Array.from({ length: pageCount }, (_, page) =>
    Array.from({ length: 100 }, (__, index) => {
      const id = `0x${page}x${index}`;
      const begin = `{"chain":"ethereum","id":"${id}","name":`;
      const end = `,"end":[1,{"dex_id":{}}]}`;
      // Some pages are compact and safe to print, so that their rows are copied as bytes.
      if (page % 3 === 0) {
        const dex = index % 7 === 0 ? '{"a":1}' : index % 9 === 0 ? String.raw`"d\""` : `"d${index}"`;
        return { row: `${begin}"n","dex_id":${dex}${end}`, prefix: `${textOf(dex)}:${id}` };
      }
      const value = pick(values);
      const member = pick(members);
      const dex = member("").includes("dex_id") || member("").includes("\\u") ? textOf(value) : "";
      return { row: `${begin}${pick(values)},${member(value)}${end}`, prefix: `${dex}:${id}` };
    }),
  );
  const server = await serveInTest(({ query }) => {
    const page = Number(query.get("cursor") ?? "0");
    const isLast = page + 1 === pages.length;
    return json(
      `{"results":[${pages[page]?.map(({ row }) => row).join(",")}],"has_next_page":${!isLast},"next_cursor":"${isLast ? "" : page + 1}"}`,
    );
  });
  const words = "pools search ethereum --all --rpm unlimited -o ndjson";
  const options = { env: { DEXDATA_BASE_URL: server.url } };
  const plain = linesOf((await dexdata(words, options)).stdout);
  const lines = linesOf((await dexdata(`${words} --prefix dex_id,id`, options)).stdout);
  expect(plain).toHaveLength(pageCount * 100);
  expect(lines.map(rowOf)).toEqual(plain);
  expect(lines.map(prefixOf)).toEqual(pages.flat().map(({ prefix }) => prefix));
});

describe("before a request, --prefix is rejected", () => {
  const search = ["pools", "search", "ethereum"];
  const txns = ["txns", "ethereum", pool];
  const prices = ["stream", `ethereum:${pool}`];
  test.each([
    [
      "an unknown field",
      [...search, "--prefix", "dexid"],
      /invalid --prefix "dexid": must be a field of every row\n {2}hint: did you mean dex_id\?/u,
    ],
    [
      "an unknown field without a similar one",
      [...search, "--prefix", "qqqqqqqqqq"],
      /hint: list fields: --fields '\?'/u,
    ],
    ["a list", [...search, "--prefix", "tokens"], /must be a field with a single value/u],
    [
      "all elements of a list",
      [...search, "--prefix", "tokens.*.symbol"],
      /must be a field with a single value/u,
    ],
    [
      "a field of only some groups",
      ["search", "weth", "--prefix", "dex_id"],
      /invalid --prefix "dex_id": must be a field of every row/u,
    ],
    ["an empty field", [...search, "--prefix", "id,"], /must be comma-separated field names/u],
    [
      "json",
      [...search, "--prefix", "id", "-o", "json"],
      /--prefix requires ndjson, but the output is json/u,
    ],
    [
      "csv, from the name of the file",
      [...search, "--prefix", "id", "--out", path.join(folder, "x.csv")],
      /the output is csv/u,
    ],
    [
      "an unknown field of --watch",
      [...search, "--prefix", "dexid", "--watch", "5s"],
      /did you mean dex_id\?/u,
    ],
    ["csv of --watch", [...search, "--prefix", "id", "--watch", "5s", "-o", "csv"], /the output is csv/u],
    ["an unknown field of --follow", [...txns, "--follow", "--prefix", "poolid"], /did you mean pool_id\?/u],
    ["tsv of --follow", [...txns, "--follow", "--prefix", "id", "-o", "tsv"], /the output is tsv/u],
    ["an unknown field of a stream", [...prices, "--prefix", "addres"], /did you mean address\?/u],
    [
      "a field of another feed",
      [...prices, "--prefix", "pool_id"],
      /list fields: dexdata schema price-event/u,
    ],
  ])("for %s", async (_, words, message) => {
    const server = await serveInTest(() => json("{}"));
    const env = {
      DEXDATA_BASE_URL: server.url,
      DEXDATA_PRO_BASE_URL: server.url,
      DEXDATA_STREAMING_URL: server.url,
      DEXDATA_STREAMING_PRO_URL: server.url,
    };
    const { exit, stdout, stderr } = await dexdata([...words, "--error-format", "text"], { env });
    expect({ exit, stdout, requests: server.requests.length }).toEqual({ exit: 2, stdout: "", requests: 0 });
    expect(stderr).toMatch(message);
  });

  test.each([["stream"], ["pools search"]])("on a terminal, by %s", async (command) => {
    const words = command === "stream" ? prices : search;
    const context = createTestContext({
      isTerminal: true,
      columns: 80,
      env: { DEXDATA_BASE_URL: "http://127.0.0.1:9" },
    });
    const { exit, stderr } = await run([...words, "--prefix", "chain"], context);
    expect(exit).toBe(2);
    expect(stderr).toContain("hint: add -o ndjson, or remove --prefix");
  });
});

test("--fields selects from the row, and --prefix reads all of it", async () => {
  const { stdout } = await dexdata(
    "pools search ethereum --limit 2 --detailed --fields dex_id --prefix tokens.0.symbol,id",
    {
      env: sandbox.env(),
    },
  );
  for (const line of linesOf(stdout)) expect(line).toMatch(/^\w+:0x[\da-f]{40}\t\{"dex_id":"\w+"\}$/u);
  expect(linesOf(stdout)).toHaveLength(2);
});

test("groups and --watch lines have a prefix, too", async () => {
  const groups = await dexdata("search weth --prefix chain", { env: sandbox.env() });
  expect(new Set(linesOf(groups.stdout).map((line) => /^\w+\t\{"group":"\w+","row":\{/u.test(line)))).toEqual(
    new Set([true]),
  );
  const server = await serveInTest((_, index) => {
    if (index === 2) context.interrupt({ cause: "SIGINT" });
    return json(
      `{"results":[{"id":"0x1","chain":"ethereum","price_usd":${index}.10}],"has_next_page":false}`,
    );
  });
  const env = { DEXDATA_BASE_URL: server.url };
  const context = createTestContext({ flows: true, env });
  const words = "pools search ethereum --watch 5s -o ndjson --prefix id";
  expect((await run(words.split(" "), context)).stdout).toBe(
    '0x1\t{"id":"0x1","chain":"ethereum","price_usd":0.10}\n0x1\t{"id":"0x1","chain":"ethereum","price_usd":1.10}\n',
  );
});

describe("with --out", () => {
  test("--resume continues to the same bytes with the same --prefix, and refuses another one", async () => {
    const list = await servePages(5);
    const inFolder = (name: string): string => path.join(folder, name);
    const [whole, file, receipt] = [inFolder("whole"), inFolder("rows"), inFolder("receipt.json")];
    const pull = async (to: string, prefix: string, ...more: readonly string[]) =>
      await dexdata([...pullOfPages, "--out", to, "--prefix", prefix, "--error-format", "text", ...more], {
        env: list.env,
      });
    expect((await pull(whole, "chain,id")).exit).toBe(0);
    const heal = breakAt(list, 2);
    expect((await pull(file, "chain,id", "--resume")).exit).toBe(7);
    heal();
    const other = await pull(file, "id", "--resume");
    expect(other.exit).toBe(2);
    expect(other.stderr).toContain("--prefix: chain,id then, id now");
    expect((await pull(file, "chain,id", "--resume", "--receipt", receipt)).exit).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(readFileSync(whole, "utf8"));
    expect(linesOf(readFileSync(file, "utf8"))[0]).toMatch(/^ethereum:0x00\t\{"chain"/u);
    // The receipt proves the bytes as written.
    expect((await pull(file, "chain,id", "--resume", "--receipt", receipt)).exit).toBe(0);
  });

  test("--follow continues its file, also after a partial line, and refuses to mix lines", async () => {
    const below = path.join(folder, "follow");
    mkdirSync(below);
    const file = path.join(below, "swaps.ndjson");
    const follow = async (words: string) =>
      await dexdata(`txns ethereum ${pool} --follow --poll 10s --error-format text --out ${file} ${words}`, {
        env: sandbox.env(),
        now: sandboxNow,
      });
    const key = "--prefix pool_id,id,log_index";
    const whole = await dexdata(`txns ethereum ${pool} --from ${sandboxNow / 1000 - 3600} --all`, {
      env: sandbox.env(),
      now: sandboxNow,
    });
    expect((await follow(`--from ${sandboxNow / 1000 - 3600} --limit 30 ${key}`)).exit).toBe(0);
    expect((await follow(`--limit 30 ${key}`)).exit).toBe(0);
    const text = readFileSync(file, "utf8");
    const torn = text.lastIndexOf("\n", text.length - 2) + 1;
    for (const cut of [torn + 5, torn + 200, text.length - 1]) {
      writeFileSync(file, text.slice(0, cut));
      const { exit, stderr } = await follow(`--limit ${cut === text.length - 1 ? 10 : 11} ${key}`);
      expect(exit).toBe(0);
      expect(stderr).toMatch(/the last line (?:had no line break|was incomplete and was removed)/u);
      const lines = linesOf(readFileSync(file, "utf8"));
      expect(lines.map(rowOf).toSorted()).toEqual(linesOf(whole.stdout).toReversed().slice(0, 70).toSorted());
      for (const line of lines) {
        const { pool_id, id, log_index }: Record<string, unknown> = JSON.parse(rowOf(line));
        expect(prefixOf(line)).toBe(`${String(pool_id)}:${String(id)}:${String(log_index)}`);
      }
    }
    const mixed = await follow("--limit 1");
    expect(mixed.exit).toBe(2);
    expect(mixed.stderr).toContain("its lines were written with --prefix");
    writeFileSync(
      file,
      linesOf(text)
        .map((line) => `${rowOf(line)}\n`)
        .join(""),
    );
    const reverse = await follow(`--limit 1 ${key}`);
    expect(reverse.exit).toBe(2);
    expect(reverse.stderr).toContain("its lines were written without --prefix");
    expect(readdirSync(below)).toEqual([".swaps.ndjson.follow", "swaps.ndjson"]);
  });
});

test("a stream's lines have a prefix, also in an envelope, and also if an event is not plain", async () => {
  const event = (data: string): string => `event: token_price\ndata: ${data}\nrequest_id: 0\n\n`;
  const data = [
    '{"address":"0x1","chain":"ethereum","p":"1"}',
    '{"address":"tab\\t","chain":"a\\\\b","p":"2"}',
    '{ "address":"größer", "chain":null, "p":"3"}',
    '{"x":{"address":"0x9"},"address":"0x4","chain":7,"p":"4"}',
  ];
  const expected = ["0x1:ethereum", "tab\\u0009:a\\u005cb", "größer:", "0x4:7"];
  const asset = "ethereum:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
  const server = await serveInTest(() => stream([price("1"), data.map(event).join("")]));
  const start = linesOf((await listen(`${asset} --limit 5`, server).outcome).stdout).slice(1);
  const keyed = linesOf(
    (await listen(`${asset} --limit 5 --prefix address,chain`, server).outcome).stdout,
  ).slice(1);
  expect(keyed.map(rowOf)).toEqual(start);
  expect(keyed.map(prefixOf)).toEqual(expected);
  const wrapped = await listen(`${asset} --limit 5 --prefix address,chain --envelope`, server).outcome;
  expect(linesOf(wrapped.stdout).slice(1).map(prefixOf)).toEqual(expected);
  expect(linesOf(wrapped.stdout)[1]).toMatch(/^0x1:ethereum\t\{"feed":"prices"/u);
  // On a terminal, the file gets lines while the board is drawn.
  const file = path.join(folder, "ticks.ndjson");
  const terminal = { isTerminal: true, columns: 100, env: { NO_COLOR: "1" } };
  expect(
    (await listen(`${asset} --limit 5 --prefix address --out ${file}`, server, terminal).outcome).exit,
  ).toBe(0);
  expect(linesOf(readFileSync(file, "utf8")).map(rowOf).slice(1)).toEqual(start);
});

test("also in files by pool and hour, which the next run continues", async () => {
  const below = path.join(folder, "hours");
  mkdirSync(below);
  const out = path.join(below, "{pool}-{date-hour}.ndjson");
  const words = `txns ethereum ${pool} --follow --poll 10s --prefix id,log_index --out ${out}`;
  for (const more of [`--from ${sandboxNow / 1000 - 3600} --limit 40`, "--limit 30"])
    expect((await dexdata(`${words} ${more}`, { env: sandbox.env(), now: sandboxNow })).exit).toBe(0);
  const names = readdirSync(below).filter((name) => !name.startsWith("."));
  expect(names.length).toBeGreaterThan(1);
  const lines = names.flatMap((name) =>
    linesOf(readFileSync(path.join(below, name), "utf8")).map((line) => {
      const row: Record<string, unknown> = JSON.parse(rowOf(line));
      expect(prefixOf(line)).toBe(`${String(row["id"])}:${String(row["log_index"])}`);
      expect(name).toBe(`${pool}-${String(row["created_at"]).slice(0, 13)}.ndjson`);
      return line;
    }),
  );
  expect([lines.length, new Set(lines).size]).toEqual([70, 70]);
});
