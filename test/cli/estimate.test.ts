import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { type Ledger, openLedger } from "../harness/ledger.ts";
import { type Row, rowsOf, toRow } from "../harness/rows.ts";
import { json, type Reply, type ScriptedServer, type SeenRequest } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
/** Trades in few pools, so that the sandbox has less to fold. */
const token = "0x85ade1e7513bf30c550191a1094cf6cafc120926";
const stdin = Array.from({ length: 34 }, (_, index) => `0x${String(index).padStart(40, "0")}\n`).join("");

let ledger: Ledger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(async () => await ledger.close());

let server: ScriptedServer;

interface Spent {
  readonly exit: number;
  readonly stdout: string;
  readonly requests: number;
  readonly credits: number;
}

async function spend(words: string): Promise<Spent> {
  const [requests, charged] = [ledger.requests(), ledger.charged()];
  const { exit, stdout } = await dexdata(words, { env: ledger.env(), stdin });
  return { exit, stdout, requests: ledger.requests() - requests, credits: ledger.charged() - charged };
}

async function estimated(words: string): Promise<{ readonly estimate: Row; readonly spent: Spent }> {
  const spent = await spend(`${words} --estimate`);
  expect({ words, exit: spent.exit }).toEqual({ words, exit: 0 });
  const estimate = toRow(spent.stdout);
  expect({ requests: estimate["estimate_requests"], credits: estimate["estimate_credits"] }).toEqual({
    requests: spent.requests,
    credits: spent.credits,
  });
  expect(spent.requests).toBe(1);
  return { estimate, spent };
}

describe("the pull costs what was estimated", () => {
  test.each([
    ["prices ethereum -", 4, 34],
    ["pool ethereum -", 34, 34],
    [`pool ethereum ${pool}`, 1, 1],
    ["networks", 1, 1],
    ["search weth", 1, 1],
    [`ohlcv ethereum ${token} --from -8h`, 1, 1],
    [`api /networks/ethereum/multi/prices -f tokens=${token},${pool}`, 1, 2],
  ])("exactly: %s", async (words, requests, credits) => {
    const { estimate } = await estimated(words);
    expect(estimate).toMatchObject({ requests, credits, certainty: "exact" });
    expect(estimate["credits_at_most"]).toBeUndefined();
    expect(await spend(words)).toMatchObject({ requests, credits });
  });

  test.each([
    ["pools search ethereum --limit 250", 3],
    ["pools search ethereum", 1],
    ["tokens search ethereum --limit 40 --page-size 7", 6],
    ["pools search ethereum --limit 300 --volume-usd-24h-min 1b", 3],
    ["dexes ethereum --all", 1],
    ["dexes ethereum --all --page-size 7", 5],
    ["dexes ethereum --all --page-size 10 --page 2", 2],
    ["dexes ethereum --all --page 2", 1],
    ["dexes ethereum --limit 20 --page-size 9", 3],
    [`txns ethereum ${pool} --limit 100`, 1],
    [`txns ethereum ${pool} --from -10m --all`, 1],
  ])("at most: %s", async (words, credits) => {
    const { estimate } = await estimated(words);
    expect(estimate).toMatchObject({ credits, certainty: "at most" });
    const real = await spend(words);
    expect(real.exit).toBe(0);
    expect(real.credits).toBeLessThanOrEqual(credits);
    expect(rowsOf(real.stdout).length).toBeLessThanOrEqual(Number(estimate["rows_at_most"]));
  });

  test.each([
    `txns ethereum ${pool} --from -3h --all`,
    `txns ethereum ${pool} --from -30m --all --page-size 3`,
    `txns ethereum ${pool} --limit 1020 --page-size 10`,
    `ohlcv ethereum ${token} --from -30d --interval 15m`,
    `ohlcv ethereum ${token} --count-back 100`,
  ])("about, and never more than the upper limit: %s", async (words) => {
    const { estimate } = await estimated(words);
    expect(estimate["certainty"]).toBe("about");
    const real = await spend(words);
    expect(real.exit).toBe(0);
    expect(real.credits).toBeLessThanOrEqual(Number(estimate["credits_at_most"]));
    expect(Math.abs(real.credits - Number(estimate["credits"]))).toBeLessThanOrEqual(
      1 + Number(estimate["credits"]) / 10,
    );
    expect(rowsOf(real.stdout)).toHaveLength(Number(estimate["rows_at_most"]));
  });

  test("a pull with the estimate as --max-credits is complete", async () => {
    const words = `txns ethereum ${pool} --from -1h --all --page-size 5`;
    const { estimate } = await estimated(words);
    const real = await spend(`${words} --max-credits ${Number(estimate["credits_at_most"])}`);
    expect({ exit: real.exit, rows: rowsOf(real.stdout).length }).toEqual({
      exit: 0,
      rows: estimate["rows_at_most"],
    });
  });
});

