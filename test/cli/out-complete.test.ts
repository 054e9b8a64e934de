import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata, type Outcome } from "../harness/dexdata.ts";
import { breakAt, type PagedList, pullOfPages, servePages } from "../harness/paged-list.ts";
import { toRow } from "../harness/rows.ts";
import { json } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
let count = 0;
function newFile(): string {
  count += 1;
  mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), "rows");
}
const filesNextTo = (file: string): readonly string[] => readdirSync(path.dirname(file)).toSorted();

interface Pull {
  readonly list: PagedList;
  readonly file: string;
}

async function run(
  { list, file }: Pull,
  more: readonly string[],
  now = "2026-11-21T08:54:00Z",
): Promise<Outcome> {
  const words = [...pullOfPages, "--created-after", "-7d", "--out", file, "--error-format", "text", ...more];
  return await dexdata(words, { env: list.env, now });
}

/** Runs a complete pull of six rows with a receipt. */
async function completed(more: readonly string[] = []): Promise<Pull & { readonly receipt: string }> {
  const [list, file] = [await servePages(3), newFile()];
  const receipt = `${file}.json`;
  const { exit } = await run({ list, file }, ["--receipt", receipt, ...more]);
  expect([exit, filesNextTo(file)]).toEqual([0, ["rows", "rows.json"]]);
  return { list, file, receipt };
}

const refused = (file: string, receipt = ""): object => ({
  exit: 2,
  stdout: "",
  stderr:
    `error: cannot resume ${file}: no checkpoint ${file}.resume${receipt}\n` +
    "  hint: the file may be complete; to overwrite it, use --force instead of --resume\n",
});
const resultOf = ({ exit, stdout, stderr }: Outcome): object => ({ exit, stdout, stderr });

describe("--resume of a complete pull", () => {
  test.each([[[]], [["--resume"]]])(
    "exits 0 without a request if its receipt proves it; started with %j",
    async (begun) => {
      const { receipt, ...pull } = await completed(begun);
      const [requests, before] = [pull.list.server.requests.length, readFileSync(receipt)];
      // The time range of the first run applies, as for a continued pull.
      const again = await run(pull, ["--resume", "--receipt", receipt], "2026-11-25T00:00:00Z");
      expect(resultOf(again)).toEqual({
        exit: 0,
        stdout: "",
        stderr: `${pull.file} is already complete: 6 rows\n`,
      });
      expect(pull.list.server.requests.length).toBe(requests);
      expect([readFileSync(receipt).equals(before), filesNextTo(pull.file)]).toEqual([
        true,
        ["rows", "rows.json"],
      ]);
    },
  );

  test("exits 2 without a receipt, because only a receipt can prove it", async () => {
    const { receipt: _, ...pull } = await completed();
    expect(resultOf(await run(pull, ["--resume"]))).toEqual(refused(pull.file));
  });

  test.each<readonly [string, (pull: Pull & { readonly receipt: string }) => void]>([
    ["no receipt is there", ({ receipt }) => writeFileSync(receipt, "")],
    ["the receipt lacks fields", ({ receipt }) => writeFileSync(receipt, '{"dexdata":"0","complete":true}')],
    [
      "the receipt does not say that it is complete",
      ({ receipt }) =>
        writeFileSync(
          receipt,
          readFileSync(receipt, "utf8").replace('"complete": true', '"complete": false'),
        ),
    ],
    [
      "the file has other bytes",
      ({ file }) => writeFileSync(file, readFileSync(file, "utf8").replace("0x00", "0x0f")),
    ],
    ["the file has more bytes", ({ file }) => writeFileSync(file, `${readFileSync(file, "utf8")}\n`)],
    ["the file has fewer bytes", ({ file }) => writeFileSync(file, "")],
  ])("exits 2 if %s", async (what, damage) => {
    const pull = await completed();
    damage(pull);
    const [requests, rows] = [pull.list.server.requests.length, readFileSync(pull.file)];
    const why = what.startsWith("the file") ? `, and it is not the file that ${pull.receipt} describes` : "";
    expect(resultOf(await run(pull, ["--resume", "--receipt", pull.receipt]))).toEqual(
      refused(pull.file, why),
    );
    expect(pull.list.server.requests.length).toBe(requests);
    expect(readFileSync(pull.file).equals(rows)).toBe(true);
  });

  test.each([
    ["--fields", "id"],
    ["--volume-usd-24h-min", "5"],
    ["--limit", "6"],
    ["-o", "csv"],
  ])("exits 2 if the receipt belongs to another query: %s %s", async (flag, value) => {
    const { receipt, ...pull } = await completed();
    const words = flag === "--limit" ? pullOfPages.filter((word) => word !== "--all") : pullOfPages;
    const { exit, stderr } = await dexdata(
      [...words, "--created-after", "-7d", "--out", pull.file, "--resume", "--receipt", receipt, flag, value],
      { env: pull.list.env },
    );
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining(`, and ${receipt} belongs to a different query`),
    ]);
  });

  test("exits 2 if --now differs from the receipt", async () => {
    const { receipt, ...pull } = await completed();
    const { exit, stderr } = await run(pull, ["--resume", "--receipt", receipt, "--now", "2026-01-01"]);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining("the pull started at 2026-11-21T08:54:00.000Z"),
    ]);
  });

  test("accepts a copy of the file, because only its bytes count", async () => {
    const { list, file, receipt } = await completed();
    const copy = newFile();
    copyFileSync(file, copy);
    expect((await run({ list, file: copy }, ["--resume", "--receipt", receipt])).exit).toBe(0);
  });
});

