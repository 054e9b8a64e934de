import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { answerOf, type Event, type Listing, listingStart, manyEvents, nameOf } from "../harness/listing.ts";
import { rowsOf, toRow } from "../harness/rows.ts";
import type { ScriptedServer, SeenRequest } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const pool = "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640";
const all = `txns ethereum ${pool} --all --rpm unlimited -o ndjson`;
/** Uses pages of 20, so that page 100 is reached quickly. */
const small = `${all} --page-size 20`;

const namesOf = (stdout: string): readonly string[] =>
  rowsOf(stdout).map(({ id, log_index }) => `${String(id)} ${String(log_index)}`);

let server: ScriptedServer;

type Script = Parameters<typeof serveInTest>[0];

async function pull(script: Script, words = small) {
  server = await serveInTest(script);
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
  };
  const { exit, stdout, stderr } = await dexdata(words, { env, isTerminal: { stderr: true } });
  return { exit, stderr, names: namesOf(stdout), requests: server.requests };
}

const pagesOf = (requests: readonly SeenRequest[]): readonly number[] =>
  requests.flatMap(({ query }) => query.get("page") ?? []).map(Number);

/** Expects all rows once, in order, and no page beyond 100; returns the number of requests. */
async function expectCompleteList(listing: Listing): Promise<number> {
  const { exit, names, requests } = await pull((request) => answerOf(listing, request));
  expect(exit).toBe(0);
  expect(names).toEqual(listing.events.map(nameOf));
  expect(Math.max(0, ...pagesOf(requests))).toBeLessThanOrEqual(100);
  return requests.length;
}

