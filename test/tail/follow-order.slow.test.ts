import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../harness/dexdata.ts";
import { answerOf, type Event, type Listing, listingStart, manyEvents } from "../harness/listing.ts";
import { json, type ScriptedServer } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext, type TestContext } from "../harness/test-context.ts";
import { envOf, pool, writtenRows } from "./following.ts";

interface Played {
  readonly exit: number;
  readonly written: readonly string[];
  readonly stderr: string;
  readonly context: TestContext;
  /** The query of each request. */
  readonly asked: readonly URLSearchParams[];
}

/**
 * Follows a list on the test clock; `before` changes the list before each response, by the number of the request from 0.
 */
async function play(
  listing: Listing,
  words: string,
  before: (request: number) => void = () => undefined,
): Promise<Played> {
  const server = await serveInTest((request, index) => {
    before(index);
    return answerOf(listing, request);
  });
  return await followServer(server, words);
}

async function followServer({ url, requests }: ScriptedServer, words: string): Promise<Played> {
  const context = createTestContext({ env: envOf(url) });
  const argv = ["txns", "ethereum", pool, "--follow", "--rpm", "unlimited", "-o", "ndjson"];
  const { exit, stdout, stderr } = await run([...argv, ...words.split(" ")], context);
  return { exit, written: writtenRows(stdout), stderr, context, asked: requests.map(({ query }) => query) };
}

/** Newest first, as in the list. */
const events = (...named: readonly (readonly [id: string, seconds: number])[]): Event[] =>
  named.map(([id, seconds]) => ({ id, log_index: 0, time: listingStart + seconds }));
const from = `--from ${listingStart - 1000}`;
const quiet =
  "note: reading every 10s: 360 credits/hour, 259,200 a month, up to twice as many while new rows arrive\n";

describe("rows that are indexed late", () => {
  test("are sorted into place without a message if they arrive within the hold time", async () => {
    const listing: Listing = { events: events(["c", 2], ["a", 0]) };
    const { exit, written, stderr } = await play(listing, `${from} --poll 10s --limit 3`, (request) => {
      if (request === 1) listing.events = events(["c", 2], ["b", 1], ["a", 0]);
    });
    expect({ exit, written, stderr }).toEqual({ exit: 0, written: ["a 0", "b 0", "c 0"], stderr: quiet });
  });

  test("are written and reported on stderr and in --events if they arrive later", async () => {
    const listing: Listing = { events: events(["c", 2], ["a", 0]) };
    const context = createTestContext();
    const log = path.join(context.home, "events.ndjson");
    const { exit, written, stderr } = await play(
      listing,
      `${from} --poll 10s --limit 4 --events ${log}`,
      (request) => {
        if (request === 2) listing.events = events(["d", 60], ["c", 2], ["b", -50], ["a", 0]);
      },
    );
    expect({ exit, written }).toEqual({ exit: 0, written: ["a 0", "c 0", "b 0", "d 0"] });
    expect(stderr).toBe(`${quiet}warning: 1 late row, up to 52s older than rows already written\n`);
    expect(readFileSync(log, "utf8").split("\n")[0]).toBe(
      `{"event":"late","at":"2026-11-21T08:54:00.000Z","rows":1,"seconds":52,"assets":1,"names":["ethereum:${pool}"]}`,
    );
  });

  test("a row far below the newest page is found by the total, with one more page per read while all rows are known", async () => {
    const all = manyEvents(250, 1);
    const listing: Listing = { events: all.toSpliced(180, 1) };
    const { exit, written, stderr, asked } = await play(
      listing,
      `--from ${listingStart - 300} --poll 10s --limit 250`,
      (request) => {
        if (request === 6) listing.events = all;
      },
    );
    expect({ exit, written: written.toSorted(byNumber) }).toEqual({
      exit: 0,
      written: all.map(({ id }) => `${id} 0`).toSorted(byNumber),
    });
    expect(written.at(-1)).toBe(`${all[180]?.id} 0`);
    expect(stderr).toContain("1 late row, up to 3m older");
    // The first read takes three pages; each read without a late row takes one.
    expect(asked.slice(3, 6).map((query) => query.get("page"))).toEqual(["1", "1", "1"]);
  });

  test("a row that replaces another, so that the total stays the same, is found within five minutes", async () => {
    const all = manyEvents(250, 1);
    const listing: Listing = { events: all.toSpliced(180, 1) };
    const { exit, written, stderr } = await play(
      listing,
      `--from ${listingStart - 300} --poll 10s --for 20m`,
      (request) => {
        if (request === 6) listing.events = all.toSpliced(200, 1);
      },
    );
    expect({ exit, rows: written.length, last: written.at(-1) }).toEqual({
      exit: 0,
      rows: 250,
      last: `${all[180]?.id} 0`,
    });
    expect(stderr).toContain("1 late row, up to 3m older");
  });

  test("without usable totals, a read continues until it reaches a known page", async () => {
    const all = manyEvents(420, 4);
    const listing: Listing = { events: all.slice(150), total: () => 0, totalPages: () => 0 };
    const { exit, written } = await play(listing, `${from} --poll 10s --limit 420`, (request) => {
      if (request === 9) listing.events = all;
    });
    expect({ exit, written }).toEqual({ exit: 0, written: all.map(({ id }) => `${id} 0`).toReversed() });
  });
});