test("a receipt of an unfinished pull does not end the next run", async () => {
  const [list, file] = [await servePages(3), newFile()];
  const heal = breakAt(list, 2);
  const receipt = ["--receipt", `${file}.json`];
  expect((await run({ list, file }, receipt)).exit).toBe(7);
  heal();
  expect((await run({ list, file }, ["--resume", ...receipt])).exit).toBe(0);
  expect(toRow(readFileSync(`${file}.json`, "utf8"))).toMatchObject({
    complete: true,
    rows: 6,
    output: { file, bytes: readFileSync(file).length },
    now: "2026-11-21T08:54:00.000Z",
  });
});

describe("a pull whose receipt could not be written", () => {
  const pools = ["1", "2"].map((digit) => `0x${digit.repeat(40)}`);
  const tokens = pools.map((pool) => ({ id: pool }));
  const timesOf: Readonly<Record<string, readonly string[]>> = {
    [pools[0] ?? ""]: ["2026-11-21T08:53:00Z", "2026-11-21T08:52:00Z", "2026-11-21T08:51:00Z"],
    [pools[1] ?? ""]: ["2026-11-21T08:50:00Z"],
  };

  /** The directory of the receipt is missing while the rows are read. Then the same command runs with --resume. */
  async function runTwice(words: readonly string[]) {
    const receipt = path.join(newFile(), "receipt.json");
    const server = await serveInTest(({ path: requested, query }) => {
      rmSync(path.dirname(receipt), { recursive: true, force: true });
      const all = Object.entries(timesOf).find(([pool]) => requested.includes(pool))?.[1] ?? [];
      const limit = Number(query.get("limit"));
      if (!requested.includes("search"))
        return json({
          transactions: all.slice(0, limit).map((time) => ({ id: time, created_at: time })),
          page_info: { limit, page: 1, total_items: all.length, total_pages: Math.ceil(all.length / limit) },
        });
      const from = Number(query.get("cursor") ?? 0);
      const results = [0, 1].map((row) => ({ chain: "ethereum", id: `0x${from}${row}`, tokens }));
      return json({ results, has_next_page: true, next_cursor: String(from + 1) });
    });
    const command = [...words, "--out", newFile(), "--receipt", receipt, "--stats", "-o", "ndjson"];
    const ways = { env: { DEXDATA_BASE_URL: server.url }, now: "2026-11-21T08:54:00Z" };
    mkdirSync(path.dirname(receipt));
    const first = await dexdata(command, ways);
    expect([first.exit, first.stderr]).toEqual([
      1,
      expect.stringContaining("repeat the command with --resume"),
    ]);
    const requests = server.requests.length;
    mkdirSync(path.dirname(receipt));
    const { exit, stderr } = await dexdata([...command, "--resume"], ways);
    expect(server.requests.length).toBe(requests);
    return { exit, stderr, receipt: toRow(readFileSync(receipt, "utf8")) };
  }

  test("is still incomplete with --resume if --max-rows-read ended its list", async () => {
    const several = pools.flatMap((pool) => ["--token", pool]);
    const words = ["pools", "search", "ethereum", ...several, "--page-size", "2", "--max-rows-read", "8"];
    const { exit, stderr, receipt } = await runTwice([...words, "--all"]);
    expect([exit, stderr]).toEqual([8, expect.stringContaining("incomplete: stopped after 8 rows read")]);
    expect(receipt).toMatchObject({ complete: false, more: true, rows_read: 8 });
  });

  test("is still incomplete with --resume if the service may not have the day", async () => {
    const { exit, receipt } = await runTwice(["txns", "ethereum", pools[1] ?? "", "--day", "2026-11-10"]);
    expect([exit, receipt["complete"], receipt["complete_to"]]).toEqual([8, false, "2026-11-10T00:00:00Z"]);
  });

  test("still has more rows with --resume if the limit ended one of its lists", async () => {
    const { exit, stderr, receipt } = await runTwice(["txns", "ethereum", ...pools, "--limit", "2"]);
    expect([exit, receipt["rows"], receipt["more"]]).toEqual([0, 3, true]);
    expect(stderr).toContain(", limit reached");
  });
});