describe("requests", () => {
  test("a single page takes one request without a time range", async () => {
    const listing = { events: manyEvents(3050, 2) };
    const { requests } = await pull(
      (request) => answerOf(listing, request),
      `txns ethereum ${pool} --limit 100 -o ndjson`,
    );
    expect(requests.map(({ url }) => url)).toEqual([
      `/networks/ethereum/pools/${pool}/transactions?page=1&limit=100`,
    ]);
  });

  test("later pages use a range that ends one second after the newest row, and no more pages are requested than necessary", async () => {
    const listing = { events: manyEvents(3050, 2) };
    const { names, requests } = await pull(
      (request) => answerOf(listing, request),
      `txns ethereum ${pool} --limit 450 -o ndjson`,
    );
    expect(names).toEqual(listing.events.slice(0, 450).map(nameOf));
    expect(pagesOf(requests).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    expect(requests.map(({ query }) => query.get("to"))).toEqual([
      null,
      ...Array.from({ length: 4 }, () => String(listingStart + 1)),
    ]);
  });

  test("no request exceeds --to", async () => {
    const listing = { events: manyEvents(3050, 2), isExclusive: true };
    const to = listingStart - 100;
    const { names, requests } = await pull((request) => answerOf(listing, request), `${all} --to ${to}`);
    expect(names).toEqual(listing.events.filter(({ time }) => time < to).map(nameOf));
    expect(requests.every(({ query }) => Number(query.get("to")) <= to)).toBe(true);
  });

  test.each([1, 8, 16])(
    "--parallel %i limits concurrent requests to that number and reaches it, without a Node warning",
    async (parallel) => {
      const listing = { events: manyEvents(3050, 2) };
      let most = 0;
      const warnings: Error[] = [];
      const warned = (warning: Error): void => void warnings.push(warning);
      process.on("warning", warned);
      let reach = (): void => undefined;
      const reached = new Promise<void>((resolve) => {
        reach = resolve;
      });
      const overdue = setTimeout(reach, 10_000);
      const { names } = await pull(async (request, index) => {
        most = Math.max(most, server.openRequests());
        if (most === parallel) reach();
        // Page 1 arrives alone. No later page is returned before all parallel requests have arrived, however slow the
        // machine is.
        if (index > 0) await reached;
        await new Promise((resolve) => setTimeout(resolve, 10));
        return answerOf(listing, request);
      }, `${all} --parallel ${parallel}`);
      clearTimeout(overdue);
      process.off("warning", warned);
      expect(warnings).toEqual([]);
      expect(names).toEqual(listing.events.map(nameOf));
      expect(most).toBe(parallel);
    },
  );
});

describe("an unchanging list", () => {
  const shapes: readonly (readonly [string, Event[]])[] = [
    ["two rows a second", manyEvents(2690, 2)],
    ["50 rows in each instant", manyEvents(2690, 50)],
    ["2,400 rows in one instant, then more", [...manyEvents(2400, 2400), ...older(manyEvents(610, 3))]],
    [
      "ids split over every edge",
      Array.from({ length: 2690 }, (_, index) => ({
        id: `0x${Math.floor(index / 3)}`,
        log_index: 2 - (index % 3),
        time: listingStart - Math.floor(index / 12) * 12,
      })),
    ],
    [
      "fractions of a second",
      Array.from({ length: 2690 }, (_, index) => ({
        id: `0x${index}`,
        log_index: 0,
        time: listingStart - index / 8,
      })),
    ],
  ];
  const services: readonly (readonly [string, Omit<Listing, "events">])[] = [
    ["`to` inclusive", {}],
    ["`to` exclusive", { isExclusive: true }],
    ["`to` cut to seconds", { cutsFractions: true }],
    ["`to` exclusive and cut", { isExclusive: true, cutsFractions: true }],
  ];
  test.each(
    shapes.flatMap(([name, events]) => services.map(([how, service]) => ({ name, how, events, service }))),
  )(
    "$name, $how: no row is lost or repeated, and few extra requests are sent",
    async ({ events, service }) => {
      const requests = await expectCompleteList({ events, ...service });
      const pages = Math.ceil(events.length / 20);
      expect(requests).toBeGreaterThanOrEqual(pages);
      expect(requests).toBeLessThanOrEqual(pages + 12);
    },
  );

  test("rows in two ranges are deduplicated and counted", async () => {
    const listing = { events: manyEvents(2690, 4) };
    const folder = mkdtempSync(path.join(tmpdir(), "dexdata-receipt-"));
    const file = path.join(folder, "receipt.json");
    const { requests } = await pull((request) => answerOf(listing, request), `${small} --receipt ${file}`);
    const receipt = toRow(readFileSync(file, "utf8"));
    rmSync(folder, { recursive: true });
    // Two ranges of up to 100 pages share the row at their edge, the rows with its timestamp, and the second after it.
    expect(pagesOf(requests).filter((page) => page === 1).length).toBe(2);
    expect(receipt["rows"]).toBe(2690);
    expect(receipt["repeats_dropped"]).toBe(8);
  });

  test.each<readonly [string, Omit<Listing, "events">]>([
    ["of 0", { total: () => 0 }],
    ["that are absent", { total: () => Number.NaN }],
    ["of 30 rows", { total: () => 30 }],
    ["with a million pages", { totalPages: () => 1_000_000 }],
    [
      "that change with every request",
      { total: (items, { query }) => items + (Number(query.get("page")) % 7) },
    ],
    ["of 2,000 rows at most, `to` exclusive", { total: (items) => Math.min(items, 2000), isExclusive: true }],
  ])("totals %s: no row is lost", async (_, lie) => {
    expect(await expectCompleteList({ events: manyEvents(2469, 2), ...lie })).toBeLessThanOrEqual(165);
  });

  test.each([
    ["a thousand million", () => 1_000_000_000],
    ["one row too many", (items: number) => items + 1],
  ] as const)("a count of %s is trusted: all rows are returned, with exit code 8", async (_, total) => {
    const listing: Listing = { events: manyEvents(2469, 2), total };
    const { exit, names, stderr } = await pull((request) => answerOf(listing, request));
    expect({ exit, names }).toEqual({ exit: 8, names: listing.events.map(nameOf) });
    expect(stderr).toMatch(/incomplete list: .*[\d,]+ rows? at or before \S+Z (?:is|are) missing/u);
  });

  test.each([2469, 300])(
    "--no-strict accepts %i rows although the count is higher, and warns once",
    async (rows) => {
      const listing: Listing = { events: manyEvents(rows, 2), total: (items) => items + 1 };
      const { exit, names, stderr } = await pull(
        (request) => answerOf(listing, request),
        `${small} --no-strict`,
      );
      expect({ exit, names }).toEqual({ exit: 0, names: listing.events.map(nameOf) });
      expect(stderr.match(/the list may be incomplete: /gu)).toHaveLength(1);
    },
  );
});

/** Returns the same events one day earlier. */
function older(events: readonly Event[]): Event[] {
  return events.map(({ id, log_index, time }) => ({ id: `${id}b`, log_index, time: time - 86_400 }));
}

/** Returns the rows that exist from now until the returned function is called, but not among `names`. */
function followChanges(listing: Listing): (names: readonly string[]) => readonly string[] {
  const before = new Set(listing.events);
  return (names) => {
    const got = new Set(names);
    // No test puts a row back.
    const always = listing.events.filter((event) => before.has(event));
    return always.map(nameOf).filter((name) => !got.has(name));
  };
}

describe("a changing list", () => {
  /** Expects each row that exists from the first request to the last, and no row twice. */
  async function expectRequiredRows(
    listing: Listing,
    move: (index: number, request: SeenRequest) => void,
  ): Promise<number> {
    const missingIn = followChanges(listing);
    const { exit, names, requests } = await pull((request, index) => {
      if (index > 0) move(index, request);
      return answerOf(listing, request);
    });
    expect(exit).toBe(0);
    expect(names.length).toBe(new Set(names).size);
    expect(missingIn(names)).toEqual([]);
    return requests.length;
  }

  test.each([{}, { isExclusive: true }])("grows at its head with every request (%o)", async (service) => {
    const listing: Listing = { events: manyEvents(2469, 2), ...service };
    const requests = await expectRequiredRows(listing, (index) => {
      const time = listingStart + 1 + Math.floor(index / 3);
      listing.events.unshift({ id: `0xnew${index}`, log_index: 0, time });
    });
    expect(requests).toBeLessThanOrEqual(124 + 8);
  });

  test.each([0, 10, 100, 1000])("late rows are inserted %i rows from its head", async (depth) => {
    const listing: Listing = { events: manyEvents(2469, 2) };
    const requests = await expectRequiredRows(listing, (index) => {
      if (index % 9 !== 4) return;
      const time = listing.events[depth]?.time ?? 0;
      listing.events.splice(depth, 0, { id: `0xlate${index}`, log_index: 0, time });
    });
    expect(requests).toBeLessThanOrEqual(160);
  });

  test.each([0, 10, 100])("rows are removed %i rows from its head", async (depth) => {
    const listing: Listing = { events: manyEvents(2469, 2) };
    const requests = await expectRequiredRows(listing, (index) => {
      if (index % 17 === 4) listing.events.splice(depth, 3);
    });
    expect(requests).toBeLessThanOrEqual(160);
  });

  /** At the end of the list, a row comes or goes; a row that the pull has is removed. */
  type Move = "comes" | "goes" | "removed";
  /** The move at the n-th request of a page, such as `4#2`. */
  const shifts: readonly Readonly<Record<string, Move>>[] = [
    { "3#1": "comes", "5#1": "goes", "7#1": "comes", "8#1": "removed" },
    // Page 6 is from before the list shifted, page 7 from after that.
    { "5#1": "goes", "4#2": "removed", "7#1": "comes" },
  ];
  test.each(shifts)("a total that applied before does not hide that rows have moved: %o", async (moves) => {
    const listing: Listing = { events: manyEvents(300, 2) };
    const time = (listing.events.at(-1)?.time ?? 0) - 1;
    const missingIn = followChanges(listing);
    const counts = new Map<string, number>();
    const { exit, names } = await pull((request, index) => {
      const page = request.query.get("page") ?? "";
      counts.set(page, (counts.get(page) ?? 0) + 1);
      const move = moves[`${page}#${counts.get(page)}`];
      if (move === "comes") listing.events.push({ id: `0xlate${index}`, log_index: 0, time });
      if (move === "goes") listing.events.pop();
      if (move === "removed") listing.events.splice(40, 1);
      return answerOf(listing, request);
    }, `${small} --parallel 2`);
    expect({ exit, missing: missingIn(names) }).toEqual({ exit: 0, missing: [] });
  });

  test("hundreds of rows are inserted at once, and others are removed at once", async () => {
    const listing: Listing = { events: manyEvents(2469, 2) };
    await expectRequiredRows(listing, (index) => {
      const time = listing.events[40]?.time ?? 0;
      const late = Array.from({ length: 70 }, (_, log) => ({ id: "0xlate", log_index: 70 - log, time }));
      if (index === 20) listing.events.splice(40, 0, ...late);
      if (index === 50) listing.events.splice(30, 84);
    });
  });

  /** Returns the previous page in place of page `number`, `times` times. */
  const repeating = (listing: Listing, number: number, times: number): Script => {
    let left = times;
    return (request) => {
      if (request.query.get("page") !== String(number) || left === 0) return answerOf(listing, request);
      left -= 1;
      const query = new URLSearchParams(request.query);
      query.set("page", String(number - 1));
      return answerOf(listing, { ...request, query });
    };
  };

  test.each([
    [2, 30],
    [2, 50],
    [7, 469],
    [24, 469],
  ])("page %i is requested again if it repeats the previous page (%i rows)", async (number, rows) => {
    const listing: Listing = { events: manyEvents(rows, 2) };
    const { exit, names } = await pull(repeating(listing, number, 1));
    expect({ exit, names }).toEqual({ exit: 0, names: listing.events.map(nameOf) });
  });

  test.each([
    [2, 30],
    [2, 50],
    [7, 469],
    [24, 469],
  ])("page %i is fetched with another URL if it is never returned (%i rows)", async (number, rows) => {
    const listing: Listing = { events: manyEvents(rows, 2) };
    const { exit, names } = await pull(repeating(listing, number, 1000));
    expect({ exit, names }).toEqual({ exit: 0, names: listing.events.map(nameOf) });
  });

  test.each([
    [20, 30],
    [20, 50],
    [120, 469],
    [460, 469],
    [2005, 2100],
  ])(
    "rows after the first %i that are never returned are an error, not the end (%i rows)",
    async (rows, counted) => {
      const listing: Listing = { events: manyEvents(rows, 2), total: (items) => items + counted - rows };
      const { exit, names, stderr } = await pull((request) => answerOf(listing, request));
      expect({ exit, names }).toEqual({ exit: 8, names: listing.events.map(nameOf) });
      expect(stderr).toContain(`${counted - rows} row`);
    },
  );
});

describe("a pull that fails", () => {
  test.each([
    [1, "page 2"],
    [40, "the first window"],
    [100, "the hand-over"],
    [130, "the second window"],
  ])("after %i pages, in %s, is resumed by the command it prints", async (requestsBefore) => {
    const listing: Listing = { events: manyEvents(3357, 3), isExclusive: true };
    const broken = await pull(
      (request, index) =>
        index > requestsBefore
          ? { mode: "answer", status: 402, headers: {}, body: '{"error":"payment_required"}' }
          : answerOf(listing, request),
      `${small} --parallel 1`,
    );
    expect(broken.exit).toBe(5);
    // Rows added meanwhile are not part of it.
    listing.events.unshift(
      ...manyEvents(30, 3).map((event) => ({ ...event, id: `${event.id}new`, time: event.time + 60 })),
    );
    const command = /next page: dexdata (.+)/u.exec(broken.stderr)?.[1] ?? "";
    const rest = await pull((request) => answerOf(listing, request), command);
    expect(rest.exit).toBe(0);
    const [before, after] = [broken.names, rest.names];
    // A cursor points to an ID, not to a row.
    const whole = listing.events.slice(30).map(nameOf);
    expect([...new Set([...before, ...after])]).toEqual(whole);
    expect(before.length + after.length - whole.length).toBeLessThanOrEqual(1);
  });
});

describe("a resumed pull", () => {
  /** Breaks off after 12 requests, and is resumed after `meanwhile`. */
  async function resume(script: Script, meanwhile: () => void) {
    let isBroken = true;
    const refusal = { mode: "answer", status: 402, headers: {}, body: "{}" } as const;
    const service = await serveInTest((request, index) =>
      isBroken && index > 11 ? refusal : script(request, index),
    );
    const folder = mkdtempSync(path.join(tmpdir(), "dexdata-resume-"));
    const [file, receipt] = [path.join(folder, "rows"), path.join(folder, "receipt.json")];
    const words = `${small} --parallel 1 --out ${file} --receipt ${receipt} --resume`;
    const key = { DEXDATA_API_KEY: "api_pro_0123456789", DEXDATA_TIER: "pro" };
    const env = { DEXDATA_PRO_BASE_URL: service.url, ...key };
    expect((await dexdata(words, { env })).exit).toBe(5);
    isBroken = false;
    meanwhile();
    const { exit } = await dexdata(words, { env });
    const { proof } = toRow(readFileSync(receipt, "utf8"));
    const names = namesOf(readFileSync(file, "utf8"));
    rmSync(folder, { recursive: true });
    return { exit, proof, names };
  }

  test.each([3, 1, 0])(
    "misses none if a row that it has was removed and %i were added at the end",
    async (added) => {
      const listing: Listing = { events: manyEvents(300, 2) };
      const missingIn = followChanges(listing);
      const time = (listing.events.at(-1)?.time ?? 0) - 1;
      const late = Array.from({ length: added }, (_, row) => ({ id: `0xlate${row}`, log_index: 0, time }));
      const { exit, names } = await resume(
        (request) => answerOf(listing, request),
        () => {
          listing.events.splice(40, 1);
          listing.events.push(...late);
        },
      );
      expect({ exit, missing: missingIn(names) }).toEqual({ exit: 0, missing: [] });
    },
  );

  test("goes back to a row that it has if more than a page of its last rows was removed", async () => {
    const listing: Listing = { events: manyEvents(300, 2) };
    const missingIn = followChanges(listing);
    const time = (listing.events.at(-1)?.time ?? 0) - 1;
    const late = Array.from({ length: 45 }, (_, row) => ({ id: `0xlate${row}`, log_index: 0, time }));
    const { exit, proof, names } = await resume(
      (request) => answerOf(listing, request),
      () => {
        listing.events.splice(195, 45);
        listing.events.push(...late);
      },
    );
    expect({ exit, proof, missing: missingIn(names) }).toEqual({ exit: 0, proof: "count", missing: [] });
  });

  test.each([3, 2, 0])(
    "continues in a second with more rows than a page if 3 were added before it and %i removed after it",
    async (removed) => {
      const listing: Listing = { events: manyEvents(300, 50) };
      const missingIn = followChanges(listing);
      const late = Array.from({ length: 3 }, (_, row) => ({
        id: `0xlate${row}`,
        log_index: 0,
        time: listingStart,
      }));
      const { exit, proof, names } = await resume(
        (request) => answerOf(listing, request),
        () => {
          listing.events.unshift(...late);
          listing.events.splice(listing.events.length - removed, removed);
        },
      );
      expect({ exit, proof, missing: missingIn(names) }).toEqual({ exit: 0, proof: "count", missing: [] });
    },
  );

  test("reads pages with accepted numbers again, so that the count proves the list", async () => {
    const listing: Listing = { events: manyEvents(300, 2) };
    const missingIn = followChanges(listing);
    let hasWrongNumbers = true;
    const { exit, proof, names } = await resume(
      (request) => {
        const reply = answerOf(listing, request);
        if (reply.mode !== "answer" || !hasWrongNumbers) return reply;
        return { ...reply, body: String(reply.body).replace(/"page":\d+/u, '"page":900') };
      },
      () => {
        hasWrongNumbers = false;
      },
    );
    expect({ exit, proof, missing: missingIn(names) }).toEqual({ exit: 0, proof: "count", missing: [] });
  });
});

describe("any list", () => {
  const event = fc.record({ gap: fc.nat({ max: 2 }), logs: fc.integer({ min: 1, max: 4 }) });
  const moves = fc.array(
    fc.record({
      at: fc.nat({ max: 60 }),
      depth: fc.nat({ max: 400 }),
      rows: fc.integer({ min: 1, max: 6 }),
    }),
    { maxLength: 3 },
  );

  test("of random ties, IDs, page sizes and changes returns every expected row once", async () => {
    const property = fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 4, max: 30 }),
      fc.constantFrom("inserts", "removes"),
      moves,
      fc.boolean(),
      fc.integer({ min: 1, max: 8 }),
      async (drawn, pageSize, kind, planned, isExclusive, parallel) => {
        let time = listingStart;
        const events = drawn.flatMap(({ gap, logs }, index) => {
          time -= gap;
          const at = time;
          return Array.from({ length: logs }, (_, log) => ({
            id: `0x${index}`,
            log_index: logs - log,
            time: at,
          }));
        });
        const listing: Listing = { events: [...events], isExclusive };
        const missingIn = followChanges(listing);
        const { exit, names } = await pull((request, index) => {
          for (const { at, depth, rows } of planned) {
            if (at !== index || index === 0) continue;
            const place = Math.min(depth, listing.events.length);
            const when = listing.events[place]?.time ?? listing.events.at(-1)?.time ?? listingStart;
            const late = Array.from({ length: rows }, (_, log) => ({
              id: `0xlate${at}`,
              log_index: rows - log,
              time: when,
            }));
            if (kind === "inserts") listing.events.splice(place, 0, ...late);
            else listing.events.splice(place, rows);
          }
          return answerOf(listing, request);
        }, `${all} --page-size ${pageSize} --parallel ${parallel}`);
        expect({
          exit,
          repeats: names.length - new Set(names).size,
          lost: missingIn(names),
        }).toEqual({
          exit: 0,
          repeats: 0,
          lost: [],
        });
      },
    );
    await fc.assert(property, { numRuns: Number(process.env["FC_RUNS"] ?? 60) });
  });
});
