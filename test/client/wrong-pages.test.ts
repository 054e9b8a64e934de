import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { answerOf, type Listing, manyEvents, nameOf } from "../harness/listing.ts";
import { rowsOf } from "../harness/rows.ts";
import { servePulls } from "../harness/scripted-pulls.ts";
import { json, type Reply, type Script, type SeenRequest } from "../harness/scripted-server.ts";
import { temporaryFolder } from "../harness/temporary-folder.ts";

const folder = temporaryFolder();
const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";

describe("a search whose responses report the cursor", () => {
  const size = 10;
  const pages = 6;
  const words = `pools search base --all --page-size ${size}`;
  /** The cursor of page 3 is `c3`. `form` is how the service reports it. */
  const page = (number: number, form: (cursor: string) => string = (cursor) => cursor): Reply =>
    json({
      results: Array.from({ length: size }, (_, at) => ({ id: `pool-${number}-${at}`, chain: "base" })),
      has_next_page: number < pages,
      next_cursor: number < pages ? `c${number + 1}` : "",
      query: { network: "base", limit: size, ...(number > 1 && { cursor: form(`c${number}`) }) },
    });
  const numberOf = ({ query }: SeenRequest): number => Number(query.get("cursor")?.slice(1) ?? 1);
  /** Returns another page in place of this one, as many times. */
  const swapped = (at: number, other: number, times: number): Script => {
    let left = times;
    return (request) => {
      const number = numberOf(request);
      if (number !== at || left === 0) return page(number);
      left -= 1;
      return page(other);
    };
  };
  const idsOf = (stdout: string): readonly unknown[] => rowsOf(stdout).map(({ id }) => id);
  const all = Array.from(
    { length: pages * size },
    (_, at) => `pool-${Math.floor(at / size) + 1}-${at % size}`,
  );

  test.each([
    [1, 2],
    [1, 6],
    [2, 3],
    [2, 6],
    [3, 5],
    [5, 2],
  ])("page %i is requested again if page %i arrives instead", async (at, other) => {
    const { run } = await servePulls(swapped(at, other, 1));
    const { exit, stdout } = await run(words);
    expect({ exit, ids: idsOf(stdout) }).toEqual({ exit: 0, ids: all });
  });

  test.each([2, 3, 4])("another page that always arrives in place of page %i is reported", async (at) => {
    const { run } = await servePulls(swapped(at, at + 1, Number.POSITIVE_INFINITY));
    const { exit, stderr, complete } = await run(words);
    expect({ exit, complete }).toEqual({ exit: 8, complete: false });
    expect(stderr).toContain("the service returned the page of another cursor");
  });

  test.each([
    [1, 0],
    [2, 4],
  ])("a pull that took another page after %i responses is resumed before it", async (times, retries) => {
    const { run } = await servePulls(swapped(2, 3, times));
    const out = path.join(folder, `search-${retries}.ndjson`);
    const first = await run(`${words} --out ${out} --resume --retries ${retries}`);
    expect(first).toMatchObject({ exit: 8, complete: false });
    const { exit } = await run(`${words} --out ${out} --resume`);
    expect({ exit, ids: idsOf(readFileSync(out, "utf8")) }).toEqual({ exit: 0, ids: all });
  });

  test("a resumed pull does not go back to a page of the interrupted one", async () => {
    const { service, run } = await servePulls((request) =>
      numberOf(request) === 4 ? json({ message: "no" }, { status: 500 }) : page(numberOf(request)),
    );
    const out = path.join(folder, "earlier-cursor.ndjson");
    expect((await run(`${words} --out ${out} --resume --retries 0`)).exit).toBe(7);
    service.script = (request) => {
      const reply = page(numberOf(request));
      if (numberOf(request) !== 5 || reply.mode !== "answer") return reply;
      return json({ ...JSON.parse(String(reply.body)), next_cursor: "c2" });
    };
    const { exit, stderr } = await run(`${words} --out ${out} --resume`);
    expect([exit, stderr]).toEqual([8, expect.stringContaining("the service repeated a cursor")]);
    service.script = (request) => page(numberOf(request));
    expect((await run(`${words} --out ${out} --resume`)).exit).toBe(0);
    expect(idsOf(readFileSync(out, "utf8"))).toEqual(all);
  });

  test("cursors in another form are normal, and cost one request", async () => {
    const { run } = await servePulls((request) => page(numberOf(request), (cursor) => btoa(cursor)));
    const { exit, stdout, requests } = await run(words);
    expect({ exit, ids: idsOf(stdout), requests }).toEqual({ exit: 0, ids: all, requests: pages + 1 });
  });

  test("two wrong responses with different problems confirm nothing", async () => {
    let asked = 0;
    const { run } = await servePulls((request) => {
      const number = numberOf(request);
      const reply = page(number);
      if (number !== 3 || reply.mode !== "answer") return reply;
      asked += 1;
      const body = JSON.parse(String(reply.body));
      if (asked === 1) body.results.length -= 2;
      else body.results[4] = body.results[3];
      return { ...reply, body: JSON.stringify(body) };
    });
    const { exit, complete } = await run(`${words} --retries 1`);
    expect({ exit, complete }).toEqual({ exit: 8, complete: false });
  });
});

