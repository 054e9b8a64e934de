import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerOf, type Event, type Listing, listingStart, manyEvents, nameOf } from "../harness/listing.ts";
import { rowsOf } from "../harness/rows.ts";
import { servePulls } from "../harness/scripted-pulls.ts";
import { json, type Reply, type Script, type SeenRequest } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const small = `txns ethereum ${pool} --all --page-size 20`;
const folder = temporaryFolder();

const namesIn = (text: string): readonly string[] =>
  rowsOf(text).map(({ id, log_index }) => `${String(id)} ${String(log_index)}`);

/** Returns the response of the listing, with other rows or page information. */
function changed(
  listing: Listing,
  request: SeenRequest,
  change: (body: { transactions: Event[]; page_info: Record<string, unknown> }) => void,
): Reply {
  const answer = answerOf(listing, request);
  if (answer.mode !== "answer") return answer;
  const body = JSON.parse(String(answer.body));
  change(body);
  return { ...answer, body: JSON.stringify(body) };
}

/** Removes rows from the listing before the request with that number. */
function withdrawing(listing: Listing, at: number, names: ReadonlySet<string>): Script {
  return (request, index) => {
    if (index === at) listing.events = listing.events.filter((event) => !names.has(nameOf(event)));
    return answerOf(listing, request);
  };
}

describe("a list of DEXes from which one is removed between two pages", () => {
  const page =
    (all: readonly string[]) =>
    ({ query }: SeenRequest): Reply => {
      const [number, limit] = [Number(query.get("page") ?? 1), Number(query.get("limit"))];
      const rows = all.slice((number - 1) * limit, number * limit);
      const total_pages = Math.ceil(all.length / limit);
      return json({
        dexes: rows.map((dex_id) => ({ dex_id, dex_name: dex_id, chain: "ethereum" })),
        page_info: { limit, page: number, total_items: all.length, total_pages },
      });
    };
  test.each([
    [250, 100, 199],
    [300, 100, 199],
    [350, 100, 199],
    [350, 100, 3],
    [40, 2, 3],
    [30, 1, 4],
    [30, 1, 1],
  ])("of %i, in pages of %i, without number %i: all others are returned", async (count, size, at) => {
    const all = Array.from({ length: count }, (_, index) => `dex${index}`);
    const left = all.filter((name) => name !== `dex${at}`);
    const before = Math.floor(at / size) + 1;
    const { run } = await servePulls((request, index) => page(index > before ? left : all)(request));
    const { exit, stdout } = await run(`dexes ethereum --all --page-size ${size}`);
    const names = new Set(rowsOf(stdout).map(({ dex_id }) => dex_id));
    expect({ exit, lost: left.filter((name) => !names.has(name)) }).toEqual({ exit: 0, lost: [] });
  });
});

test("rows that match only the lower of two counts are no proof", async () => {
  const listing: Listing = { events: manyEvents(35, 2) };
  const { run } = await servePulls((request) =>
    changed(listing, request, (body) => {
      body.page_info["total_items"] = request.query.get("page") === "1" ? 35 : 38;
    }),
  );
  const { exit, stderr, stdout, complete, proof } = await run(small);
  expect({ exit, rows: rowsOf(stdout).length, complete, proof }).toEqual({
    exit: 0,
    rows: 35,
    complete: false,
    proof: null,
  });
  expect(stderr).toContain("warning: the list may be incomplete: page 2 has only 15 of 18 rows\n");
});

test("a lower count does not excuse a short page that has rows beyond it", async () => {
  const names = Array.from({ length: 24 }, (_, index) => `dex${index}`);
  const { run } = await servePulls(({ query }) => {
    const page = Number(query.get("page") ?? 1);
    const rows = names.slice((page - 1) * 3, page === 8 ? 22 : page * 3);
    const total_items = page === 7 ? 21 : 24;
    return json({
      dexes: rows.map((dex_id) => ({ dex_id, dex_name: dex_id, chain: "ethereum" })),
      page_info: { limit: 3, page, total_items, total_pages: total_items / 3 },
    });
  });
  const { exit, stderr, proof } = await run("dexes ethereum --all --page-size 3 --parallel 1");
  expect({ exit, proof }).toEqual({ exit: 8, proof: null });
  expect(stderr).toContain("page 8 has only 1 of 3 rows");
});

