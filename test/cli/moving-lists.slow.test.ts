import { afterAll, describe, expect, test } from "vitest";
import { dexdata } from "../harness/dexdata.ts";
import { movingService, pagedLists, type PagedList } from "../harness/faulty-lists.ts";
import { answerOf, type Event, type Listing, listingStart, nameOf } from "../harness/listing.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";
import { rowsOf } from "../harness/rows.ts";
import type { Script } from "../harness/scripted-server.ts";
import { serveInTest } from "../harness/serve-in-test.ts";

const counts = { pulls: 0, requests: 0 };

async function pull(words: string, script: Script) {
  const server = await serveInTest(script);
  const env = {
    DEXDATA_PRO_BASE_URL: server.url,
    DEXDATA_API_KEY: "api_pro_0123456789",
    DEXDATA_TIER: "pro",
    DEXDATA_NOW: "2026-11-21T08:54:00Z",
  };
  const outcome = await dexdata(`${words} --rpm unlimited -o ndjson`, { env });
  counts.pulls += 1;
  counts.requests += server.requests.length;
  return { ...outcome, requests: server.requests.length };
}

afterAll(() => {
  console.log(`${counts.pulls} pulls of lists that move: no false alarm; ${counts.requests} requests`);
});

/** Returns the identity of a row; a partial candle can still change. */
const keyOf = (row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([
    row["id"] ?? row["address"] ?? row["dex_id"] ?? row["time_open"],
    row["chain"],
    row["log_index"],
  ]);

const lists = isLong ? pagedLists : pagedLists.filter(({ words }) => !words.includes("ohlcv"));

describe.each(lists.map((list) => [list.name, list] as const))(
  "%s, while the market changes",
  (_, list: PagedList) => {
    const seeds = isLong ? (list.words.includes("ohlcv") ? 10 : 60) : 4;
    test(`${seeds} pulls return every row that existed at the first request, each once`, async () => {
      const still = await pull(
        list.words,
        movingService(() => 0),
      );
      const existing = rowsOf(still.stdout).map(keyOf);
      for (let seed = 1; seed <= seeds; seed += 1) {
        const random = createRandom(seed * 31);
        // At --speed 60, a request takes up to 20 s.
        const moved = await pull(
          list.words,
          movingService(() => random() * 20),
        );
        expect({ seed, exit: moved.exit, stderr: moved.stderr }).toEqual({ seed, exit: 0, stderr: "" });
        const keys = rowsOf(moved.stdout).map(keyOf);
        const printed = new Set(keys);
        expect({ seed, repeats: keys.length - printed.size }).toEqual({ seed, repeats: 0 });
        expect({
          seed,
          lost: existing.filter((key) => !printed.has(key)),
        }).toEqual({ seed, lost: [] });
        expect(moved.requests).toBeLessThanOrEqual(still.requests + 6);
      }
    });
  },
);

describe("transactions that are indexed late", () => {
  const runs = isLong ? 500 : 40;
  const words = "txns ethereum 0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640 --all --page-size 10";

  test(`${runs} pulls, with new and late rows between pages, return every row that existed before`, async () => {
    for (let seed = 1; seed <= runs; seed += 1) {
      const random = createRandom(seed * 101);
      const below = (most: number): number => Math.floor(random() * most);
      const events: Event[] = Array.from({ length: 20 + below(1300) }, (_, index) => ({
        id: `0x${index}`,
        log_index: 0,
        time: listingStart - Math.floor(index / (1 + (seed % 4))),
      }));
      const before = events.map(nameOf);
      const listing: Listing = { events, isExclusive: seed % 2 === 0 };
      let number = 0;
      const add = (depth: number, time: number): void => {
        number += 1;
        listing.events.splice(depth, 0, { id: `0xnew${number}`, log_index: 0, time });
      };
      const { exit, stdout } = await pull(words, (request, index) => {
        if (index > 0 && random() < 0.3) add(0, listingStart + 1 + index);
        // Late by up to a hundred rows.
        if (index > 0 && random() < 0.15) {
          const depth = below(Math.min(100, listing.events.length));
          add(depth, listing.events[depth]?.time ?? listingStart);
        }
        return answerOf(listing, request);
      });
      const names = rowsOf(stdout).map((row) => `${String(row["id"])} ${String(row["log_index"])}`);
      const printed = new Set(names);
      expect({
        seed,
        exit,
        repeats: names.length - printed.size,
        lost: before.filter((name) => !printed.has(name)),
      }).toEqual({
        seed,
        exit: 0,
        repeats: 0,
        lost: [],
      });
    }
  });
});