describe("a numbered list", () => {
  const listing = (): Listing => ({ events: manyEvents(470, 2) });
  const words = `txns ethereum ${pool} --all --page-size 50`;
  const namesIn = (text: string): readonly string[] =>
    rowsOf(text).map(({ id, log_index }) => `${String(id)} ${String(log_index)}`);
  const withSize = (request: SeenRequest, limit: number): SeenRequest => {
    const query = new Map([...request.query, ["limit", String(limit)]]);
    return { ...request, query: new URLSearchParams([...query]) };
  };
  /** Returns pages of another size for this number, as many times. */
  const resized = (number: string, times: number): Script => {
    const events = listing();
    let left = times;
    return (request) => {
      if ((request.query.get("page") ?? "1") !== number || left === 0) return answerOf(events, request);
      left -= 1;
      return answerOf(events, withSize(request, 7));
    };
  };

  test.each(["1", "2", "5"])("page %s is requested again if it has another size", async (number) => {
    const { run } = await servePulls(resized(number, 1));
    const { exit, stdout, proof } = await run(words);
    const names = listing().events.map(nameOf);
    expect({ exit, proof, names: namesIn(stdout) }).toEqual({ exit: 0, proof: "count", names });
  });

  test("from a cursor, a wrong page is reported although its totals agree", async () => {
    const events = listing();
    const { run } = await servePulls((request) => {
      const query = new URLSearchParams([...request.query]);
      if (query.get("page") === "4") query.set("page", "1");
      return answerOf(events, { ...request, query });
    });
    const cursor = events.events[100]?.id ?? "";
    const { exit, complete } = await run(`${words} --cursor ${cursor} --retries 0`);
    expect({ exit, complete }).toEqual({ exit: 8, complete: false });
  });

  test("a first page that always has another size than the others is reported", async () => {
    const { run } = await servePulls(resized("1", Number.POSITIVE_INFINITY));
    const { exit, stderr, complete } = await run(words);
    expect({ exit, complete }).toEqual({ exit: 8, complete: false });
    expect(stderr).toContain("page 2 has a size of 50, but the page before has 7");
  });

  test("a resumed pull does not continue on a page with a row twice in place of another one", async () => {
    const events = listing();
    const { service, run } = await servePulls((request, index) =>
      index < 4 ? answerOf(events, request) : json({ message: "no" }, { status: 500 }),
    );
    const out = path.join(folder, "rows.ndjson");
    const first = await run(`${words} --out ${out} --resume --parallel 1 --retries 0`);
    expect(first.exit).toBe(7);
    let isFirst = true;
    service.script = (request) => {
      const reply = answerOf(events, request);
      if (!isFirst || reply.mode !== "answer") return reply;
      isFirst = false;
      const body = JSON.parse(String(reply.body));
      body.transactions[20] = body.transactions[19];
      return { ...reply, body: JSON.stringify(body) };
    };
    const { exit, proof } = await run(`${words} --out ${out} --resume`);
    const names = events.events.map(nameOf);
    expect({ exit, proof, names: namesIn(readFileSync(out, "utf8")) }).toEqual({
      exit: 0,
      proof: "count",
      names,
    });
  });
});

/** One of three pages. */
const dexes = (number: number): Reply =>
  json({
    dexes:
      number > 3 ? [] : ["a", "b", "c"].map((name) => ({ dex_id: `${name}${number}`, chain: "ethereum" })),
    page_info: { limit: 3, page: number, total_items: 9, total_pages: 3 },
  });

describe("a list of DEXes with page 3 in place of page 2", () => {
  const wrong: Script = ({ query }) => dexes(query.get("page") === "2" ? 3 : Number(query.get("page")));
  const resumed = async (retries: number) => {
    const { service, run } = await servePulls(wrong);
    const out = path.join(folder, `dexes-${retries}.ndjson`);
    const words = `dexes ethereum --all --page-size 3 --out ${out} --resume`;
    expect((await run(`${words} --retries ${retries}`)).exit).toBe(8);
    service.script = ({ query }) => dexes(Number(query.get("page")));
    const { exit } = await run(words);
    return { exit, rows: rowsOf(readFileSync(out, "utf8")).length };
  };

  test.each([0, 1])(
    "is resumed before that page, whether or not %i retries confirmed it",
    async (retries) => {
      expect(await resumed(retries)).toMatchObject({ exit: 0, rows: 9 });
    },
  );
});