test("another page in the place of the last one is never accepted, whatever the totals were", async () => {
  const names = Array.from({ length: 28 }, (_, index) => `dex${index}`);
  const { run } = await servePulls(({ query }) => {
    const asked = Number(query.get("page") ?? 1);
    const page = asked === 10 ? 6 : asked;
    const rows = names.slice((page - 1) * 3, page * 3);
    const total_items = asked === 8 ? 24 : 28;
    const twice = asked === 9 ? rows.slice(0, 1) : [];
    return json({
      dexes: [...twice, ...rows].map((dex_id) => ({ dex_id, dex_name: dex_id, chain: "ethereum" })),
      page_info: { limit: 3, page, total_items, total_pages: Math.ceil(total_items / 3) },
    });
  });
  const { exit, stderr, proof } = await run("dexes ethereum --all --page-size 3 --parallel 1");
  expect({ exit, proof }).toEqual({ exit: 8, proof: null });
  expect(stderr).toContain("the service returned page 6 instead of page 10");
});

describe("rows removed between two pages", () => {
  test.each([
    [35, small],
    [469, `txns ethereum ${pool} --limit 40 --page-size 20`],
    [469, `${small} --page 3`],
    [150, small],
  ])("of %i, %s: no other row is lost", async (count, words) => {
    const listing: Listing = { events: manyEvents(count, 2) };
    const there = listing.events.slice(words.includes("--page 3") ? 40 : 0);
    const gone = new Set(there.slice(10, 13).map(nameOf));
    const { run } = await servePulls(withdrawing(listing, 1, gone));
    const { exit, stdout } = await run(words);
    const names = namesIn(stdout);
    const owed = there.map(nameOf).filter((name) => !gone.has(name));
    const wanted = words.includes("--limit") ? 37 : owed.length;
    expect({ exit, lost: owed.slice(0, wanted).filter((name) => !names.includes(name)) }).toEqual({
      exit: 0,
      lost: [],
    });
  });
});

describe("--resume after a page that contradicted the count", () => {
  test.each([30, 35, 249])("of %i rows: all rows are returned once the service has them", async (count) => {
    const listing: Listing = { events: manyEvents(count, 2) };
    const hidden = new Set(listing.events.slice(10, 13).map(nameOf));
    const { service, run } = await servePulls((request) =>
      changed(listing, request, (body) => {
        body.transactions = body.transactions.filter((event) => !hidden.has(nameOf(event)));
      }),
    );
    const words = `${small} --out ${path.join(folder, `hidden-${count}.ndjson`)} --resume`;
    expect(await run(words)).toMatchObject({ exit: 8 });
    service.script = (request) => answerOf(listing, request);
    expect(await run(words)).toMatchObject({ exit: 0, proof: "count" });
    const names = namesIn(readFileSync(words.split(" ").at(-2) ?? "", "utf8"));
    expect(new Set(names)).toEqual(new Set(listing.events.map(nameOf)));
    expect(names.length).toBe(count);
  });

  test("a count that was too high by one is forgotten", async () => {
    const listing: Listing = { events: manyEvents(249, 2), total: (items) => items + 1 };
    const { service, run } = await servePulls((request) => answerOf(listing, request));
    const words = `${small} --out ${path.join(folder, "high.ndjson")} --resume`;
    expect(await run(words)).toMatchObject({ exit: 8 });
    service.script = (request) => answerOf({ events: listing.events }, request);
    expect(await run(words)).toMatchObject({ exit: 0, proof: "count" });
  });

  test("rows removed meanwhile from the remaining part do not count as missing", async () => {
    const listing: Listing = { events: manyEvents(469, 2) };
    const { service, run } = await servePulls((request, index) =>
      index > 10 ? json({}, { status: 501 }) : answerOf(listing, request),
    );
    const words = `${small} --out ${path.join(folder, "fewer.ndjson")} --resume`;
    expect(await run(`${words} --retries 0`)).toMatchObject({ exit: 7 });
    listing.events = listing.events.filter((_, index) => index < 400 || index > 402);
    service.script = (request) => answerOf(listing, request);
    expect(await run(words)).toMatchObject({ exit: 0 });
  });
});

