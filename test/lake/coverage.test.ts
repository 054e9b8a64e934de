import { expect, test } from "vitest";
import { completeAge, type Held, needOf, planDataset, settlingTime } from "../../src/lake/coverage.ts";
import type { Dataset } from "../../src/lake/dataset.ts";
import type { Footer } from "../../src/lake/footer.ts";
import { type FileState, periodAt, periodsBetween } from "../../src/lake/layout.ts";
import { fc } from "../harness/properties.ts";
import { emptyFooter } from "./empty-footer.ts";

const day = 86_400;
const hour = 3600;
const at = (text: string): number => Date.parse(text) / 1000;

const dataset: Dataset = {
  kind: "transactions",
  network: "ethereum",
  address: "0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",
  interval: undefined,
  by: "day",
  from: at("2026-11-15T00:00:00Z"),
  label: "",
};

const candles: Dataset = { ...dataset, kind: "ohlcv", interval: "1h" };

function held(state: FileState, footer: Partial<Footer>): Held {
  return { state, footer: { ...emptyFooter, state, ...footer } };
}

const wish = (present: number, more = {}) => ({
  dataset,
  present,
  isForced: false,
  plan: "plan pro",
  candleReach: undefined,
  ...more,
});
const yesterday = periodAt(dataset, at("2026-11-20T12:00:00Z"));
const again = { what: "confirm" };
const allOfIt = { what: "read", from: yesterday.from };

test("a period without a file is read from the start of the dataset", () => {
  const present = at("2026-11-21T08:00:00Z");
  expect(needOf(wish(present), yesterday, undefined)).toEqual(allOfIt);
  const later = { ...dataset, from: yesterday.from + hour };
  expect(needOf(wish(present, { dataset: later }), yesterday, undefined)).toEqual({
    what: "read",
    from: later.from,
  });
});

test("a damaged file is read again", () => {
  const damaged: Held = { state: "rows", footer: undefined };
  expect(needOf(wish(yesterday.to + day), yesterday, damaged)).toEqual(allOfIt);
});

test("an open day is read from where it is settled, then not at all, then in full when it is a day old", () => {
  const open = (settled: number) => held("open", { period: yesterday, settled_to: settled });
  const settled = yesterday.from + 5 * hour;
  expect(needOf(wish(yesterday.to - hour), yesterday, open(settled))).toEqual({
    what: "read",
    from: settled,
  });
  expect(needOf(wish(yesterday.to + 2 * hour), yesterday, open(yesterday.to))).toBeUndefined();
  const old = yesterday.to + completeAge;
  expect(needOf(wish(old - 1), yesterday, open(yesterday.to))).toBeUndefined();
  expect(needOf(wish(old), yesterday, open(yesterday.to))).toEqual(allOfIt);
});

test("rows that were read less than a minute ago are not read again", () => {
  const present = yesterday.from + 9 * hour;
  const open = (settled: number) => held("open", { period: yesterday, settled_to: settled });
  expect(needOf(wish(present), yesterday, open(present - hour - 59))).toBeUndefined();
  const before = present - hour - 60;
  expect(needOf(wish(present), yesterday, open(before))).toEqual({ what: "read", from: before });
  // Just after midnight, the start of the day says nothing about when it was read.
  const early = wish(yesterday.from + 600);
  expect(needOf(early, yesterday, open(yesterday.from))).toEqual(allOfIt);
});

test("a day whose count disagreed is read again a day later", () => {
  const read = yesterday.to + completeAge;
  const open = held("open", { period: yesterday, settled_to: yesterday.to, read_at: read });
  expect(needOf(wish(read + day - 1), yesterday, open)).toBeUndefined();
  expect(needOf(wish(read + day), yesterday, open)).toEqual(allOfIt);
});

test("a complete day is counted again on the fifth day, and never when it is out of reach", () => {
  const read = yesterday.to + completeAge;
  const known = { period: yesterday, witnessed: true };
  const rows = held("rows", { ...known, read_at: read, total: 7, total_at: read });
  expect(needOf(wish(yesterday.to + 4 * day - 1), yesterday, rows)).toBeUndefined();
  expect(needOf(wish(yesterday.to + 4 * day), yesterday, rows)).toEqual(again);
  expect(needOf(wish(yesterday.from + 7 * day), yesterday, rows)).toBeUndefined();
  const counted = held("rows", { ...known, total_at: yesterday.to + 4 * day });
  expect(needOf(wish(yesterday.to + 4 * day), yesterday, counted)).toBeUndefined();
});

test("a complete day that a read contradicted is read again an hour later, or a day later without a witness", () => {
  const seen = yesterday.to + 4 * day;
  const file = (hash: string | null) =>
    held("rows", {
      period: yesterday,
      witnessed: true,
      contradicted: { at: seen, rows: 3, absent_sha256: hash },
    });
  for (const [hash, wait] of [
    ["a", hour],
    [null, day],
  ] as const) {
    expect(needOf(wish(seen + wait - 1), yesterday, file(hash))).toBeUndefined();
    expect(needOf(wish(seen + wait), yesterday, file(hash))).toEqual(allOfIt);
  }
});