test("the pages after one that is always empty are read, and its rows are reported as missing", async () => {
  const { run } = await servePulls(({ query }) => {
    const page = Number(query.get("page"));
    const names = page === 5 || page > 9 ? [] : [0, 1, 2].map((at) => `${page}-${at}`);
    return json({
      dexes: names.map((dex_id) => ({ dex_id, chain: "base" })),
      page_info: { limit: 3, page, total_items: 27, total_pages: 9 },
    });
  });
  const { exit, stdout } = await run("dexes base --all --page-size 3 --retries 1");
  expect([exit, rowsOf(stdout).length]).toEqual([8, 24]);
});

test("a resumed list of DEXes does not end at an empty page of another size", async () => {
  const { service, run } = await servePulls(({ query }) =>
    query.get("page") === "3" ? json({ message: "no" }, { status: 500 }) : dexes(Number(query.get("page"))),
  );
  const out = path.join(folder, "empty-page.ndjson");
  const words = `dexes ethereum --all --page-size 3 --out ${out} --resume`;
  expect((await run(`${words} --retries 0`)).exit).toBe(7);
  const other = { limit: 7, page: 3, total_items: 9, total_pages: 2 };
  service.script = ({ query }) =>
    query.get("page") === "3" ? json({ dexes: [], page_info: other }) : dexes(Number(query.get("page")));
  const { exit, stderr } = await run(words);
  expect([exit, stderr]).toEqual([8, expect.stringContaining("page 3 has only 0 of 3 rows")]);
});

test("DEXes that are missing after two interruptions are reported, although pages were read again", async () => {
  const total = 27;
  const page = (number: number, changed: { readonly items?: number; readonly rows?: number } = {}): Reply =>
    json({
      dexes: Array.from({ length: number > 9 ? 0 : (changed.rows ?? 3) }, (_, at) => ({
        dex_id: `${number}-${at}`,
        chain: "base",
      })),
      page_info: { limit: 3, page: number, total_items: changed.items ?? total, total_pages: 9 },
    });
  const failing = json({ message: "no" }, { status: 500 });
  const { service, run } = await servePulls(() => failing);
  const out = path.join(folder, "read-again.ndjson");
  const pull = async (reply: (number: number, index: number) => Reply) => {
    let index = 0;
    service.script = ({ query }) => reply(Number(query.get("page")), (index += 1));
    return await run(`dexes base --all --page-size 3 --out ${out} --resume --retries 0`);
  };
  expect((await pull((number) => (number === 6 ? failing : page(number)))).exit).toBe(7);
  // Another total makes the pull go back to the first page.
  const again = await pull((number, index) =>
    number === 7 ? failing : page(number, index === 1 ? { items: 0 } : {}),
  );
  expect(again.exit).toBe(7);
  const last = await pull((number) => page(number, number === 8 ? { rows: 0 } : {}));
  expect(last).toMatchObject({ exit: 8, complete: false });
});

test.each([
  ["takes the first place", ["dex20"]],
  ["and a new one take the first places", ["new", "dex20"]],
])("a DEX that %s while a pull is interrupted is found by reading the list again", async (_what, first) => {
  const before = Array.from({ length: 27 }, (_, at) => `dex${at}`);
  const failing = json({ message: "no" }, { status: 500 });
  const { service, run } = await servePulls(() => failing);
  const out = path.join(folder, `${first.length}-first.ndjson`);
  const pull = async (names: readonly string[], last: number) => {
    service.script = ({ query }) => {
      const page = Number(query.get("page"));
      if (page > last) return failing;
      return json({
        dexes: names.slice(3 * page - 3, 3 * page).map((dex_id) => ({ dex_id, chain: "base" })),
        page_info: { limit: 3, page, total_items: names.length, total_pages: Math.ceil(names.length / 3) },
      });
    };
    return await run(`dexes base --all --page-size 3 --out ${out} --resume --retries 1`);
  };
  expect((await pull(before, 4)).exit).toBe(7);
  const after = [...first, ...before.filter((name) => name !== "dex20")];
  expect(await pull(after, 11)).toMatchObject({ exit: 0, complete: true });
  const rows = rowsOf(readFileSync(out, "utf8"));
  expect(new Set(rows.map(({ dex_id }) => dex_id))).toEqual(new Set(after));
});

