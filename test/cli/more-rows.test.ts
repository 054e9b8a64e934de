import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox({ requestsPerMinute: 100_000 });
const receipt = path.join(temporaryFolder(), "receipt.json");

async function runCommand(words: string | readonly string[]) {
  const typed = typeof words === "string" ? words.split(" ") : words;
  const { exit, stdout, stderr } = await dexdata(typed, { env: sandbox.env(), now: sandboxNow });
  return { exit, stdout, stderr };
}

async function receiptOf(words: string) {
  const { exit } = await runCommand(`${words} --receipt ${receipt}`);
  expect(exit).toBe(0);
  return toRow(readFileSync(receipt, "utf8"));
}

/** Every command with a default limit. */
const lists = [
  "txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
  "tokens search ethereum",
  "tokens search --chains base",
  "pools search ethereum",
  "pools search --chains base",
  "dexes ethereum",
];

describe.each(lists)("%s", (command) => {
  test("reports in a pipe that the default limit truncated the list, with a command that continues", async () => {
    const first = await runCommand(`${command} -o ndjson`);
    expect(first).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(
        /^more rows available; use e.g. --limit 50 or --all; next page: dexdata .+\n$/u,
      ),
    });
    expect(rowsOf(first.stdout)).toHaveLength(10);
    const next = /dexdata (.+)/u.exec(first.stderr)?.[1] ?? "";
    const rest = await runCommand([...next.split(" "), "-q"]);
    const both = await runCommand(`${command} --limit 20 -o ndjson`);
    expect(first.stdout + rest.stdout).toBe(both.stdout);
  });

  test("with --limit prints no message, because the limit was chosen", async () => {
    expect(await runCommand(`${command} --limit 10 -o ndjson`)).toMatchObject({ exit: 0, stderr: "" });
  });

  test("the receipt shows that more rows exist, and where they start", async () => {
    const page = command.startsWith("txns") || command.startsWith("dexes");
    const where = page ? { page: "2" } : { cursor: expect.stringMatching(/./u) };
    for (const flags of ["", "--limit 10"])
      expect(await receiptOf(`${command} ${flags}`.trim())).toMatchObject({
        rows: 10,
        complete: true,
        more: true,
        next: where,
      });
  });

  test("--stats shows the same", async () => {
    const { stderr } = await runCommand(`${command} --limit 10 --stats`);
    expect(stderr).toMatch(
      /^1 request, 1 credit \([\d,]+ left\), \d+ms, more rows: --(?:page 2|cursor \S+)/u,
    );
  });
});

test.each(["--limit 3", "-q", "--limit 25 --page-size 10"])("nothing is printed with %s", async (flags) => {
  expect(await runCommand(`dexes ethereum ${flags} -o ndjson`)).toMatchObject({ exit: 0, stderr: "" });
});

describe("on a terminal", () => {
  async function lineAt(columns: number, words: string): Promise<string> {
    const isTerminal = { stderr: true };
    const options = { env: { ...sandbox.env(), NO_COLOR: "1" }, now: sandboxNow, isTerminal, columns };
    const { exit, stderr } = await dexdata(`${words} -o ndjson`, options);
    expect(exit).toBe(0);
    return stderr.split("\n").find((line) => line.startsWith("more rows")) ?? "";
  }

  const others = [
    ["txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --limit 4 --page-size 3", "20 or --all"],
    ["pools search ethereum --limit 30 --volume-usd-24h-min 1000", "150 or --all"],
    ["networks --limit 3", "15, or leave it out"],
    ["search weth --limit 1", "5, or leave it out"],
    ["api /networks/ethereum/pools/search --paginate --limit 3", "15, or leave it out"],
  ] as const;

  test.each([...lists.map((words) => [words, "50 or --all"] as const), ...others])(
    "%s: the line fits into 80 columns, and names a higher limit",
    async (words, way) => {
      expect(await lineAt(80, words)).toBe(`more rows available; use e.g. --limit ${way}`);
    },
  );

  test("shows the command, too, if it fits on the line", async () => {
    const words = "dexes ethereum";
    const full = /^more rows available; use e.g. --limit 50 or --all; next page: dexdata dexes .+$/u;
    // A terminal that does not know its width reports 0.
    const line = await lineAt(0, words);
    expect(line).toMatch(full);
    expect(await lineAt(line.length, words)).toBe(line);
    expect(await lineAt(line.length - 1, words)).toBe("more rows available; use e.g. --limit 50 or --all");
  });
});

