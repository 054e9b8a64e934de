import { describe, expect, test, vi } from "vitest";
import { createHeldRows, createKnownRows } from "../../src/client/follow/known-rows.ts";
import { createServicePresent } from "../../src/client/freshness.ts";
import { createServiceClock } from "../../src/lake/lake.ts";
import type { FollowedRow } from "../../src/client/followed-row.ts";
import { run } from "../harness/dexdata.ts";
import { answerOf, type Event, type Listing, listingStart, manyEvents } from "../harness/listing.ts";
import { json, type Reply, type SeenRequest } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";
import { createTestContext } from "../harness/test-context.ts";
import { envOf, pool, writtenRows } from "./following.ts";

interface Played {
  readonly exit: number;
  readonly written: readonly string[];
  readonly stderr: string;
  readonly requests: number;
}

async function play(
  answer: (request: SeenRequest, index: number) => Reply,
  words: string,
  poll = "10s",
): Promise<Played> {
  const { url, requests } = await serveInTest(answer);
  const context = createTestContext({ env: envOf(url) });
  const argv = ["txns", "ethereum", pool, "--follow", "--rpm", "unlimited", "-o", "ndjson", "--poll", poll];
  const { exit, stdout, stderr } = await run([...argv, ...words.split(" ")], context);
  return { exit, written: writtenRows(stdout), stderr, requests: requests.length };
}

const inOrder = (events: readonly Event[]): readonly string[] =>
  events.map(({ id }) => `${id} 0`).toReversed();
const from = `--from ${listingStart - 1000}`;

test("an earlier response, older than the rows that are still read, repeats none of them", async () => {
  // Six rows per read, which is half a minute later than the read before.
  const rows = Array.from({ length: 300 }, (_, index) => ({
    id: `0x${300 - index}`,
    log_index: 0,
    time: listingStart + 2000 - index * 5,
  }));
  const answers: Reply[] = [];
  const answer = (request: SeenRequest, index: number): Reply => {
    answers.push(answerOf({ events: rows.slice(Math.max(0, 300 - 6 * index)) }, request));
    // A cache that is 33 responses behind, which is a quarter of an hour.
    return answers[index % 5 === 4 ? Math.max(0, index - 33) : index] ?? json({});
  };
  const words = `--from ${listingStart} --for 45m --page-size 100`;
  const { exit, written, stderr } = await play(answer, words, "30s");
  expect({ exit, written }).toEqual({ exit: 0, written: inOrder(rows) });
  expect(stderr).not.toContain("late");
});

test("a cache that returns an earlier response until --for: exit 8", async () => {
  const rows = Array.from({ length: 400 }, (_, index) => ({
    id: `0x${400 - index}`,
    log_index: 0,
    time: listingStart + 2000 - index * 5,
  }));
  const { exit, stderr } = await play(
    (request, index) => answerOf({ events: rows.slice(index < 50 ? 400 - 2 * index : 310) }, request),
    `--from ${listingStart} --for 15m --page-size 100`,
  );
  expect({ exit, stderr }).toEqual({
    exit: 8,
    stderr: expect.stringMatching(/no read was complete from \S+ to \S+; rows may be missing/u),
  });
});

test("rows of the past that are counted, and returned only by a later read, are written", async () => {
  const events = manyEvents(50, 1).map((event, index) => ({ ...event, time: listingStart - 60 * index }));
  const hidden = events.slice(40, 43);
  const { exit, written } = await play(
    (request, index) => {
      const shown = index < 16 ? events.filter((event) => !hidden.includes(event)) : events;
      return answerOf({ events: shown, total: (items) => items + (events.length - shown.length) }, request);
    },
    `--from ${listingStart - 3600} --for 2m`,
  );
  expect({ exit, written: written.toSorted() }).toEqual({ exit: 0, written: inOrder(events).toSorted() });
});

test("an empty first response does not make the history look new", async () => {
  const listing: Listing = { events: manyEvents(50, 1) };
  const { exit, written } = await play((request, index) => {
    if (index === 12) listing.events.unshift({ id: "0xnew", log_index: 0, time: listingStart + 5 });
    return answerOf(index < 2 ? { events: [] } : listing, request);
  }, "--limit 1");
  expect({ exit, written }).toEqual({ exit: 0, written: ["0xnew 0"] });
});

describe("rows of another pool", () => {
  const of = (pool_id: string, chain: string): Reply =>
    json({
      transactions: [{ id: "0xf", log_index: 1, pool_id, chain, created_at: "2026-11-21T08:00:01Z" }],
      page_info: { limit: 100, page: 1, total_items: 1, total_pages: 1 },
    });
  const foreign = of("0x1", "ethereum");

  test("in single responses are not written, and those of the pool are", async () => {
    const events = manyEvents(20, 1);
    const { exit, written } = await play(
      (request, index) => (index % 3 === 0 ? foreign : answerOf({ events }, request)),
      `${from} --for 2m`,
    );
    expect({ exit, written }).toEqual({ exit: 0, written: inOrder(events) });
  });

  test.each([`${from} --for 2m`, "--for 2m"])("in every response end the run: %s", async (words) => {
    const { exit, written, stderr } = await play(() => foreign, words);
    expect({ exit, written }).toEqual({ exit: 1, written: [] });
    expect(stderr).toContain(`the service returned rows of 0x1 instead of ${pool}`);
  });

  test.each([
    ["", 1, []],
    [" --no-strict", 0, ["0xf 1"]],
  ])("another name of the network, with%s: exit %i", async (flag, exit, written) => {
    const played = await play(() => of(pool, "mainnet"), `${from} --for 2m${flag}`);
    expect(played).toMatchObject({ exit, written });
  });
});

