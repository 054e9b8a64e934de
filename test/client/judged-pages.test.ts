import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { answerOf, type Event, type Listing, manyEvents, nameOf } from "../harness/listing.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import { json, type Reply, type Script, type SeenRequest } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const folder = temporaryFolder();
const receipt = path.join(folder, "receipt.json");

async function run(script: Script, words: string) {
  const server = await serveInTest(script);
  const env = {
    DEXDATA_BASE_URL: server.url,
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
    DEXDATA_NOW: "2026-11-21T08:54:00Z",
  };
  const flags = `--rpm unlimited -o ndjson --error-format text --receipt ${receipt}`;
  const ended = await dexdata(`${words} ${flags}`, { env });
  return { ...ended, requests: server.requests.length, receipt: toRow(readFileSync(receipt, "utf8")) };
}

type Ended = Awaited<ReturnType<typeof run>>;

const namesIn = (text: string): readonly string[] =>
  rowsOf(text).map(({ id, log_index }) => `${String(id)} ${String(log_index)}`);

/** All rows and a proof, or exit code 8 and the number of missing rows. */
function expectAllOrMissing({ exit, stdout, receipt: written }: Ended, { events }: Listing): void {
  const names = namesIn(stdout);
  const { complete, proof, missing_rows: missing } = written;
  if (exit === 0) {
    expect({ complete, proof }).toEqual({ complete: true, proof: "count" });
    expect(names).toEqual(events.map(nameOf));
    return;
  }
  expect({ exit, complete, proof }).toEqual({ exit: 8, complete: false, proof: null });
  expect(missing).toMatchObject({ rows: events.length - names.length });
}

/** Each page with this number begins with the last rows of the page before, in place of its own first rows. */
function overlapping(listing: Listing, number: number, rows: number): Script {
  return (request) => {
    const answer = answerOf(listing, request);
    if (request.query.get("page") !== String(number) || answer.mode !== "answer") return answer;
    const query = new URLSearchParams(request.query);
    query.set("page", String(number - 1));
    const before = answerOf(listing, { ...request, query });
    if (before.mode !== "answer") return answer;
    const body = JSON.parse(String(answer.body));
    const earlier: Event[] = JSON.parse(String(before.body)).transactions;
    body.transactions = [...earlier.slice(-rows), ...body.transactions.slice(rows)];
    return { ...answer, body: JSON.stringify(body) };
  };
}

describe("a page that begins with the last rows of the page before, whenever it is requested", () => {
  const listing: Listing = { events: manyEvents(411, 2) };

  test.each([
    [20, 3, 3, ""],
    [20, 3, 3, " --parallel 1"],
    [20, 21, 3, ""],
    [20, 2, 19, ""],
    [100, 3, 3, ""],
    [100, 5, 1, " --parallel 1"],
  ])("in pages of %i, page %i, %i rows%s: no row is lost", async (size, page, rows, flags) => {
    const ended = await run(
      overlapping(listing, page, rows),
      `txns ethereum ${pool} --all --page-size ${size}${flags}`,
    );
    expectAllOrMissing(ended, listing);
  });

  test("in a pull of more than 100 pages: no row is lost", async () => {
    const long: Listing = { events: manyEvents(2195, 2000) };
    const ended = await run(overlapping(long, 3, 3), `txns ethereum ${pool} --all --page-size 20`);
    expectAllOrMissing(ended, long);
  });
});

describe("DEXes", () => {
  const all = Array.from({ length: 50 }, (_, index) => `dex${index}`);
  const page = (names: readonly string[], request: SeenRequest): Reply => {
    const [number, limit] = [Number(request.query.get("page") ?? 1), Number(request.query.get("limit"))];
    return json({
      dexes: names.map((dex_id) => ({ dex_id, dex_name: dex_id, chain: "ethereum" })),
      page_info: { limit, page: number, total_items: all.length, total_pages: Math.ceil(all.length / limit) },
    });
  };
  const own = ({ query }: SeenRequest): readonly string[] => {
    const [number, limit] = [Number(query.get("page") ?? 1), Number(query.get("limit"))];
    return all.slice((number - 1) * limit, number * limit);
  };
  const words = "dexes ethereum --all --page-size 10";

  test("a DEX whose rank changes between two pages is found by reading the list again", async () => {
    let requests = 0;
    const {
      exit,
      stdout,
      receipt: written,
    } = await run((request) => {
      requests += 1;
      // Until the second reading, page 3 begins with the last row of page 2.
      const isFirst = requests <= 9 && request.query.get("page") === "3";
      const [first] = own(request);
      return page(
        isFirst ? ["dex19", ...own(request).filter((name) => name !== first)] : own(request),
        request,
      );
    }, words);
    expect({ exit, proof: written["proof"] }).toEqual({ exit: 0, proof: "count" });
    expect(new Set(rowsOf(stdout).map(({ dex_id }) => dex_id))).toEqual(new Set(all));
  });

  test("a DEX that is never returned is reported as missing", async () => {
    const { exit, stderr } = await run(
      (request) =>
        page(request.query.get("page") === "3" ? ["dex19", ...own(request).slice(1)] : own(request), request),
      words,
    );
    expect(exit).toBe(8);
    expect(stderr).toContain("page 3 repeats 1 earlier row; 1 row is missing");
  });

  test.each(["reference", "public"])("an empty first response is requested again (%s form)", async (form) => {
    const { exit, stdout, requests } = await run((request, index) => {
      if (index > 0) return page(own(request), request);
      const totals = form === "public" ? { page: 0 } : { page: 1 };
      return json({ dexes: [], page_info: { limit: 10, ...totals, total_items: 0, total_pages: 0 } });
    }, words);
    expect({ exit, rows: rowsOf(stdout).length, requests }).toEqual({ exit: 0, rows: 50, requests: 7 });
  });

  test("no rows never prove a count", async () => {
    const { exit, receipt: written } = await run(
      () => json({ dexes: [], page_info: { limit: 10, page: 1, total_items: 0, total_pages: 0 } }),
      words,
    );
    expect({ exit, proof: written["proof"] }).toEqual({ exit: 0, proof: "end of list" });
  });
});