describe("cursor pages", () => {
  const many = (): Listing => ({ events: manyEvents(2195, 2000) });
  const cursorPage = 102;
  const halved = (listing: Listing, isStruck: (request: SeenRequest) => boolean): Script => {
    return (request) =>
      changed(listing, request, (body) => {
        if (request.query.get("cursor") !== null && isStruck(request))
          body.transactions = body.transactions.toSpliced(5, 7);
      });
  };

  test("a page without some of its rows is requested again", async () => {
    const listing = many();
    let struck = 0;
    const { run } = await servePulls(halved(listing, () => (struck += 1) === 2));
    const { exit, stdout, proof } = await run(small);
    expect({ exit, proof, rows: namesIn(stdout) }).toEqual({
      exit: 0,
      proof: "count",
      rows: listing.events.map(nameOf),
    });
  });

  test("rows that are never returned are reported as missing, and the list is never proved complete", async () => {
    const listing = many();
    const hidden = new Set(listing.events.slice(20 * cursorPage + 5, 20 * cursorPage + 12).map(nameOf));
    const { run } = await servePulls((request) =>
      changed(listing, request, (body) => {
        if (request.query.get("cursor") !== null)
          body.transactions = body.transactions.filter((event) => !hidden.has(nameOf(event)));
      }),
    );
    const { exit, stderr, proof } = await run(small);
    expect({ exit, proof }).toEqual({ exit: 8, proof: null });
    expect(stderr).toContain("7 rows");
    // The user accepts the list, which does not prove that it is complete.
    expect(await run(`${small} --no-strict`)).toMatchObject({ exit: 0, complete: false, proof: null });
  });

  test("the rows of the last page are returned if the list ends early", async () => {
    const events: Event[] = [
      ...Array.from({ length: 2010 }, (_, index) => ({ id: `0x${index}`, log_index: 0, time: listingStart })),
      ...Array.from({ length: 25 }, (_, index) => ({
        id: "0xlast",
        log_index: 25 - index,
        time: listingStart,
      })),
    ];
    const { run } = await servePulls((request) => answerOf({ events, total: (items) => items + 3 }, request));
    const words = `${small} --page 98`;
    const rows = events.slice(97 * 20).map(nameOf);
    const strict = await run(words);
    expect({ exit: strict.exit, rows: namesIn(strict.stdout) }).toEqual({ exit: 8, rows });
    const { exit, stdout, stderr } = await run(`${words} --no-strict`);
    expect({ exit, rows: namesIn(stdout) }).toEqual({ exit: 0, rows });
    expect(stderr).toContain("the list may be incomplete");
  });
});

describe("a later page in place of an earlier one", () => {
  const swapped =
    (listing: Listing, at: number, by: number, numbers?: number): Script =>
    (request) => {
      const isStruck = Number(request.query.get("page")) === at && !struck;
      if (isStruck) struck = true;
      const query = new URLSearchParams(request.query);
      if (isStruck) query.set("page", String(by));
      return changed(listing, { ...request, query }, ({ page_info }) => {
        if (numbers !== undefined) page_info["page"] = numbers;
      });
    };
  let struck = false;

  test.each([1, 2, 5])("is detected by its number, at page %i", async (at) => {
    struck = false;
    const listing: Listing = { events: manyEvents(249, 2) };
    const { run } = await servePulls(swapped(listing, at, 7));
    const { exit, stdout, proof } = await run(small);
    expect({ exit, proof, rows: namesIn(stdout) }).toEqual({
      exit: 0,
      proof: "count",
      rows: listing.events.map(nameOf),
    });
  });

  test.each(["", " --parallel 1"])(
    "is never proved complete if every page has the number 0%s",
    async (flag) => {
      struck = false;
      const { run } = await servePulls(swapped({ events: manyEvents(249, 2) }, 5, 6, 0));
      expect(await run(small + flag)).toMatchObject({ exit: 8, proof: null });
    },
  );

  test("is accepted if every page has the number 1", async () => {
    struck = true;
    const listing: Listing = { events: manyEvents(249, 2) };
    const { run } = await servePulls(swapped(listing, 5, 5, 1));
    const { exit, stdout } = await run(small);
    expect({ exit, rows: namesIn(stdout) }).toEqual({ exit: 0, rows: listing.events.map(nameOf) });
  });
});

test("--no-strict still requests wrong pages again", async () => {
  const listing: Listing = { events: manyEvents(469, 2) };
  const hidden = new Set(listing.events.slice(45, 47).map(nameOf));
  let struck = false;
  const { run } = await servePulls((request) =>
    changed(listing, request, (body) => {
      const isStruck = Number(request.query.get("page")) === 15 && !struck;
      struck ||= isStruck;
      body.transactions = isStruck ? [] : body.transactions.filter((event) => !hidden.has(nameOf(event)));
    }),
  );
  const { exit, stdout, stderr } = await run(`${small} --no-strict`);
  expect({ exit, rows: namesIn(stdout) }).toEqual({
    exit: 0,
    rows: listing.events.map(nameOf).filter((name) => !hidden.has(name)),
  });
  expect(stderr.match(/the list may be incomplete/gu)).toHaveLength(1);
});

