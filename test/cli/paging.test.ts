import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createMarket } from "../harness/bundled-sandbox.ts";
import { dexdata } from "../harness/dexdata.ts";
import { type Row, rowsOf, toRow } from "../harness/rows.ts";
import { sandboxNow, useSandbox } from "../harness/sandbox.ts";
import { bytes, hang, json, type Reply, type SeenRequest } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const sandbox = useSandbox();
const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

async function runCommand(
  script: (request: SeenRequest, index: number) => Reply,
  words: string,
  isTerminal = false,
) {
  const server = await serveInTest(script);
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
  const outcome = await dexdata(words, { env, isTerminal: { stderr: isTerminal } });
  return { ...outcome, rows: rowsOf(outcome.stdout), requests: server.requests };
}

describe("transactions", () => {
  test("rule 61: continues with a cursor after page 100, without losing or repeating a row", async () => {
    sandbox.takeLog();
    const { exit, stdout, stderr } = await dexdata(
      `txns ethereum ${pool} --page-size 10 --limit 1035 -o ndjson`,
      {
        env: sandbox.env(),
      },
    );
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });

    const market = createMarket({ seed: 1 });
    const ethereum = market.network("ethereum");
    const facts = ethereum === undefined ? undefined : market.pool(ethereum, pool, sandboxNow / 1000);
    if (facts === undefined) throw new Error("the market has this pool");
    const expected = market.transactions(facts, { to: sandboxNow / 1000, limit: 1035 });
    expect(rowsOf(stdout).map(({ id, log_index }) => `${String(id)} ${String(log_index)}`)).toEqual(
      expected.map(({ id, logIndex }) => `${id} ${logIndex}`),
    );

    const asked = sandbox.takeLog().map(({ url }) => new URL(url, "http://sandbox").searchParams);
    const pages = asked.flatMap((query) => query.get("page") ?? []).map(Number);
    expect(new Set(pages)).toEqual(new Set(Array.from({ length: 100 }, (_, index) => index + 1)));
    expect(asked.length).toBeLessThanOrEqual(105);
  });

  test("rule 64: keeps the events of one id on both sides of every page edge", async () => {
    // 1040 events, three per id: pages of 10 end with each of them.
    const events = Array.from({ length: 1040 }, (_, index) => ({
      id: `0x${Math.floor(index / 3)}`,
      log_index: 2 - (index % 3),
      created_at: "2026-11-21T08:00:00Z",
    }));
    const answer = ({ query }: SeenRequest): Reply => {
      const limit = Number(query.get("limit"));
      const cursor = query.get("cursor");
      const from =
        cursor === null
          ? (Number(query.get("page")) - 1) * limit
          : events.findLastIndex(({ id }) => id === cursor) + 1;
      const transactions = events.slice(from, from + limit);
      const last = transactions.at(-1);
      const next_cursor = from + limit < events.length ? last?.id : "";
      return json({
        transactions,
        page_info:
          cursor === null ? { limit, page: 1, total_items: 0, total_pages: 9999 } : { limit, next_cursor },
      });
    };
    const { exit, rows, requests } = await runCommand(
      answer,
      `txns ethereum ${pool} --all --page-size 10 --page 98 -o ndjson`,
    );
    expect(exit).toBe(0);
    expect(rows.map(({ id, log_index }) => [id, log_index])).toEqual(
      events.slice(970).map(({ id, log_index }) => [id, log_index]),
    );
    expect(requests.every(({ query }) => Number(query.get("page") ?? 1) <= 100)).toBe(true);

    // The rows up to page 100 may have one id only; the id before it is then on a page before the start.
    for (const size of [1, 2, 3])
      for (const start of [99, 100]) {
        const words = `txns ethereum ${pool} --page ${start} --page-size ${size} --limit 9 -o ndjson`;
        const few = await runCommand(answer, words);
        const first = (start - 1) * size;
        expect([few.exit, few.rows.map(({ id, log_index }) => [id, log_index])]).toEqual([
          0,
          events.slice(first, first + 9).map(({ id, log_index }) => [id, log_index]),
        ]);
      }
  });

  test("reads all events of a transaction, even if they exceed one page", async () => {
    const events = Array.from({ length: 30 }, (_, index) => ({
      id: index < 12 ? `0x${index}` : index < 24 ? "0xbig" : `0x${index}`,
      log_index: 30 - index,
    }));
    const answer = ({ query }: SeenRequest): Reply => {
      const limit = Number(query.get("limit"));
      const from = events.findLastIndex(({ id }) => id === query.get("cursor")) + 1;
      const transactions = events.slice(from, from + limit);
      return json({
        transactions,
        page_info: { limit, next_cursor: from + limit < events.length ? transactions.at(-1)?.id : "" },
      });
    };
    const { exit, rows } = await runCommand(
      answer,
      `txns ethereum ${pool} --cursor 0xnone --all --page-size 5 -o ndjson`,
    );
    expect({ exit, rows: rows.map(({ log_index }) => log_index) }).toEqual({
      exit: 0,
      rows: events.map(({ log_index }) => log_index),
    });
  });

  test("rule 75: history ends with an empty next_cursor, a missing one, or a page without new rows", async () => {
    const row = (id: number): Row => ({ id: `0x${id}`, log_index: 0 });
    const endings: readonly (readonly [string, Row])[] = [
      ["empty", { transactions: [row(2), row(3)], page_info: { limit: 2, next_cursor: "" } }],
      ["missing", { transactions: [row(2), row(3)], page_info: { limit: 2 } }],
      ["nothing new", { transactions: [row(2)], page_info: { limit: 2, next_cursor: "0x2" } }],
    ];
    for (const [name, last] of endings) {
      const first = { transactions: [row(1), row(2)], page_info: { limit: 2, next_cursor: "0x2" } };
      const words = `txns ethereum ${pool} --cursor 0x0 --all --page-size 2 -o ndjson`;
      const { exit, rows, requests } = await runCommand(
        (_, index) => json(index === 0 ? first : last),
        words,
      );
      expect({ name, exit, ids: rows.map(({ id }) => id), requests: requests.length }).toEqual({
        name,
        exit: 0,
        ids: name === "nothing new" ? ["0x1", "0x2"] : ["0x1", "0x2", "0x3"],
        requests: 2,
      });
    }
  });

  test("rule 76: reads either form of page after either form of request", async () => {
    for (const [isSwapped, eventsOfFirst] of [
      [false, 1],
      [true, 1],
      [false, 12],
    ] as const) {
      const events = Array.from({ length: 25 }, (_, index) => ({
        id: `0x${Math.max(0, index + 1 - eventsOfFirst)}`,
        log_index: 25 - index,
      }));
      // This service ignores page numbers.
      const answer = ({ query }: SeenRequest): Reply => {
        const [limit, cursor] = [Number(query.get("limit")), query.get("cursor")];
        const from = events.findLastIndex(({ id }) => id === cursor) + 1;
        const part = events.slice(from, from + limit);
        const next_cursor = from + limit < events.length ? part.at(-1)?.id : "";
        const totals = { page: 1 + from / limit, total_items: events.length, total_pages: 3 };
        const page_info = { limit, ...(isSwapped && cursor !== null ? totals : { next_cursor }) };
        return json({ transactions: part, page_info });
      };
      const words = `txns ethereum ${pool} --page-size 10 -o ndjson`;
      const all = await runCommand(answer, `${words} --all`);
      expect([all.exit, all.rows]).toEqual([0, events]);
      const part = await runCommand(answer, words);
      if (eventsOfFirst === 1) expect(part.stderr).toContain("--cursor 0x8");
    }
  });

  test("rules 52, 53, 62, 73: sends one request by default, for page 1 and ten rows", async () => {
    sandbox.takeLog();
    const { stdout } = await dexdata(`txns ethereum ${pool} -o ndjson`, { env: sandbox.env() });
    expect(rowsOf(stdout).length).toBe(10);
    const [request, ...others] = sandbox.takeLog();
    expect(others).toEqual([]);
    expect(request?.url).toBe(`/networks/ethereum/pools/${pool}/transactions?page=1&limit=10`);
  });
});

