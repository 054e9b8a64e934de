import { expect, test } from "vitest";
import type { Dataset } from "../../src/lake/dataset.ts";
import type { Footer } from "../../src/lake/footer.ts";
import type { ReadFile } from "../../src/lake/files/stored-periods.ts";
import { judgePeriod, type PeriodUpdate } from "../../src/lake/periods/judge-period.ts";
import type { LakeRow } from "../../src/lake/periods/lake-rows.ts";
import { periodAt, periodsBetween } from "../../src/lake/layout.ts";
import { isLong } from "../harness/long.ts";
import { type ModelLake, modelRow, runModel } from "../harness/model-lake.ts";
import { createRandom } from "../harness/random.ts";
import { emptyFooter } from "./empty-footer.ts";

const [hour, day] = [3600, 86_400];
const start = Date.parse("2026-11-10T00:00:00Z") / 1000;
const base: Dataset = {
  kind: "transactions",
  network: "ethereum",
  address: "0x",
  interval: undefined,
  by: "day",
  from: start,
  label: "",
};
const candles: Dataset = { ...base, kind: "ohlcv", interval: "1m" };
const days = 8;
/** The undisturbed service has rows of a week. */
const usual = 7 * day;

interface MarketRow {
  readonly row: LakeRow;
  /** When the service begins and ends to list the row. */
  readonly from: number;
  readonly to: number;
}

type Random = () => number;

/** Rows of ten days, some of them late or withdrawn within three hours. Some days are empty. */
function marketOf(random: Random, isCandles: boolean): readonly MarketRow[] {
  const rows: MarketRow[] = [];
  for (let date = -3; date < days + 4; date += 1) {
    const count = random() < 0.1 ? 0 : Math.floor(random() * 9);
    const times = new Set(Array.from({ length: count }, () => Math.floor((random() * day) / 60) * 60));
    for (const time of [...times].toSorted((a, b) => a - b)) {
      const at = start + date * day + time;
      const isSound = isCandles || random() < 0.8;
      const lateness = isSound ? 0 : random() * 3 * hour;
      const isWithdrawn = !isSound && random() < 0.4;
      const listed = { from: at + (isCandles ? 60 : lateness), to: Number.POSITIVE_INFINITY };
      rows.push({ row: modelRow(at, String(at)), ...listed, ...(isWithdrawn && { to: at + 3 * hour }) });
    }
  }
  return rows;
}

/** One fault of a run, which lasts less than an hour. */
const faults = ["none", "reach", "shrinking", "empty", "lacking", "unsure clock"] as const;
type Fault = (typeof faults)[number];

