import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { fromWire, toWire } from "../../src/base/time/time.ts";
import { candleWindow, restOf, slicesOf } from "../../src/client/candle-windows.ts";

const { assert, constantFrom, integer, property, record } = fc;

const seconds: Readonly<Record<string, number>> = {
  "1m": 60,
  "5m": 300,
  "10m": 600,
  "15m": 900,
  "30m": 1800,
  "1h": 3600,
  "6h": 21_600,
  "12h": 43_200,
  "24h": 86_400,
};

const window = (interval: string, start: string, end: string): ReturnType<typeof candleWindow> =>
  candleWindow(
    new Map([
      ["interval", interval],
      ["start", start],
      ["end", end],
    ]),
  );

/** Returns the opening time of each candle in [start, end), as the reference for the slices. */
function openings(start: string, end: string, interval: number): readonly number[] {
  const [from, to] = [fromWire(start), fromWire(end)];
  const opens: number[] = [];
  let at = Math.ceil((from.seconds + (from.fraction === "" ? 0 : 1)) / interval) * interval;
  for (; at < to.seconds || (at === to.seconds && to.fraction !== ""); at += interval) opens.push(at);
  return opens;
}

describe("the slices of a time range", () => {
  const bound = record({
    seconds: integer({ min: -400_000_000, max: 2_000_000_000 }),
    fraction: constantFrom("", "", "5", "000000001"),
  });

  test("cover it once, with a limited number of candles each and inner edges on the epoch grid", () => {
    assert(
      property(
        constantFrom(...Object.keys(seconds)),
        bound,
        integer({ min: 1, max: 2500 }),
        integer({ min: 0, max: 86_399 }),
        integer({ min: 1, max: 1000 }),
        (interval, from, candles, beyond, most) => {
          const length = seconds[interval] ?? 0;
          const start = toWire(from);
          const end = toWire({ seconds: from.seconds + candles * length + (beyond % length), fraction: "" });
          const slices = [...slicesOf(window(interval, start, end), most)];

          expect(slices[0]?.start).toBe(start);
          expect(slices.at(-1)?.end).toBe(end);
          expect(slices.findIndex((slice) => slice.end === end)).toBe(slices.length - 1);
          // One call of expect() for all slices: thousands would take most of the time.
          const wrong = slices.filter((slice, index) => {
            const { opening, touched, end: edge } = slice;
            const next = slices[index + 1];
            const isSound =
              opening <= most &&
              opening === openings(slice.start, edge, length).length &&
              touched - opening <= 1;
            const isFull = opening === most && Math.abs(fromWire(edge).seconds % length) === 0;
            return !isSound || (next !== undefined && (next.start !== edge || !isFull));
          });
          expect(wrong).toEqual([]);
          const all = slices.flatMap((slice) => openings(slice.start, slice.end, length));
          expect(all).toEqual(openings(start, end, length));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("a time range in which no candle opens is one slice with one candle", () => {
    expect([...slicesOf(window("1h", "1795163400", "1795163401"), 1000)]).toEqual([
      { start: "1795163400", end: "1795163401", interval: 3600, opening: 0, touched: 1 },
    ]);
  });

  test("the rest of a slice starts at the interval after the last candle, and is empty at the end of the slice", () => {
    const [slice] = slicesOf(window("1h", "1795163400", "1795200000"), 1000);
    if (slice === undefined) throw new Error("a window has a slice");
    // 1795165200 is a full hour; candles may also open off the grid.
    for (const last of [1_795_165_200, 1_795_165_201, 1_795_168_799])
      expect(restOf(slice, last)).toEqual({ ...slice, start: "1795168800", opening: 9, touched: 9 });
    expect(restOf(slice, 1_795_197_600)).toBeUndefined();
  });
});

describe("a time range with too many candles", () => {
  const most = 50_000_000 * 60;

  test("is rejected with the number of candles", () => {
    expect(() => window("1m", "0", String(most + 1))).toThrow(Failure);
    expect(() => window("1m", "0", String(most + 1))).toThrow(
      "the time range contains 50,000,001 1m candles",
    );
    expect(() => window("1m", "0", String(most))).not.toThrow();
  });

  test("is sliced lazily: the largest accepted range uses no memory", () => {
    const slices = slicesOf(window("1m", "0", String(most)), 1000);
    expect(slices.next().value).toMatchObject({ start: "0", end: "60000" });
  });
});