test("the cursor of a receipt continues with the next row", async () => {
  const { next } = await receiptOf("pools search ethereum");
  const cursor = toRow(JSON.stringify(next))["cursor"];
  const rest = await runCommand(`pools search ethereum --limit 10 --cursor ${String(cursor)}`);
  const both = await runCommand("pools search ethereum --limit 20");
  expect(both.stdout.endsWith(rest.stdout)).toBe(true);
});

test("a page that was only partly printed has no cursor for continuing", async () => {
  expect(await receiptOf("pools search ethereum --page-size 100")).toMatchObject({
    rows: 10,
    more: true,
    next: null,
  });
  expect(await receiptOf("networks --limit 3")).toMatchObject({ rows: 3, more: true, next: null });
});

test("a list that ends within the limit has no more rows, and no message", async () => {
  const server = await serveInTest(() =>
    json({ results: [{ id: "0x1", chain: "base" }], has_next_page: false }),
  );
  const words = ["pools", "search", "base", "--receipt", receipt];
  const { exit, stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({
    rows: 1,
    complete: true,
    more: false,
    next: null,
  });
});

test("a response without a list has no more rows; for a document of api that is unknown", async () => {
  expect(await receiptOf("networks")).toMatchObject({ more: false, next: null });
  expect(await receiptOf("usage")).toMatchObject({ more: false, next: null });
  expect(await receiptOf("api /networks/ethereum/pools/search")).toMatchObject({ more: null, next: null });
  expect(await receiptOf("api /networks/ethereum/pools/search --paginate --limit 5")).toMatchObject({
    more: true,
    next: { cursor: expect.any(String) },
  });
});

test("is unknown for a pull that fails before its first page", async () => {
  const server = await serveInTest(() => json({ error: "internal_error" }, { status: 503 }));
  const words = ["pools", "search", "base", "--receipt", receipt];
  expect((await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } })).exit).toBe(7);
  expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({ complete: false, more: null, next: null });
});

test("a full page that reaches the service's count is the end of the list", async () => {
  const dexes = Array.from({ length: 10 }, (_, index) => ({ chain: "ethereum", dex_id: `dex_${index}` }));
  const info = { limit: 10, page: 1, total_items: 10, total_pages: 1 };
  const { url } = await serveInTest(() => json({ dexes, page_info: info }));
  const words = `dexes ethereum --base-url ${url} --out ${receipt}.ndjson --receipt ${receipt}.json`;
  expect(await dexdata(words.split(" "))).toMatchObject({ exit: 0, stderr: "" });
  expect(toRow(readFileSync(`${receipt}.json`, "utf8"))).toMatchObject({ more: false, next: null });
});

test("no command continues with the same page: a transaction may have more events than a page has rows", async () => {
  const rows = Array.from({ length: 10 }, (_, index) => ({ id: "0x2", log_index: 30 - index }));
  const server = await serveInTest(() =>
    json({ transactions: rows, page_info: { limit: 10, next_cursor: "0x2" } }),
  );
  const words = `txns ethereum 0x${"8".repeat(40)} --cursor 0x1 --receipt ${receipt}`;
  const { stderr } = await dexdata(words, { env: { DEXDATA_BASE_URL: server.url } });
  expect(stderr).toBe("more rows available; use e.g. --limit 50 or --all\n");
  expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({ more: true, next: null });
});