function history(seed: number) {
  // Small seeds begin with small numbers, so they would all draw the same kind of rows.
  const random = createRandom(Math.imul(seed, 0x9e37_79b1));
  const dataset = random() < 0.6 ? base : candles;
  const isCandles = dataset === candles;
  const market = marketOf(random, isCandles);
  const lake: ModelLake = new Map();
  const isHourly = random() < 0.3;
  let longReach = usual;
  let hasLacked = false;
  const problems: string[] = [];

  const run = (now: number, fault: Fault, dropped: ReadonlySet<string>): void => {
    const heldBefore = new Map([...lake].map(([name, file]) => [name, file]));
    let calls = 0;
    const visible = (from: number, to: number): readonly LakeRow[] => {
      calls += 1;
      const shrunk = fault === "shrinking" && calls > 1 ? longReach - 30 * hour : longReach;
      const first = isCandles ? from : Math.max(from, now - (fault === "reach" ? 3 * day : shrunk));
      if (fault === "empty" && calls === 1) return [];
      return market
        .filter(({ row, from: shown, to: gone }) => shown <= now && now < gone && row.at.seconds <= now)
        .map(({ row }) => row)
        .filter(
          ({ at, key }) =>
            at.seconds >= first && at.seconds <= to && !(fault === "lacking" && dropped.has(key)),
        );
    };
    runModel(lake, {
      dataset,
      present: now,
      isClockSure: fault !== "unsure clock",
      service: { list: visible, hasOlder: (at) => visible(Number.NEGATIVE_INFINITY, at).length > 0 },
    });
    for (const [name, { state, rows, footer }] of heldBefore) {
      if (state === "rows" && lake.get(name)?.state !== state) problems.push(`${name} is no longer complete`);
      const after = new Set(lake.get(name)?.rows.map(({ key }) => key));
      const isSettled = ({ at }: LakeRow): boolean =>
        footer.state !== "open" || at.seconds < footer.settled_to;
      const gone = rows.filter((row) => isSettled(row) && !after.has(row.key));
      if (gone.length === 0) continue;
      const noted = footer.contradicted;
      if (noted === undefined || now - noted.at < hour)
        problems.push(`${name}: ${gone.length} held rows went without two contradicting reads`);
    }
    checkComplete(now);
  };

  /** Complete files have the market's final rows. */
  const checkComplete = (now: number): void => {
    for (const period of periodsBetween(dataset, start, now)) {
      const file = lake.get(period.name);
      if (file?.state !== "rows") continue;
      const final = market.filter(
        ({ row: { at }, to }) =>
          at.seconds >= period.from && at.seconds < period.to && to === Number.POSITIVE_INFINITY,
      );
      const wanted = final.map(({ row }) => row.key).join(" ");
      if (file.rows.map(({ key }) => key).join(" ") !== wanted)
        problems.push(`${period.name} is called complete with ${file.rows.length} of ${final.length} rows`);
      if (now < period.to + day) problems.push(`${period.name} is called complete before its time`);
    }
  };

  let now = start + 5 * hour + random() * day;
  const disturbedUntil = start + (days - 1) * day;
  while (now < disturbedUntil) {
    longReach = random() < 0.05 ? 4 * day : usual;
    const drawn: Fault = random() < 0.5 ? "none" : (faults[Math.floor(random() * faults.length)] ?? "none");
    // Rows that two reads of a day lack, an hour apart or more, cannot be told from rows that are gone.
    const isLacking = drawn === "empty" || drawn === "lacking";
    const fault = isLacking && hasLacked ? "none" : drawn;
    hasLacked ||= isLacking;
    const held = [...lake.values()].flatMap((file) => file.rows.map(({ key }) => key));
    const dropped = new Set(held.filter(() => random() < 0.1));
    run(now, fault, dropped);
    if (random() < 0.3) run(now + Math.floor(random() * hour), fault, dropped);
    now += isHourly ? hour * (1 + Math.floor(random() * 12)) : day + Math.floor(random() * 600);
  }
  longReach = usual;
  const healing = now;
  for (let healed = 0; healed < 3; healed += 1, now += day + 60) run(now, "none", new Set());
  const reach = now - day - 60 - usual;
  for (const period of periodsBetween(dataset, start, healing - day)) {
    // Without an older row, nothing shows that the service still has the start of the period.
    const isThere =
      isCandles ||
      market.some(({ row: { at }, to }) => to > now && at.seconds > reach && at.seconds <= period.from);
    if (period.to + day > healing || !isThere) continue;
    if (lake.get(period.name)?.state !== "rows")
      problems.push(`${period.name} is still ${lake.get(period.name)?.state ?? "missing"} after three days`);
  }
  return { problems, complete: [...lake.values()].filter(({ state }) => state === "rows").length };
}

const histories = isLong ? 20_000 : 100;

test(`${histories} random histories: complete is complete, nothing held goes, and three days heal`, () => {
  let complete = 0;
  for (let seed = 1; seed <= histories; seed += 1) {
    const { problems, complete: own } = history(seed);
    complete += own;
    expect(problems, `seed ${seed}`).toEqual([]);
  }
  expect(complete).toBeGreaterThan(4 * histories);
});

const footer: Footer = {
  ...emptyFooter,
  network: "ethereum",
  period: { from: start, to: start + day },
  settled_to: start,
};
const held = (own: Partial<Footer>): ReadFile => {
  const said = { ...footer, ...own };
  const range = { begin: 0, end: 0 };
  return { file: "", state: said.state, identity: undefined, range, footer: said, rows: [] };
};
const rowsOf = (count: number): readonly LakeRow[] =>
  Array.from({ length: count }, (_, index) => modelRow(start + index, String(index)));