describe("totals that only the service knows", () => {
  const env = () => ({ DEXDATA_BASE_URL: server.url });

  /** The network list with pool counts, as the public service returns it. */
  const counted = ({ path, query }: SeenRequest): Reply => {
    if (path === "/networks") {
      const rows = [
        { id: "ethereum", display_name: "Ethereum", pools_count: 4583 },
        { id: "base", display_name: "Base", pools_count: 250 },
        { id: "thin", display_name: "Thin" },
      ];
      return json(rows, { headers: { "x-credits-remaining": "77" } });
    }
    const from = Number(query.get("cursor") ?? "0");
    const results = Array.from({ length: Math.min(100, 250 - from) }, (_, index) => ({
      id: `0x${from + index}`,
      chain: "base",
    }));
    const hasMore = from + 100 < 250;
    return json({ results, has_next_page: hasMore, next_cursor: hasMore ? String(from + 100) : "" });
  };

  test.each([
    ["pools search base --all", 250, 3],
    ["pools search ethereum --all --order-by created_at", 4583, 46],
    ["pools search --chains ethereum,base --all", 4833, 49],
  ])("the pool count of the networks limits %s", async (words, rows, credits) => {
    server = await serveInTest(counted);
    const { exit, stdout } = await dexdata(`${words} --estimate`, { env: env() });
    expect({ exit, paths: server.requests.map(({ url }) => url) }).toEqual({ exit: 0, paths: ["/networks"] });
    expect(toRow(stdout)).toMatchObject({
      rows_at_most: rows,
      requests: credits,
      credits,
      certainty: "at most",
      credits_left: 77,
    });
  });

  test("the pull of these pools costs no more", async () => {
    server = await serveInTest(counted);
    const { stdout } = await dexdata("pools search base --all", { env: env() });
    expect({ rows: rowsOf(stdout).length, requests: server.requests.length }).toEqual({
      rows: 250,
      requests: 3,
    });
  });

  test.each(["pools search thin --all", "pools search --all"])(
    "%s: is unknown for a network without a count",
    async (words) => {
      server = await serveInTest(counted);
      const { stdout } = await dexdata(`${words} --estimate`, { env: env() });
      expect(toRow(stdout)).toMatchObject({ requests: null, credits: null, certainty: "unknown" });
    },
  );

  test.each([
    ["tokens search ethereum --all", 1],
    ["pools search ethereum --all --volume-usd-24h-min 5m --page-size 20", 5],
  ])("%s: is unknown, but shows the cost of 100 rows", async (words, credits) => {
    const { estimate } = await estimated(words);
    expect(estimate).toMatchObject({
      requests: null,
      credits: null,
      rows_at_most: null,
      seconds: null,
      credits_per_100_rows: credits,
      certainty: "unknown",
      basis: "the service does not count this list",
    });
  });

  test("the upper limit holds if the service omits the end of a time range", async () => {
    const newest = Date.parse("2026-11-21T08:00:00Z") / 1000;
    const events = Array.from({ length: 700 }, (_, index) => ({
      id: `0x${index}`,
      log_index: 0,
      created_at: new Date((newest - index * 60) * 1000).toISOString(),
    }));
    server = await serveInTest(({ query }) => {
      const to = Number(query.get("to") ?? newest + 1);
      const held = events.filter((_, index) => newest - index * 60 < to);
      const [limit, page] = [Number(query.get("limit")), Number(query.get("page"))];
      return json({
        transactions: held.slice((page - 1) * limit, page * limit),
        page_info: {
          limit,
          page,
          total_items: held.length,
          total_pages: Math.ceil(held.length / limit),
        },
      });
    });
    const words = `txns ethereum ${pool} --all --page-size 30`;
    const { stdout } = await dexdata(`${words} --estimate`, { env: env() });
    expect(toRow(stdout)).toMatchObject({ requests: 24, credits_at_most: 30, rows_at_most: 700 });
    const before = server.requests.length;
    const real = await dexdata(words, { env: env() });
    expect(rowsOf(real.stdout)).toHaveLength(700);
    expect(server.requests.length - before).toBeLessThanOrEqual(30);
  });

  test("allows one more request for a market so quiet that its candles look truncated", async () => {
    const hour = 3_600_000;
    const opening = Date.parse("2026-11-20T09:00:00Z");
    server = await serveInTest(({ path, query }) => {
      if (path === "/usage") return json({ plan: "keyless" });
      const start = Number(query.get("start")) * 1000;
      const candles = Array.from({ length: 10 }, (_, index) => opening + index * hour)
        .filter((at) => at >= start)
        .map((at) => ({ time_open: new Date(at).toISOString(), open: 1, high: 1, low: 1, close: 1 }));
      return json(candles);
    });
    const words = `ohlcv ethereum ${pool} --pool --from 2026-11-20T08:00:00Z --to 2026-11-21T08:00:00Z`;
    const { stdout } = await dexdata(`${words} --estimate`, { env: env() });
    expect(toRow(stdout)).toMatchObject({
      credits: 1,
      credits_at_most: 2,
      rows_at_most: 24,
      certainty: "about",
      credits_left: null,
    });
    const before = server.requests.length;
    expect((await dexdata(words, { env: env() })).exit).toBe(0);
    expect(server.requests.length - before).toBe(2);
  });

  test("ignores a total of zero if the response contains rows", async () => {
    const dexes = [{ dex_id: "a" }, { dex_id: "b" }];
    const totals = { limit: 1, page: 0, total_items: 0, total_pages: 0 };
    server = await serveInTest(() => json({ dexes, page_info: totals }));
    const { stdout } = await dexdata("dexes ethereum --all --estimate", { env: env() });
    expect(toRow(stdout)).toMatchObject({ requests: null, certainty: "unknown" });
  });

  test("reports a rejected request like the pull", async () => {
    const { exit, stderr } = await dexdata("dexes eth --all --estimate", { env: ledger.env() });
    expect(exit).toBe(3);
    expect(stderr).toContain("did you mean ethereum?");
  });
});