test("complete candles are read a second time on the fifth day, or at the next run after a later first read", () => {
  const wishAt = (present: number) =>
    wish(present, { dataset: { ...dataset, kind: "ohlcv", interval: "1m" } });
  const known = { period: yesterday, witnessed: true };
  const first = held("rows", { ...known, read_at: yesterday.to + completeAge });
  expect(needOf(wishAt(yesterday.to + 4 * day - 1), yesterday, first)).toBeUndefined();
  expect(needOf(wishAt(yesterday.to + 4 * day), yesterday, first)).toEqual(allOfIt);
  const late = yesterday.to + 9 * day;
  const second = held("rows", { ...known, read_at: late });
  expect(needOf(wishAt(late + hour - 1), yesterday, second)).toBeUndefined();
  expect(needOf(wishAt(late + hour), yesterday, second)).toEqual(allOfIt);
  const done = held("rows", { ...known, read_at: late, reread_at: late + hour });
  expect(needOf(wishAt(late + 90 * day), yesterday, done)).toBeUndefined();
});

test("candles that are due for a second read are read at once, so that days share requests", () => {
  const own: Dataset = { ...candles, interval: "5m", from: at("2026-11-01T00:00:00Z") };
  const present = at("2026-11-21T08:00:00Z");
  const tasks = planDataset(wish(present, { dataset: own }), (period) =>
    held("rows", { period, witnessed: true, read_at: present - 2 * hour }),
  );
  const to = at("2026-11-17T00:00:00Z");
  expect(tasks).toEqual([{ what: "read", range: { dataset: own, from: own.from, to } }]);
});

test("a wrong clock in a file makes it be read again", () => {
  const open = held("open", { period: yesterday, settled_to: yesterday.to });
  expect(needOf(wish(yesterday.from + hour), yesterday, open)).toEqual(allOfIt);
});

test("lost rows are requested again once a day for a month, those of a plan only with --force or on another plan", () => {
  const range = { from: yesterday.from, to: yesterday.to, why: "plan free", seen_at: yesterday.to };
  const lost = held("lost", { period: yesterday, lost: [range] });
  const present = yesterday.to + 9 * day;
  expect(needOf(wish(present, { plan: "plan free" }), yesterday, lost)).toBeUndefined();
  expect(needOf(wish(present, { plan: "plan pro" }), yesterday, lost)).toEqual(allOfIt);
  expect(needOf(wish(present, { plan: "plan free", isForced: true }), yesterday, lost)).toEqual(allOfIt);
  const gone = held("lost", { period: yesterday, lost: [{ ...range, why: "reach", seen_at: present }] });
  expect(needOf(wish(present + day - 1), yesterday, gone)).toBeUndefined();
  expect(needOf(wish(present + day), yesterday, gone)).toEqual(allOfIt);
  expect(needOf(wish(yesterday.to + 30 * day), yesterday, gone)).toBeUndefined();
});

test("candles are requested only after one of them has closed", () => {
  const month = periodAt(candles, at("2026-11-20T12:00:00Z"));
  const settled = at("2026-11-21T08:00:00Z");
  const open = held("open", { period: { from: candles.from, to: month.to }, settled_to: settled });
  const ask = (present: number) => needOf(wish(present, { dataset: candles }), month, open);
  expect(ask(settled + hour - 1)).toBeUndefined();
  expect(ask(settled + hour)).toEqual({ what: "read", from: settled });
});

/** Random files for some of the days. */
const files = fc.record({
  days: fc.array(
    fc.option(
      fc.record({
        state: fc.constantFrom<FileState>("rows", "open", "lost"),
        settled: fc.integer({ min: 0, max: day }),
        isRead: fc.boolean(),
      }),
    ),
    { minLength: 1, maxLength: 12 },
  ),
  seconds: fc.integer({ min: 1, max: day }),
});

test("the ranges are exactly the missing seconds, in order, and adjacent ones are one", () => {
  fc.assert(
    fc.property(files, ({ days, seconds }) => {
      const present = dataset.from + (days.length - 1) * day + seconds;
      const periods = periodsBetween(dataset, dataset.from, present);
      expect(periods.length).toBe(days.length);
      const byName = new Map(
        periods.map((period, index) => {
          const each = days[index] ?? null;
          if (each === null) return [period.name, undefined];
          const settled = Math.min(period.from + each.settled, present);
          const read = each.isRead ? present - settlingTime : null;
          return [period.name, held(each.state, { period, settled_to: settled, read_at: read })];
        }),
      );
      const tasks = planDataset(wish(present), ({ name }) => byName.get(name));
      const ranges = tasks.flatMap(({ what, range }) => (what === "read" ? [range] : []));
      let last = Number.NEGATIVE_INFINITY;
      for (const { from, to = present } of ranges) {
        expect(from).toBeGreaterThan(last);
        last = to;
      }
      for (const period of periods) {
        const need = needOf(wish(present), period, byName.get(period.name));
        const start = need?.what === "read" ? need.from : undefined;
        const end = Math.min(period.to, present);
        for (const second of [period.from, (start ?? end) - 1, start ?? end, end - 1]) {
          if (second < period.from || second >= end) continue;
          const isRead = ranges.some(({ from, to = present }) => second >= from && second < to);
          expect(isRead).toBe(start !== undefined && second >= start);
        }
      }
    }),
  );
});

test("days that the first file records as absent are not read; the day before them is", () => {
  const before = [{ from: dataset.from + day, to: dataset.from + 2 * day, why: "reach", seen_at: 0 }];
  const first = periodAt(dataset, dataset.from + 2 * day);
  const known = held("rows", { period: first, before, witnessed: true, total_at: first.to + 4 * day });
  const tasks = planDataset(wish(first.to), ({ name }) => (name === first.name ? known : undefined));
  const range = { dataset, from: dataset.from, to: dataset.from + day };
  expect(tasks).toEqual([{ what: "read", range }]);
});