const part = { from: start, to: start + day, present: start + 2 * day, isProven: true };
const whole: PeriodUpdate = {
  dataset: base,
  period: periodAt(base, start),
  held: undefined,
  part,
  rows: rowsOf(7),
  total: undefined,
  lost: [],
  before: [],
  isWitnessed: true,
  isClockSure: true,
};
const at = (update: PeriodUpdate, present: number): PeriodUpdate => ({
  ...update,
  part: { ...update.part, present },
});
const stateOf = (update: PeriodUpdate, absent = 0): string => {
  const verdict = judgePeriod(update, rowsOf(absent));
  return verdict.does === "write" ? verdict.state : verdict.does;
};

test("each piece of evidence is needed", () => {
  expect(stateOf(whole)).toBe("rows");
  const lacking: readonly Partial<PeriodUpdate>[] = [
    { isWitnessed: false },
    { isClockSure: false },
    { part: { ...part, present: start + 2 * day - 1 } },
    { part: { ...part, isProven: false } },
    { rows: [] },
    { part: { ...part, from: start + 1 } },
    { part: { ...part, to: start + day - 1 } },
  ];
  for (const change of lacking) expect(stateOf({ ...whole, ...change }), JSON.stringify(change)).toBe("open");
  expect(stateOf({ ...whole, isWitnessed: false, dataset: candles })).toBe("rows");
});

test("rows are lost when the period has ended and they were held, counted or read before, or the plan excludes them", () => {
  const reach = { from: start, to: start + hour, why: "reach", seen_at: start };
  const unknown: PeriodUpdate = { ...whole, rows: [], lost: [reach] };
  expect(stateOf(unknown)).toBe("open");
  const proofs: readonly Partial<PeriodUpdate>[] = [
    { held: held({ rows: 1 }) },
    { held: held({ total: 1 }) },
    { lost: [{ ...reach, why: "plan free" }] },
    { rows: rowsOf(1) },
  ];
  for (const proof of proofs) {
    expect(stateOf({ ...unknown, ...proof }), JSON.stringify(proof)).toBe("lost");
    expect(stateOf(at({ ...unknown, ...proof }, start + 2 * day - 1))).toBe("open");
  }
});

test("a complete file is never called anything else", () => {
  const complete = { state: "rows", rows: 7, total: 7, read_at: start + 2 * day } as const;
  const known = { ...whole, held: held(complete) };
  const unproven = { ...known, part: { ...part, isProven: false } };
  const unsure = { at: part.present, rows: 0, absent_sha256: null };
  expect(judgePeriod(unproven, [])).toEqual({ does: "note", contradicted: unsure });
  expect(stateOf({ ...known, part: { ...part, from: start + 1 } })).toBe("nothing");
  expect(stateOf({ ...known, isWitnessed: false })).toBe("rows");
  const none = { ...known, rows: [] };
  expect(stateOf(none, 7)).toBe("note");
  const first = judgePeriod(at(none, start + 3 * day), rowsOf(7));
  if (first.does !== "note") throw new Error(first.does);
  const noted = first.contradicted;
  const again = { ...none, held: held({ ...complete, contradicted: noted }) };
  expect(stateOf(at(again, noted.at + hour - 1), 7)).toBe("note");
  const later = at(again, noted.at + hour);
  expect(judgePeriod(later, rowsOf(7))).toMatchObject({ state: "rows", dropsAbsent: true });
  expect(stateOf(later, 6)).toBe("note");
  expect(stateOf({ ...later, isWitnessed: false }, 7)).toBe("note");
  expect(stateOf({ ...later, isClockSure: false }, 7)).toBe("note");
});

test("a complete file that begins earlier now stays complete, and only what precedes it can be lost", () => {
  const from = start + 10 * hour;
  const known = held({ state: "rows", period: { from, to: start + day }, rows: 7, read_at: 0 });
  const candlesFrom = (read: number, ...to: readonly number[]): string =>
    stateOf({
      ...whole,
      dataset: candles,
      held: known,
      part: { ...part, from: read },
      lost: to.map((end) => ({ from: start, to: end, why: "plan free", seen_at: start })),
    });
  expect(candlesFrom(start)).toBe("rows");
  expect(candlesFrom(start + 3 * hour, start + 3 * hour)).toBe("rows");
  expect(candlesFrom(start + 12 * hour, from)).toBe("rows");
  expect(candlesFrom(start + 12 * hour, start + 3 * hour)).toBe("nothing");
  // Rows that the file has are not lost.
  expect(candlesFrom(start + 12 * hour, start + 12 * hour)).toBe("rows");
});