describe("a row that is dated after the service's current time", () => {
  test.each([
    ["in another century", 4_102_444_800 - listingStart],
    ["by twenty minutes", 3600 + 1200],
  ])("%s is written and reported once, and hides no later rows", async (_, ahead) => {
    const listing: Listing = { events: events(["a", 0]) };
    const { exit, written, stderr } = await play(listing, `${from} --poll 10s --for 5m`, (request) => {
      if (request === 3) listing.events = events(["z", ahead], ["a", 0]);
      if (request === 8)
        listing.events = events(["y", ahead + 1], ["z", ahead], ["c", 20], ["b", 10], ["a", 0]);
    });
    expect({ exit, written }).toEqual({ exit: 0, written: ["a 0", "z 0", "b 0", "c 0", "y 0"] });
    const time = new Date((listingStart + ahead) * 1000).toISOString();
    expect(stderr).toBe(
      `${quiet}warning: 1 row dated after the service's current time (first: ${time}); written, but ignored when choosing where to resume\n`,
    );
  });

  test("is not the starting point of a follow without --from", async () => {
    const old = events(["z", 4_102_444_800 - listingStart], ["a", 0]);
    const listing: Listing = { events: old };
    const { exit, written } = await play(listing, "--poll 10s --for 5m", (request) => {
      if (request === 5) listing.events = old.toSpliced(1, 0, ...events(["b", 10]));
    });
    expect({ exit, written }).toEqual({ exit: 0, written: ["b 0"] });
  });
});

describe("totals and pages that do not agree", () => {
  test("a last page that repeats the page before it is not the end: no row is lost", async () => {
    const all = manyEvents(150, 1);
    const server = await serveInTest((request, index) => {
      const { query } = request;
      // The second request is for the second page, and the third repeats it.
      if (index === 1 || index === 2) query.set("page", "1");
      return answerOf({ events: all }, request);
    });
    const { exit, written } = await followServer(server, `${from} --poll 10s --limit 150`);
    expect({ exit, written }).toEqual({ exit: 0, written: all.map(({ id }) => `${id} 0`).toReversed() });
  });

  test("a total that is always too high is reported, accepted after five minutes, and then costs nothing", async () => {
    const all = manyEvents(150, 1);
    const listing: Listing = { events: all.slice(1), total: (items) => items + 7 };
    const { exit, written, stderr, asked } = await play(
      listing,
      `${from} --poll 10s --for 20m`,
      (request) => {
        if (request === 100) listing.events = all;
      },
    );
    expect({ exit, written }).toEqual({ exit: 0, written: all.map(({ id }) => `${id} 0`).toReversed() });
    const warnings = stderr.split("\n").filter((line) => line.startsWith("warning: "));
    expect(warnings[0]).toContain("the service reports 156 rows but returned 149; retrying in ");
    expect(warnings.at(-1)).toBe(
      "warning: the service reports 7 more rows than it returns; they may be missing",
    );
    // 120 reads of one page, and up to 20 of two pages.
    expect(asked.length).toBeLessThanOrEqual(160);
  });
});

test("a first page that lost its rows does not mean an empty pool", async () => {
  const listing: Listing = { events: manyEvents(50, 1) };
  const server = await serveInTest((request, index) => {
    // Longer than the retries of one read.
    if (index < 6)
      return json({ transactions: [], page_info: { limit: 1, page: 1, total_items: 50, total_pages: 50 } });
    if (index === 12) listing.events.unshift({ id: "0xnew", log_index: 0, time: listingStart + 5 });
    return answerOf(listing, request);
  });
  const { exit, written } = await followServer(server, "--poll 10s --limit 1");
  expect({ exit, written }).toEqual({ exit: 0, written: ["0xnew 0"] });
});

