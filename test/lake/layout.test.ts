import { expect, test } from "vitest";
import type { Dataset } from "../../src/lake/dataset.ts";
import { type Footer, foreignRows, readFooters, writeFooter } from "../../src/lake/footer.ts";
import {
  fileNameOf,
  folderOf,
  partitionValue,
  periodAt,
  placeNamed,
  placeOf,
  periodsBetween,
} from "../../src/lake/layout.ts";
import { fc } from "../harness/properties.ts";

const dataset: Dataset = {
  kind: "ohlcv",
  network: "sui",
  address: "0x2::sui::SUI",
  interval: "1m",
  by: "day",
  from: 0,
  label: "",
};

test("directories follow the Hive convention", () => {
  expect(folderOf(dataset)).toBe("ohlcv/network=sui/pool=0x2%3A%3Asui%3A%3ASUI/candle=1m");
  expect(folderOf({ ...dataset, kind: "token-ohlcv", interval: "24h" })).toBe(
    "token-ohlcv/network=sui/token=0x2%3A%3Asui%3A%3ASUI/candle=24h",
  );
  expect(folderOf({ ...dataset, kind: "transactions", interval: undefined })).toBe(
    "transactions/network=sui/pool=0x2%3A%3Asui%3A%3ASUI",
  );
});

test("only a dot or an underscore at the start of a name is encoded", () => {
  expect(["a.b_c", ".a.b", "_a_b"].map(partitionValue)).toEqual(["a.b_c", "%2Ea.b", "%5Fa_b"]);
});

test("the days of a dataset by month are in the directory of their month", () => {
  const day = periodAt(dataset, Date.parse("2026-12-31T12:00:00Z") / 1000);
  expect(placeOf({ by: "month" }, day)).toBe("month=2026-12");
  expect(placeOf({ by: "day" }, day)).toBe("date=2026-12-31");
  const month = placeNamed(dataset, "month=2026-12");
  expect(month).toEqual(periodAt({ interval: "1h" }, day.from));
});

test("the name of a file is its state", () => {
  expect(fileNameOf("open")).toBe("open.parquet");
});

test("no address can leave the directory, and each can be decoded", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
      const value = partitionValue(text);
      expect(value).toMatch(/^[A-Za-z0-9%-][A-Za-z0-9._%-]*$/u);
      expect(decodeURIComponent(value)).toBe(text);
    }),
  );
});

test("short candles have a file per day, others one per month", () => {
  const noon = Date.parse("2026-12-31T12:00:00Z") / 1000;
  expect(periodAt(dataset, noon).name).toBe("date=2026-12-31");
  expect(periodAt({ interval: "1h" }, noon)).toEqual({
    name: "month=2026-12",
    from: Date.parse("2026-12-01T00:00:00Z") / 1000,
    to: Date.parse("2027-01-01T00:00:00Z") / 1000,
  });
});

test("periods are adjacent and cover the range", () => {
  const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: 1, max: 40_000_000 }), fc.boolean(), (from, length, isMonthly) => {
      const kind = { interval: isMonthly ? ("6h" as const) : ("5m" as const) };
      const periods = periodsBetween(kind, from, from + length);
      for (const [index, period] of periods.entries()) {
        expect(periods[index + 1]?.from ?? period.to).toBe(period.to);
        expect(placeNamed(kind, period.name)).toEqual(period);
      }
      expect(periods[0]?.from).toBeLessThanOrEqual(from);
      expect(periods.at(-1)?.to).toBeGreaterThanOrEqual(from + length);
    }),
    { numRuns: 30 },
  );
});

test.each(["date=2026-02-30", "month=2026-13", "date=2026-11-20.bak", "rows", "date="])(
  "%s is not a period of daily files",
  (name) => {
    expect(placeNamed({ interval: undefined }, name)).toBeUndefined();
  },
);

const DAY = 86_400;

const period = periodAt({ interval: undefined }, Date.parse("2026-11-20T12:00:00Z") / 1000);
const footer: Footer = {
  v: 1,
  kind: "transactions",
  network: "ethereum",
  pool: "0x1",
  period: { from: period.from, to: period.to },
  state: "rows",
  settled_to: period.to,
  unsettled: 0,
  read_at: period.to + 90_000,
  total: 3,
  total_at: period.to + 90_000,
  rows: 3,
  rows_sha256: "00",
  first: { id: "a" },
  last: null,
  tokens: ["0xa"],
  lost: [{ from: period.from, to: period.to, why: "reach", seen_at: period.to }],
  spilled: { amount_0: 1 },
  service: "the sandbox, --seed 1",
  dexdata: "0.1.0",
};

test("a footer is read as it was written, and times are readable", () => {
  const text = writeFooter(footer);
  expect(readFooters("rows.parquet", text)).toEqual([footer]);
  expect(JSON.parse(text)).toMatchObject({ settled_to: "2026-11-21T00:00:00Z", lost: [{ why: "reach" }] });
});

test.each([undefined, "", "{}", '{"v":2}', writeFooter(footer).replace("2026-11-21T00:00:00Z", "yesterday")])(
  "%s is not a footer",
  (text) => {
    expect(readFooters("rows.parquet", text)).toBeUndefined();
  },
);

test("a file in the place of another one is noticed", () => {
  const own: Dataset = {
    ...dataset,
    kind: "transactions",
    network: "ethereum",
    address: "0x1",
    interval: undefined,
  };
  expect(foreignRows([footer], own, period)).toBeUndefined();
  expect(foreignRows([footer], { ...own, address: "0x2" }, period)).toBe("rows whose pool is not 0x2");
  expect(foreignRows([footer], { ...own, network: "base" }, period)).toBe("rows whose network is not base");
  expect(foreignRows([footer], { ...own, kind: "ohlcv", interval: "1h" }, period)).toBe(
    "rows whose kind is not ohlcv",
  );
  const ownTime = "rows from 2026-11-20T00:00:00Z to 2026-11-21T00:00:00Z";
  for (const place of [-DAY, DAY].map((away) => periodAt({ interval: undefined }, period.from + away)))
    expect(foreignRows([footer], own, place)).toBe(ownTime);
  const longer = { ...footer, period: { ...footer.period, to: period.to + DAY } };
  expect(foreignRows([longer], own, period)).toContain("to 2026-11-22T00:00:00Z");
  const next = { ...footer, period: { from: period.to, to: period.to + DAY } };
  const before = periodAt({ interval: "24h" }, period.from - 31 * DAY);
  expect(foreignRows([footer, next], own, before)).toBe(
    "rows from 2026-11-20T00:00:00Z to 2026-11-22T00:00:00Z",
  );
});