describe("known rows", () => {
  const row = (key: string, seconds: number): FollowedRow => ({
    row: "",
    value: {},
    key,
    at: { seconds, fraction: "" },
    place: [],
  });
  const known = (begin: number) =>
    createKnownRows({ seconds: begin, fraction: "" }, () => Number.POSITIVE_INFINITY);

  test("of a busy pool are read again only as far as 50 pages", () => {
    const rows = known(0);
    // Ten in each of ten minutes.
    rows.add(Array.from({ length: 6000 }, (_, index) => row(`${index}`, 400 + Math.floor(index / 10))));
    rows.confirm();
    rows.confirm();
    expect([rows.from().seconds, rows.listed()]).toEqual([500, 5000]);
  });

  test("are remembered for a day, and then forgotten, never new again", () => {
    const rows = known(0);
    rows.add([row("first", 0)]);
    for (let seconds = 60; seconds <= 86_400; seconds += 60) rows.add([row(`${seconds}`, seconds)]);
    expect(rows.judge(row("first", 0))).toBe("known");
    for (let seconds = 86_460; seconds <= 4 * 86_400; seconds += 60) rows.add([row(`${seconds}`, seconds)]);
    expect(rows.judge(row("60", 60))).toBe("forgotten");
    expect(rows.judge(row("before the start", -1))).toBe("known");
    for (let seconds = 3 * 86_400; seconds <= 4 * 86_400; seconds += 60)
      expect(rows.judge(row(`${seconds}`, seconds))).toBe("known");
    expect(rows.judge(row("late", 4 * 86_400 - 7200))).toBe("new");
  });

  test("are read again from the last but one complete read, or from a day ago", () => {
    const rows = known(0);
    rows.add([row("a", 5000)]);
    expect(rows.from().seconds).toBe(0);
    rows.confirm();
    expect(rows.from().seconds).toBe(0);
    rows.add([row("b", 6000)]);
    rows.confirm();
    expect(rows.from().seconds).toBe(4400);
    rows.add([row("c", 50_000)]);
    expect([rows.giveUp(), rows.from().seconds, rows.listed()]).toEqual([undefined, 4400, 3]);
    rows.add([row("d", 100_000)]);
    expect([rows.giveUp()?.seconds, rows.from().seconds, rows.listed()]).toEqual([4400, 99_400, 1]);
  });
});

test("a held row is written after a complete read, or after a minute without one", () => {
  const held = createHeldRows(() => Number.POSITIVE_INFINITY);
  const at = { seconds: 0, fraction: "" };
  held.take([{ row: "", value: {}, key: "a", at, place: [] }], 1000);
  expect([held.due(4000, false).length, held.nextDue()]).toEqual([0, 61_000]);
  expect([held.due(3999, true).length, held.nextDue()]).toEqual([0, 4000]);
  expect(held.due(4000, true).length).toBe(1);
});

test("a cached response does not set the service's clock back", () => {
  const present = createServicePresent({ now: () => 0, elapsed: () => 0 });
  present.record("Sat, 21 Nov 2026 08:00:00 GMT");
  present.record("Sat, 21 Nov 2026 07:50:00 GMT");
  expect(present.seconds()).toBe(listingStart);
  present.record("Tue, 21 Nov 2006 08:00:00 GMT");
  expect(present.seconds()).toBeLessThan(listingStart);
});

test.each(["Sat Nov 21 08:00:00 2026", "Saturday, 21-Nov-26 08:00:00 GMT"])(
  "an old form of date, %s, is not read in the local time zone",
  (date) => {
    vi.stubEnv("TZ", "America/New_York");
    try {
      const present = createServicePresent({ now: () => 0, elapsed: () => 0 });
      present.record(date);
      expect(present.seconds()).toBe(listingStart);
      const lakeClock = createServiceClock(() => listingStart * 1000);
      lakeClock.record(date);
      expect([lakeClock.isHeard(), lakeClock.difference()]).toEqual([true, undefined]);
    } finally {
      vi.unstubAllEnvs();
    }
  },
);

test("a text that is not a date of HTTP does not set the service's clock", () => {
  const present = createServicePresent({ now: () => 0, elapsed: () => 0 });
  const lakeClock = createServiceClock(() => listingStart * 1000);
  for (const date of ["0", "1", "tomorrow 2"]) {
    present.record(date);
    lakeClock.record(date);
  }
  expect([present.isKnown(), lakeClock.isHeard()]).toEqual([false, false]);
});