describe("rows with the same timestamp", () => {
  const tie = (id: string, transaction: number, log: number): Event => ({
    id,
    log_index: log,
    time: listingStart,
    created_at_block_number: 7,
    transaction_index: transaction,
  });

  test("keep the service's order, also if some of them arrive in another read", async () => {
    const whole = [tie("0xb", 4, 9), tie("0xb", 4, 8), tie("0xc", 3, 7), tie("0xa", 1, 2), tie("0xa", 1, 1)];
    const listing: Listing = { events: whole.filter((_, index) => index % 2 === 0) };
    const { written } = await play(listing, `${from} --poll 10s --limit 5`, (request) => {
      if (request === 1) listing.events = whole;
    });
    expect(written).toEqual(["0xa 1", "0xa 2", "0xc 7", "0xb 8", "0xb 9"]);
  });

  test.each([true, false])(
    "more of them than a slice may contain are all read; exclusive `to`: %s",
    async (isExclusive) => {
      const [newer, crowd] = [manyEvents(50, 1), manyEvents(4000, 4000)];
      const listing: Listing = {
        events: [
          ...newer,
          ...crowd.map((event) => ({ ...event, id: `c${event.id}`, time: listingStart - 100 })),
        ],
        isExclusive,
      };
      const { exit, written } = await play(listing, `${from} --poll 10s --limit 4050`);
      const expected = listing.events.map(({ id }) => `${id} 0`).toReversed();
      expect({ exit, written }).toEqual({ exit: 0, written: expected });
    },
  );
});

describe("a history of many thousands of rows", () => {
  test.each([
    [true, 1],
    [false, 1],
    [true, 200],
    [false, 200],
  ])(
    "is read in slices, oldest first, each row once; exclusive `to`: %s, %i rows per second",
    async (isExclusive, perSecond) => {
      const listing: Listing = { events: manyEvents(20_000, perSecond), isExclusive };
      const { exit, written, context, asked } = await play(
        listing,
        `--from ${listingStart - 30_000} --poll 10s --limit 20000`,
      );
      expect(exit).toBe(0);
      expect(written).toEqual(listing.events.map(({ id }) => `${id} 0`).toReversed());
      const sizes = context.stdout.chunks.map((chunk) => chunk.toString("utf8").split("\n").length - 1);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(3000);
      // 200 pages of 100 rows, and a third more for edges, last pages and oversized slices.
      expect(asked.length).toBeLessThanOrEqual(267);
    },
  );

  test("fractions of a second in --from and in the rows lose nothing", async () => {
    const listing: Listing = {
      events: [
        { id: "d", log_index: 0, time: listingStart + 0.875 },
        { id: "c", log_index: 0, time: listingStart + 0.5 },
        { id: "b", log_index: 0, time: listingStart + 0.25 },
        { id: "a", log_index: 0, time: listingStart },
      ],
    };
    const { written } = await play(listing, "--from 2026-11-21T08:00:00.25Z --poll 10s --limit 3");
    expect(written).toEqual(["b 0", "c 0", "d 0"]);
  });
});

test("without --from only new rows are written, with any local clock", async () => {
  const old = manyEvents(300, 50);
  const listing: Listing = { events: old };
  // The local clock is an hour ahead of the service's.
  const { exit, written } = await play(listing, "--poll 10s --limit 2", (request) => {
    if (request === 6) listing.events = [...events(["new", 0], ["newer", 7]).toReversed(), ...old];
  });
  expect({ exit, written }).toEqual({ exit: 0, written: ["new 0", "newer 0"] });
});

test("a row with an invalid time is an invalid response, and five of them end the run", async () => {
  const server = await serveInTest(() =>
    json({
      transactions: [{ id: "0x1", log_index: 1, created_at: "soon" }],
      page_info: { limit: 100, page: 1, total_items: 1, total_pages: 1 },
    }),
  );
  const context = createTestContext({ env: envOf(server.url) });
  const { exit, stderr } = await run(
    ["txns", "ethereum", pool, "--follow", "--poll", "10s", "--from", "-1h", "--error-format", "text"],
    context,
  );
  expect(exit).toBe(1);
  expect(stderr).toContain("error: invalid response: a row has no valid created_at\n");
  expect(server.requests.length).toBe(5);
});

test("an intermediate error response (408) does not end a follow: the request is retried", async () => {
  const listing: Listing = { events: events(["row", 0]) };
  const server = await serveInTest((request, index) =>
    index < 7 ? json({ message: "too slow" }, { status: 408 }) : answerOf(listing, request),
  );
  const { exit, written } = await followServer(server, `--poll 10s --limit 1 ${from}`);
  expect({ exit, written }).toEqual({ exit: 0, written: ["row 0"] });
});

function byNumber(a: string, b: string): number {
  return Number.parseInt(a, 16) - Number.parseInt(b, 16);
}