describe("other facts of the estimate", () => {
  test.each(["0.012k", "1.2e1"])("--limit %s is 12 rows", async (limit) => {
    const { estimate } = await estimated(`dexes ethereum --limit ${limit} --page-size 10`);
    expect(estimate).toMatchObject({ requests: 2, rows_at_most: 12 });
  });

  test("shows the time at the plan's rate limit, or at --rpm", async () => {
    const seconds = async (flags: string): Promise<unknown> =>
      (await estimated(`pools search ethereum --limit 60000 ${flags}`)).estimate["seconds"];
    // 600 requests: a minute's worth at once, the rest after 1 minute plus 2 %.
    expect(await seconds("")).toBe(62);
    // Spread over the minute: 30 per tenth of it, which 2 % and 100 ms make longer.
    expect(await seconds("--rpm 300")).toBe(Math.ceil((19 * 6220) / 1000));
    expect(await seconds("--rpm unlimited")).toBeUndefined();
  });

  test("shows the credits left, as reported by the response", async () => {
    const { estimate } = await estimated(`txns ethereum ${pool} --from -1h --all`);
    expect(estimate["credits_left"]).toBe(5_000_000 - ledger.charged());
  });

  test("prints the estimate even if the budget allows no request", async () => {
    const words = "pools search ethereum --limit 250 --estimate --max-credits 0";
    const { exit, stdout, requests } = await spend(words);
    expect({ exit, requests }).toEqual({ exit: 0, requests: 0 });
    expect(toRow(stdout)).toMatchObject({ credits: 3, credits_left: null, estimate_credits: 0 });
  });

  test("prints one fact per line on a terminal", async () => {
    const { stdout } = await dexdata(`pools search ethereum --limit 600000 --estimate`, {
      env: ledger.env(),
      isTerminal: true,
    });
    expect(stdout).toMatch(/^requests +6,000\n/mu);
    expect(stdout).toMatch(/^rows_at_most +600,000\n/mu);
    expect(stdout).toMatch(/^certainty +at most\n/mu);
  });

  test.each([
    ["pools search ethereum --all --volume-usd-24h-min 5m", "the service does not count this list"],
    ["tokens search ethereum --all", "the service does not count this list"],
    [`txns ethereum ${pool} ${token} --all`, "the service counts one list per request"],
  ])("%s: on a terminal, a sentence replaces the figures that are unknown", async (words, why) => {
    const { exit, stdout } = await dexdata(`${words} --estimate`, { env: ledger.env(), isTerminal: true });
    expect(exit).toBe(0);
    const [first, ...others] = stdout.trimEnd().split("\n");
    expect(first).toBe(`unknown: ${why}; --max-credits sets a limit`);
    expect(first?.length).toBeLessThanOrEqual(80);
    expect(others.map((line) => line.split(" ")[0])).toEqual(
      "credits_per_100_rows requests_per_minute credits_left estimate_requests estimate_credits".split(" "),
    );
  });

  test("rejects invalid arguments before sending anything", async () => {
    const { exit, requests } = await spend("pools search ethereum --limit 0 --estimate");
    expect({ exit, requests }).toEqual({ exit: 2, requests: 0 });
  });
});