describe("a pull that ends among its pages by cursor", () => {
  /** `other` is the row after which the second of these pages continues, in place of its own. */
  const pulled = async (name: string, other: number | undefined, withdrawn = 0) => {
    const listing = { events: manyEvents(230, 1) };
    let byCursor = 0;
    const { service, run } = await servePulls((request) => {
      if (!request.query.has("cursor")) return answerOf(listing, request);
      byCursor += 1;
      if (byCursor === 4) return json({ message: "no" }, { status: 500 });
      const query = new URLSearchParams([...request.query]);
      if (byCursor === 2 && other !== undefined) query.set("cursor", listing.events[other]?.id ?? "");
      return answerOf(listing, { ...request, query });
    });
    const out = path.join(folder, `${name}.ndjson`);
    const words = `txns ethereum ${pool} --all --page-size 2 --page 97 --out ${out} --resume`;
    expect((await run(`${words} --retries 0`)).exit).toBe(7);
    listing.events.splice(215, withdrawn);
    service.script = (request) => answerOf(listing, request);
    const { exit, stderr } = await run(words);
    return { exit, stderr, rows: rowsOf(readFileSync(out, "utf8")).length };
  };

  test.each([
    ["requests a page again that does not follow the one before", 3, "", { exit: 0, rows: 25 }],
    [
      "is resumed before such a page if no second response confirms it",
      1,
      " --retries 0",
      { exit: 8, rows: 25 },
    ],
  ])("with a --limit %s", async (_, times, flags, expected) => {
    const listing = { events: manyEvents(230, 1) };
    let left = times;
    const { service, run } = await servePulls((request) => {
      const query = new URLSearchParams([...request.query]);
      if (query.get("cursor") === listing.events[205]?.id && left > 0) {
        query.set("cursor", listing.events[211]?.id ?? "");
        left -= 1;
      }
      return answerOf(listing, { ...request, query });
    });
    const out = path.join(folder, `${times}-limited.ndjson`);
    const words = `txns ethereum ${pool} --limit 25 --page-size 2 --page 97 --out ${out} --resume`;
    const { exit, stderr } = await run(words + flags);
    expect({ exit, left }).toEqual({ exit: expected.exit, left: 0 });
    if (exit !== 0)
      expect(stderr).toMatch(/begins with 0x18 instead of 0x24; rows at or before \S+ may be missing/u);
    service.script = (request) => answerOf(listing, request);
    if (exit !== 0) expect((await run(words)).exit).toBe(0);
    const names = rowsOf(readFileSync(out, "utf8")).map(({ id }) => id);
    expect(names).toEqual(listing.events.slice(192, 192 + expected.rows).map(({ id }) => id));
  });

  test("a row at the edge that is withdrawn meanwhile does not end it", async () => {
    const listing = { events: manyEvents(230, 1) };
    const { run } = await servePulls((request) => {
      const isNext = request.query.get("cursor") === "0x25";
      if (isNext) listing.events = listing.events.filter(({ id }) => id !== "0x24");
      return answerOf(listing, request);
    });
    const { exit, stdout } = await run(`txns ethereum ${pool} --limit 25 --page-size 2 --page 97`);
    expect([exit, rowsOf(stdout).length]).toEqual([0, 25]);
  });

  test("is resumed before a wrong page", async () => {
    const { exit, rows } = await pulled("skipped", 211);
    expect({ exit, rows }).toEqual({ exit: 0, rows: 38 });
  });

  test.each([0, 3])("is resumed to its end, also if %i rows are withdrawn in between", async (withdrawn) => {
    const { exit, rows } = await pulled(`withdrawn-${withdrawn}`, undefined, withdrawn);
    expect({ exit, rows }).toEqual({ exit: 0, rows: 38 - withdrawn });
  });

  test.each([
    ["right", []],
    ["absent once", [{ limit: 2 }]],
    ["zero once", [{ limit: 2, page: 1, total_items: 0, total_pages: 0 }]],
    ["too low once", [{ limit: 2, page: 1, total_items: 210, total_pages: 105 }]],
  ])(
    "reports rows that pages by cursor lack if the total is %s, and is resumed before them",
    async (name, totals) => {
      const listing = { events: manyEvents(230, 1) };
      const left = [...totals];
      const { service, run } = await servePulls((request) => {
        const { query } = request;
        const events = listing.events.filter((_, at) => !query.has("cursor") || at < 203 || at > 211);
        const reply = answerOf({ events }, request);
        // The total is requested without an upper bound.
        const isTotal = query.get("page") === "1" && !query.has("to");
        const page_info = isTotal ? left.shift() : undefined;
        if (page_info === undefined || reply.mode !== "answer") return reply;
        return json({ ...JSON.parse(String(reply.body)), page_info });
      });
      const out = path.join(folder, `total-${name.replaceAll(" ", "-")}.ndjson`);
      const words = `txns ethereum ${pool} --all --page-size 2 --page 97 --out ${out} --resume`;
      const { exit, stderr } = await run(words);
      expect({ exit, unused: left.length }).toEqual({ exit: 8, unused: 0 });
      expect(stderr).toContain("the service reports 9 more rows");
      service.script = (request) => answerOf(listing, request);
      expect((await run(words)).exit).toBe(0);
      expect(rowsOf(readFileSync(out, "utf8"))).toHaveLength(38);
    },
  );
});