describe("a response about another asset or network", () => {
  const record = (chain: string, id: string): Reply => json({ id, chain, tokens: [] });

  test.each([
    ["pool", `pool ethereum ${pool}`],
    ["token", `token ethereum ${pool}`],
    ["api", `api /networks/ethereum/pools/${pool}`],
  ])("%s: is requested again, and never printed", async (_, words) => {
    const once = await run((_request, index) => record(index === 0 ? "base" : "ethereum", pool), words);
    expect({ exit: once.exit, requests: once.requests }).toEqual({ exit: 0, requests: 2 });
    const always = await run(() => record("ethereum", "0x4200000000000000000000000000000000000006"), words);
    expect({ exit: always.exit, stdout: always.stdout }).toEqual({ exit: 1, stdout: "" });
    expect(always.stderr).toContain(
      `the service returned rows of 0x4200000000000000000000000000000000000006 instead of ${pool}`,
    );
  });

  test.each([
    ["ethereum", pool.toUpperCase().replace("0X", "0x"), pool],
    ["sui", "0x0002::sui::SUI", "0x2::sui::SUI"],
    ["ethereum", pool, undefined],
  ])("%s: %s is the same as %s", async (network, typed, sent) => {
    const { exit } = await run(
      () => json({ ...(sent !== undefined && { id: sent }), tokens: [] }),
      `token ${network} ${typed}`,
    );
    expect(exit).toBe(0);
  });

  test("a search whose rows and echo all name one other network: --no-strict accepts them", async () => {
    const reply = json({
      results: [{ id: pool, chain: "base" }],
      has_next_page: false,
      query: { network: "base", limit: 10 },
    });
    const strict = await run(() => reply, "pools search eth");
    expect(strict).toMatchObject({ exit: 1, stdout: "" });
    expect(strict.stderr).toContain("hint: if base is what you want, use --no-strict");
    const accepted = await run(() => reply, "pools search eth --no-strict");
    expect({ exit: accepted.exit, rows: rowsOf(accepted.stdout).length }).toEqual({ exit: 0, rows: 1 });
    expect(accepted.stderr).toContain("warning: the service returned rows of base instead of eth");
  });

  test("the hint for a record names no flag that its command lacks", async () => {
    const { exit, stderr } = await run(() => record("base", pool), `pool eth ${pool}`);
    expect(exit).toBe(1);
    expect(stderr).toContain("hint: if base is what you want, name it as the network");
  });

  test("an echo of another network is enough", async () => {
    const { exit } = await run(
      () => json({ results: [], has_next_page: false, query: { network: "base", limit: 10 } }),
      "tokens search ethereum",
    );
    expect(exit).toBe(1);
  });
});

describe("two rows with one identity in one response", () => {
  const swap = (price: number): object => ({
    id: "0x1",
    log_index: 1,
    token_0: "0xa",
    token_1: "0xb",
    price_0_usd: price,
    created_at: "2026-11-21T08:00:00Z",
  });
  const reply = (transactions: readonly object[]): Reply =>
    json({
      transactions,
      page_info: { limit: 100, page: 1, total_items: transactions.length, total_pages: 1 },
    });

  test("different transactions both stay, and one remark counts them", async () => {
    const {
      exit,
      stdout,
      stderr,
      receipt: written,
    } = await run(() => reply([swap(1), swap(2), swap(3)]), `txns ethereum ${pool} --all`);
    expect({ exit, rows: rowsOf(stdout).length, proof: written["proof"] }).toEqual({
      exit: 0,
      rows: 3,
      proof: "count",
    });
    expect(stderr.match(/2 rows had the ID of another row/gu)).toHaveLength(1);
  });

  test("equal rows are one row, and the count shows that another is missing", async () => {
    const { exit, stdout, stderr } = await run(
      () => reply([swap(1), swap(1)]),
      `txns ethereum ${pool} --all`,
    );
    expect({ exit, rows: rowsOf(stdout).length }).toEqual({ exit: 8, rows: 1 });
    expect(stderr).toContain("incomplete list: page 1 has 1 row twice; 1 row is missing");
  });

  test.each(["--from -2h", "--count-back 2"])("the later of two candles wins (%s)", async (flags) => {
    const candle = (hour: number, close: number): object => ({
      time_open: `2026-11-21T0${hour}:00:00Z`,
      open: 1,
      high: 1,
      low: 1,
      close,
      volume: close,
    });
    const { exit, stdout, stderr } = await run(
      () => json([candle(7, 1), candle(7, 2), candle(8, 3)]),
      `ohlcv ethereum ${pool} --pool ${flags} --to 2026-11-21T09:00:00Z`,
    );
    expect({ exit, closes: rowsOf(stdout).map(({ close }) => close) }).toEqual({ exit: 0, closes: [2, 3] });
    expect(stderr.match(/1 candle was received twice with different values/gu)).toHaveLength(1);
  });
});