describe("a search", () => {
  const page = (ids: readonly string[], next?: string): Reply =>
    json({
      results: ids.map((id) => ({ id, chain: "ethereum" })),
      has_next_page: next !== undefined,
      next_cursor: next ?? null,
    });

  test("rule 49: sends the cursor back byte for byte, with all other parameters unchanged", async () => {
    const cursor = "eyJhIjoiYi9jK2Q9JiDwn5iAIn0=/+ %&?#é";
    const words = "pools search ethereum --all --page-size 1 --liquidity-usd-min 1.5m --sort asc -o ndjson";
    const { rows, requests } = await runCommand(
      (_, index) => (index === 0 ? page(["0x1"], cursor) : page(["0x2"])),
      words,
    );
    expect(rows.map(({ id }) => id)).toEqual(["0x1", "0x2"]);
    const [first, second] = requests.map(({ query }) => Object.fromEntries(query));
    expect(first).toEqual({ limit: "1", liquidity_usd_min: "1500000", sort: "asc" });
    expect(second).toEqual({ ...first, cursor });
  });

  /** Serves three pages, the last of which points back to the first the given number of times. */
  const repeatingPages = (times: number): ((request: SeenRequest) => Reply) => {
    let left = times;
    return ({ query }) => {
      const cursor = query.get("cursor");
      if (cursor === null) return page(["0x1"], "A");
      if (cursor === "A") return page(["0x2"], "B");
      if (cursor === "C") return page(["0x4"]);
      left -= 1;
      return page(["0x3"], left >= 0 ? "A" : "C");
    };
  };

  test("fails at a cursor that repeats in four responses, and keeps the rows", async () => {
    const words = "pools search ethereum --all --page-size 1 -o ndjson";
    const { exit, rows, requests, stderr } = await runCommand(repeatingPages(100), words);
    expect({ exit, ids: rows.map(({ id }) => id), requests: requests.length }).toEqual({
      exit: 8,
      ids: ["0x1", "0x2", "0x3"],
      requests: 6,
    });
    expect(stderr).toMatch(/the service repeated a cursor/u);
  });

  test.each([1, 2, 3])("continues if a cursor repeats in only %i responses", async (times) => {
    const words = "pools search ethereum --all --page-size 1 -o ndjson";
    const { exit, rows } = await runCommand(repeatingPages(times), words);
    expect({ exit, ids: rows.map(({ id }) => id) }).toEqual({ exit: 0, ids: ["0x1", "0x2", "0x3", "0x4"] });
  });

  test("requests a page again that promises a next one without a cursor, and keeps its rows", async () => {
    const lost = json({
      results: [{ id: "0x1", chain: "ethereum" }],
      has_next_page: true,
      next_cursor: null,
    });
    const words = "pools search ethereum --all --page-size 1 -o ndjson";
    const never = await runCommand(() => lost, words);
    expect({
      exit: never.exit,
      ids: never.rows.map(({ id }) => id),
      requests: never.requests.length,
    }).toEqual({
      exit: 8,
      ids: ["0x1"],
      requests: 4,
    });
    expect(never.stderr).toMatch(/promised a next page but sent no cursor/u);
    const once = await runCommand(
      (_, index) => [lost, page(["0x1"], "A"), page(["0x2"])][index] ?? page([]),
      words,
    );
    expect({ exit: once.exit, ids: once.rows.map(({ id }) => id) }).toEqual({ exit: 0, ids: ["0x1", "0x2"] });
  });

  test("needs no cursor after the last wanted row", async () => {
    const words = "pools search ethereum --limit 3 --page-size 2 -o ndjson";
    const { exit, rows, requests } = await runCommand(
      (_, index) =>
        index === 0
          ? page(["0x1", "0x2"], "A")
          : json({ results: ["0x3", "0x4"].map((id) => ({ id, chain: "ethereum" })), has_next_page: true }),
      words,
    );
    expect({ exit, ids: rows.map(({ id }) => id), requests: requests.length }).toEqual({
      exit: 0,
      ids: ["0x1", "0x2", "0x3"],
      requests: 2,
    });
  });

  test("needs a cursor if repeated rows are among the wanted ones", async () => {
    const words = "pools search ethereum --limit 4 --page-size 2 -o ndjson";
    const { exit, rows } = await runCommand(
      (_, index) =>
        index < 2
          ? page(
              [
                ["0x1", "0x2"],
                ["0x2", "0x3"],
              ][index] ?? [],
              ["A", "B"][index],
            )
          : json({ results: ["0x3", "0x4"].map((id) => ({ id, chain: "ethereum" })), has_next_page: true }),
      words,
    );
    expect({ exit, ids: rows.map(({ id }) => id) }).toEqual({ exit: 0, ids: ["0x1", "0x2", "0x3", "0x4"] });
    const cut = await runCommand(
      (_, index) =>
        index === 0
          ? page(["0x1", "0x2"], "A")
          : json({ results: ["0x2", "0x3"].map((id) => ({ id, chain: "ethereum" })), has_next_page: true }),
      words,
    );
    expect({ exit: cut.exit, ids: cut.rows.map(({ id }) => id) }).toEqual({
      exit: 8,
      ids: ["0x1", "0x2", "0x3"],
    });
  });

  test("accepts a short page after fetching it twice; from the fourth on, short pages cost nothing extra", async () => {
    const words = "pools search ethereum --all -o ndjson";
    const { exit, rows, requests } = await runCommand(({ query }) => {
      const number = Number(query.get("cursor") ?? 0);
      return page([`0x${number}`], number < 5 ? String(number + 1) : undefined);
    }, words);
    expect({ exit, rows: rows.length, requests: requests.length }).toEqual({ exit: 0, rows: 6, requests: 9 });
  });

  test("fails if pages contain no new rows, even with new cursors", async () => {
    const words = "pools search ethereum --all --page-size 1 -o ndjson";
    const { exit, rows, requests, stderr } = await runCommand(
      (_, index) => page(["0x1"], `cursor ${index}`),
      words,
    );
    // Each of the three is requested four times, and a next page before the rows of a page are checked.
    expect({ exit, rows: rows.length, requests: requests.length }).toEqual({
      exit: 8,
      rows: 1,
      requests: 17,
    });
    expect(stderr).toMatch(/had no new rows/u);
  });

  test("requests the next page before it has read this one; if this one is invalid, cancels and counts that request", async () => {
    const receipt = path.join(folder, "early.json");
    const broken = Buffer.from('{"results":[{"id":"0x1"},{"id":],"has_next_page":true,"next_cursor":"A"}');
    const { exit, rows, requests, stderr } = await runCommand(
      (_, index) => (index === 0 ? bytes(broken) : hang()),
      `pools search ethereum --all -o ndjson --error-format text --receipt ${receipt}`,
    );
    // The run may end before the server has read the second request.
    while (requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    expect({ exit, rows, requests: requests.map(({ query }) => query.get("cursor")) }).toEqual({
      exit: 1,
      rows: [],
      requests: [null, "A"],
    });
    expect(stderr).toMatch(/malformed or truncated JSON/u);
    expect(toRow(readFileSync(receipt, "utf8"))).toMatchObject({
      requests: 2,
      credits: { spent: 1, in_doubt: 1 },
    });
  });

  test("never writes a row twice, even if the list changes between pages", async () => {
    const pages = [page(["0x1", "0x2"], "A"), page(["0x2", "0x3"], "B"), page(["0x3", "0x4"])];
    const { exit, rows } = await runCommand(
      (_, index) => pages[index] ?? page([]),
      "pools search ethereum --all --page-size 2 -o ndjson",
    );
    expect({ exit, ids: rows.map(({ id }) => id) }).toEqual({ exit: 0, ids: ["0x1", "0x2", "0x3", "0x4"] });
  });

  test("rule 113: keeps the same address on two networks as two rows", async () => {
    const results = [
      { address: "0x1", chain: "ethereum" },
      { address: "0x1", chain: "base" },
    ];
    const { rows } = await runCommand(
      () => json({ results, has_next_page: false }),
      "tokens search --all -o ndjson",
    );
    expect(rows).toEqual(results);
  });

  test("ends the list at a response without has_next_page and next_cursor", async () => {
    const { exit, rows, requests } = await runCommand(
      () => json({ results: [{ id: "0x1", chain: "base" }] }),
      "pools search base --all -o ndjson",
    );
    expect({ exit, rows: rows.length, requests: requests.length }).toEqual({ exit: 0, rows: 1, requests: 1 });
  });

  test("rule 51: never sends a page, and rejects the flag", async () => {
    const { exit, requests } = await runCommand(() => page([]), "pools search ethereum --page 2");
    expect({ exit, requests: requests.length }).toEqual({ exit: 2, requests: 0 });
  });

  test("--limit returns exactly that many rows, with as few requests as possible", async () => {
    for (const [limit, requests] of [
      [1, 1],
      [100, 1],
      [101, 2],
      [250, 3],
    ] as const) {
      sandbox.takeLog();
      const { stdout } = await dexdata(`pools search ethereum --limit ${limit} -o ndjson`, {
        env: sandbox.env(),
      });
      expect({ rows: rowsOf(stdout).length, requests: sandbox.takeLog().length }).toEqual({
        rows: limit,
        requests,
      });
    }
  });

  test("prints the command for the next page on a wide terminal, and that command continues", async () => {
    const options = { env: sandbox.env(), isTerminal: { stderr: true }, columns: 400 };
    const whole = rowsOf(
      (await dexdata("pools search base --limit 40 --created-after -90d -o ndjson", options)).stdout,
    );
    let words: readonly string[] = "pools search base --limit 20 --created-after -90d -o ndjson".split(" ");
    const rows: Row[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { stdout, stderr } = await dexdata(words, options);
      rows.push(...rowsOf(stdout));
      const command = /next page: dexdata (.+)/u.exec(stderr)?.[1];
      expect(command).toContain("--created-after 2026-08-23T08:54:00Z");
      words = command?.split(" ") ?? [];
    }
    expect(rows).toEqual(whole);
  });

  test("the command for the next page repeats the flags of the output", async () => {
    const options = { env: sandbox.env(), isTerminal: { stderr: true }, columns: 400 };
    const words = "pools search base --page-size 5 --prefix id -o ndjson";
    const first = await dexdata(`${words} --limit 5`, options);
    const next = /next page: dexdata (.+)/u.exec(first.stderr)?.[1];
    expect(next).toContain("--prefix id");
    const whole = await dexdata(`${words} --limit 10`, options);
    expect(first.stdout + (await dexdata(next ?? "", options)).stdout).toBe(whole.stdout);
  });

  test("prints no message in a pipe if the run succeeds", async () => {
    const { stderr } = await dexdata("pools search base --limit 5 -o ndjson", { env: sandbox.env() });
    expect(stderr).toBe("");
  });
});

describe("rule 56: the echo of a search", () => {
  const rows = [{ id: "0x1", chain: "base" }];
  const words =
    "pools search base --all --liquidity-usd-min 250k --sort asc --created-after 2026-01-01 --dex Uniswap_V3 -o ndjson";
  const whole = {
    network: "base",
    limit: 100,
    sort: "asc",
    liquidity_usd_min: 250000.0,
    created_after: "2026-01-01T00:00:00Z",
    dex_name: "uniswap_v3",
  };
  const search = (query: unknown) => () =>
    json({ results: rows, has_next_page: false, ...(query === undefined ? {} : { query }) });

  test.each([
    ["all of it", whole],
    ["all of it, a time as seconds", { ...whole, created_after: 1767225600 }],
    ["nothing", undefined],
    ["null", null],
  ])("%s: accepts the rows", async (_, query) => {
    const { exit, rows: taken } = await runCommand(search(query), words);
    expect({ exit, taken }).toEqual({ exit: 0, taken: rows });
  });

  const { liquidity_usd_min: _left, ...without } = whole;
  test.each([
    ["a filter is missing", without, 'ignored --liquidity-usd-min "250000"'],
    [
      "a filter has another value",
      { ...whole, liquidity_usd_min: 1 },
      'applied 1 instead of --liquidity-usd-min "250000"',
    ],
    ["the order was turned", { ...whole, sort: "desc" }, 'applied "desc" instead of --sort "asc"'],
    [
      "a time is another",
      { ...whole, created_after: 5 },
      'applied 5 instead of --created-after "1767225600"',
    ],
  ])("%s: ends the command before the first row", async (_, query, named) => {
    const { exit, rows: taken, stderr } = await runCommand(search(query), words, true);
    expect({ exit, taken }).toEqual({ exit: 1, taken: [] });
    expect(stderr).toContain(`error: the service ${named}, so its rows do not match`);
    expect((await runCommand(search(query), `${words} --no-strict`)).rows).toEqual(rows);
  });

  test("chains are a set, as an array or as a string", async () => {
    for (const chains of [["base", "solana"], "solana,base"]) {
      const { exit } = await runCommand(search({ chains }), "tokens search --chains solana,base -o ndjson");
      expect(exit).toBe(0);
    }
    expect(
      (await runCommand(search({ chains: ["base"] }), "tokens search --chains solana,base -o ndjson")).exit,
    ).toBe(1);
  });
});

describe("an interrupted pull", () => {
  test("promise 10: keeps its rows and prints the command that continues", async () => {
    const script = ({ query }: SeenRequest): Reply => {
      const cursor = query.get("cursor");
      if (cursor === "B") return json({ error: "payment_required", message: "used up" }, { status: 402 });
      return json({
        results: [{ id: `0x${cursor ?? "first"}`, chain: "base" }],
        has_next_page: true,
        next_cursor: cursor === null ? "A" : "B",
      });
    };
    const { exit, rows, stderr } = await runCommand(
      script,
      "pools search base --all --page-size 1 -o ndjson",
      true,
    );
    expect({ exit, ids: rows.map(({ id }) => id) }).toEqual({ exit: 5, ids: ["0xfirst", "0xA"] });
    expect(stderr).toContain("2 rows written\n");
    expect(stderr).toContain(
      "more rows available; next page: dexdata pools search base --all --output ndjson --page-size 1 --cursor B\n",
    );
  });

  test("a repeated page is not the end if the totals promise more", async () => {
    const page = (number: number): Reply =>
      json({
        transactions: [0, 1].map((index) => ({ id: `0x${number}`, log_index: index })),
        page_info: { limit: 2, page: number, total_items: 8, total_pages: 4 },
      });
    const { exit, rows } = await runCommand(
      (_, index) => page([1, 1, 2, 3][index] ?? 9),
      `txns ethereum ${pool} --all --page-size 2 -o ndjson`,
    );
    expect({ exit, ids: [...new Set(rows.map(({ id }) => id))] }).toEqual({
      exit: 0,
      ids: ["0x1", "0x2", "0x3", "0x9"],
    });
  });

  test("reads a service that limits its pages to the end", async () => {
    const page = (rows: number, number: number): Reply =>
      json({
        dexes: Array.from({ length: rows }, (_, index) => ({ dex_id: `d${number}-${index}` })),
        page_info: { limit: 3, page: number, total_items: 0, total_pages: 0 },
      });
    const { exit, rows } = await runCommand(
      (_, index) => page(index < 2 ? 3 : 1, index),
      "dexes base --all -o ndjson",
    );
    expect({ exit, rows: rows.length }).toEqual({ exit: 0, rows: 7 });
  });
});

describe("a DEX listing", () => {
  const dex = (id: string): Row => ({ dex_id: id, dex_name: id.toUpperCase() });

  test("rule 106: pages partition the list", async () => {
    sandbox.takeLog();
    const { exit, stdout } = await dexdata("dexes ethereum --all --page-size 10 -o ndjson", {
      env: sandbox.env(),
    });
    const ids = rowsOf(stdout).map(({ dex_id }) => dex_id);
    expect(exit).toBe(0);
    expect(ids.length).toBeGreaterThan(20);
    expect(new Set(ids).size).toBe(ids.length);
    expect(sandbox.takeLog().length).toBe(Math.floor(ids.length / 10) + 1);
  });

  test("ends if the service sends every DEX on each page and totals of 0", async () => {
    const all = {
      dexes: ["a", "b", "c"].map(dex),
      page_info: { limit: 0, page: 0, total_items: 0, total_pages: 0 },
    };
    const many = await runCommand(() => json(all), "dexes ethereum --all --page-size 2 -o ndjson");
    expect({ exit: many.exit, ids: many.rows.map(({ dex_id }) => dex_id) }).toEqual({
      exit: 0,
      ids: ["a", "b", "c"],
    });
    expect(many.requests.length).toBe(2);
    const few = await runCommand(() => json(all), "dexes ethereum --limit 2 -o ndjson", true);
    expect(few.rows.map(({ dex_id }) => dex_id)).toEqual(["a", "b"]);
    expect(few.stderr).toContain("use e.g. --limit 10 or --all");
  });

  test("rule 52: pages have numbers, even if a response has a cursor and no totals", async () => {
    const script = (_: SeenRequest, index: number): Reply =>
      json({ dexes: [dex(`d${index}`)].slice(index), page_info: { limit: 1, next_cursor: "d0" } });
    const { requests } = await runCommand(script, "dexes ethereum --all --page-size 1 -o ndjson");
    expect(requests.map(({ query }) => query.get("page"))).toEqual(["1", "2"]);
  });

  test("continues after a short page if the totals promise more", async () => {
    const script = (_: SeenRequest, index: number): Reply =>
      json({
        dexes: [dex(`d${index}`)],
        page_info: { limit: 2, page: index + 1, total_items: 3, total_pages: 3 },
      });
    const { rows, requests } = await runCommand(script, "dexes ethereum --all --page-size 2 -o ndjson");
    expect({ rows: rows.length, requests: requests.length }).toEqual({ rows: 3, requests: 3 });
  });
});