describe("a search", () => {
  const search = (request: SeenRequest, hide: (from: number) => number): Reply => {
    const from = Number(request.query.get("cursor") ?? 0);
    const results = Array.from({ length: Math.min(10, 40 - from) }, (_, index) => ({
      id: `0x${from + index}`,
      chain: "base",
    }));
    const isLast = from + 10 >= 40;
    return json({
      results: results.slice(0, results.length - hide(from)),
      has_next_page: !isLast,
      next_cursor: isLast ? "" : String(from + 10),
    });
  };
  const words = "pools search base --all --page-size 10";

  test("half a page and then an empty page do not confirm each other", async () => {
    let seen = 0;
    const { run } = await servePulls((request) =>
      search(request, (from) => (from === 10 && seen < 2 ? ([5, 10][seen++] ?? 0) : 0)),
    );
    expect(rowsOf((await run(words)).stdout).length).toBe(40);
  });

  test("a short page does not confirm an empty one", async () => {
    let isStruck = false;
    const { run } = await servePulls((request) =>
      search(request, (from) => {
        if (from === 10) return 1;
        if (from !== 20 || isStruck) return 0;
        isStruck = true;
        return 10;
      }),
    );
    expect(rowsOf((await run(words)).stdout).length).toBe(39);
  });
});

describe("candles", () => {
  const minute = (time: number): object => ({
    time_open: new Date(time * 1000).toISOString().replace(".000Z", "Z"),
    open: 1,
    high: 1,
    low: 1,
    close: 1,
    volume: 1,
  });
  const minutesOf = ({ query }: SeenRequest): readonly object[] => {
    const [start, end, limit] = ["start", "end", "limit"].map((name) => Number(query.get(name)));
    const first = Math.ceil((start ?? 0) / 60) * 60;
    const count = Math.min(limit ?? 0, Math.max(0, Math.ceil(((end ?? 0) - first) / 60)));
    return Array.from({ length: count }, (_, index) => minute(first + index * 60));
  };
  /** Returns each slice that starts at one of these times empty once. */
  const emptyOnce = (isStruck: (start: number) => boolean): Script => {
    const met = new Set<number>();
    return (request) => {
      const start = Number(request.query.get("start"));
      const isFirst = !met.has(start);
      met.add(start);
      return json(isFirst && isStruck(start) ? [] : minutesOf(request));
    };
  };
  const ohlcv = `ohlcv ethereum ${pool} --pool --interval 1m`;
  const day = "--from 2026-11-01T00:00:00Z --to 2026-11-06T00:00:00Z";

  test("three adjacent empty slices are each requested again", async () => {
    const first = Date.parse("2026-11-01T00:00:00Z") / 1000;
    const { run } = await servePulls(emptyOnce((start) => [1, 2, 3].includes((start - first) / 60_000)));
    expect(rowsOf((await run(`${ohlcv} ${day}`)).stdout).length).toBe(7200);
  });

  test("an empty first slice is requested again", async () => {
    const first = Date.parse("2026-11-01T00:00:00Z") / 1000;
    const { run } = await servePulls(emptyOnce((start) => start === first));
    expect(rowsOf((await run(`${ohlcv} ${day}`)).stdout).length).toBe(7200);
  });

  test.each([100, 3000])("--count-back %i has no gap if a slice was empty once", async (count) => {
    let requests = 0;
    const script = emptyOnce(() => (requests += 1) === 1);
    const { run } = await servePulls(script);
    const rows = rowsOf((await run(`${ohlcv} --count-back ${count}`)).stdout);
    expect(rows.map(({ time_open }) => Date.parse(String(time_open)))).toEqual(
      Array.from(
        { length: count },
        (_, index) => Date.parse("2026-11-21T08:54:00Z") - (count - index) * 60_000,
      ),
    );
  });
});

test("prices of the same addresses on another network are requested again", async () => {
  const addresses = [
    "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599",
    "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
  ];
  let seen = 0;
  const { run } = await servePulls(({ url }) => {
    const isFirstOfBase = url.includes("/base/") && (seen += 1) === 1;
    const chain = url.includes("/ethereum/") || isFirstOfBase ? "ethereum" : "base";
    return json(addresses.map((id) => ({ id, chain, price_usd: chain === "base" ? 2 : 1 })));
  });
  const subjects = ["ethereum", "base"].flatMap((chain) => addresses.map((address) => `${chain}:${address}`));
  const { stdout } = await run(`prices ${subjects.join(" ")}`);
  expect(rowsOf(stdout).map(({ price_usd }) => price_usd)).toEqual([1, 1, 2, 2]);
});
