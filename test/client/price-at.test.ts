import { describe, expect, test } from "vitest";
import { divideDecimals, parseExactDecimal } from "../../src/base/json/exact-decimal.ts";
import {
  ageAt,
  candlesFor,
  nextBlock,
  type PricedCandle,
  type PriceRule,
  reasonOfTime,
  resolveBlock,
  type WantedPrice,
} from "../../src/client/timed-legs.ts";
import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";

const interval = 3600;
const noon = Date.parse("2026-11-20T12:00:00Z") / 1000;
const rule = (changes: Partial<PriceRule> = {}): PriceRule => ({
  rule: "before",
  interval,
  maxAge: 86_400,
  now: noon + 86_400,
  asOf: noon + 86_400,
  ...changes,
});

describe("which candle prices a time", () => {
  test.each([
    ["before", noon, -1],
    ["before", noon - 1, -2],
    ["before", noon + 3599, -1],
    ["before", noon + 0.5, -1],
    ["open", noon, 0],
    ["open", noon - 1, -1],
    ["open", noon + 3599, 0],
  ] as const)("%s at %d: the one %d hours from noon", (name, at, hours) => {
    expect(candlesFor(at, rule({ rule: name })).newest).toBe(noon + hours * interval);
  });

  test("the oldest one closed exactly --max-age before the time", () => {
    const { oldest } = candlesFor(noon, rule({ maxAge: 7200 }));
    expect(oldest).toBe(noon - 3 * interval);
    expect(ageAt(noon, { opens: oldest }, rule())).toBe(7200);
    expect(candlesFor(noon + 1, rule({ maxAge: 7200 })).oldest).toBe(noon - 2 * interval);
  });

  test("the age is 0 if the candle contains the time", () => {
    expect(ageAt(noon + 10, { opens: noon }, rule({ rule: "open" }))).toBe(0);
  });

  test("times after now, and after the newest response", () => {
    const late = { now: noon + 100, asOf: noon + 40 };
    expect(reasonOfTime(noon + 101, rule(late))).toBe("in_future");
    expect(reasonOfTime(noon + 100, rule(late))).toBe("too_recent");
    expect(reasonOfTime(noon + 41, rule(late))).toBe("too_recent");
    expect(reasonOfTime(noon + 40, rule(late))).toBeUndefined();
    // The candle that contains the time is not over.
    expect(reasonOfTime(noon, rule({ ...late, rule: "open" }))).toBe("too_recent");
    expect(reasonOfTime(noon - 1, rule({ ...late, rule: "open" }))).toBeUndefined();
  });
});

/** Prices the times as the pull does, and counts the requests. */
function price(
  times: readonly number[],
  candles: readonly PricedCandle[],
  by: PriceRule,
  most: number,
  reach: number,
) {
  const prices = new Map<number, number | string>();
  let rest: readonly WantedPrice[] = times.map((at, leg) => ({ leg, ...candlesFor(at, by) }));
  let requests = 0;
  for (;;) {
    for (const { leg } of rest.filter(({ newest }) => newest < reach)) prices.set(leg, "outside_plan");
    rest = rest.filter(({ newest }) => newest >= reach);
    if (rest.length === 0) return { prices: times.map((_, leg) => prices.get(leg)), requests };
    const block = nextBlock(rest, { interval, most, reach });
    const isAllowed = (block.to - block.from) / interval < most && block.from >= reach && requests < 1000;
    if (!isAllowed) throw new Error(`request ${requests} from ${block.from} to ${block.to}`);
    const answer = candles.filter(({ opens }) => opens >= block.from && opens <= block.to);
    const resolved = resolveBlock(rest, block, answer, interval);
    for (const { leg, candle } of resolved.found) prices.set(leg, candle.opens);
    for (const { leg } of resolved.none) prices.set(leg, "no_trade");
    ({ rest } = resolved);
    requests += 1;
  }
}

/** What the definition says, for one time, from all candles. */
function model(at: number, candles: readonly PricedCandle[], by: PriceRule, reach: number): number | string {
  const closed = candles.filter(({ opens }) => (by.rule === "open" ? opens <= at : opens + interval <= at));
  const fresh = closed.filter(({ opens }) => at - (opens + interval) <= by.maxAge && opens >= reach);
  const newest = fresh.at(-1)?.opens;
  if (newest !== undefined) return newest;
  const first = Math.ceil((at - by.maxAge) / interval) * interval - interval;
  return first < reach ? "outside_plan" : "no_trade";
}

test("random times, candles, plans and rules: the same as the definition, one time after the other", () => {
  const hours = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 120 });
  const seconds = fc.array(fc.integer({ min: 0, max: 400 * interval }), { minLength: 1, maxLength: 40 });
  const rules = fc.record({
    rule: fc.constantFrom("before" as const, "open" as const),
    maxAge: fc.integer({ min: interval, max: 60 * interval }),
  });
  fc.assert(
    fc.property(
      hours,
      seconds,
      rules,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: -100, max: 400 }),
      (open, at, given, most, from) => {
        const candles = [...new Set(open)]
          .toSorted((a, b) => a - b)
          .map((hour) => ({ opens: hour * interval, close: "1", volume: "1" }));
        const [by, reach] = [rule(given), from * interval];
        const { prices } = price(at, candles, by, most, reach);
        expect(prices).toEqual(at.map((time) => model(time, candles, by, reach)));
      },
    ),
    { numRuns: isLong ? 5000 : 200 },
  );
});

test("with a candle in each interval, there are as few requests as possible", () => {
  const candles = Array.from({ length: 500 }, (_, hour) => ({
    opens: (hour - 50) * interval,
    close: "1",
    volume: "1",
  }));
  const hours = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(hours, fc.integer({ min: 1, max: 60 }), (at, most) => {
      // Times that are at least `most` hours after the one before cannot share its request.
      let [apart, last] = [0, Number.NEGATIVE_INFINITY];
      for (const hour of at.toSorted((a, b) => a - b))
        if (hour - last >= most) [apart, last] = [apart + 1, hour];
      const { requests } = price(
        at.map((hour) => hour * interval),
        candles,
        rule(),
        most,
        Number.NEGATIVE_INFINITY,
      );
      expect(requests).toBe(apart);
    }),
  );
});

describe("quotients", () => {
  test.each([
    ["1", "3", `0.${"3".repeat(34)}`],
    ["2", "3", `0.${"6".repeat(33)}7`],
    ["3000.5", "1", "3000.5"],
    ["1e-9", "4", "0.00000000025"],
    ["6e22", "3", "20000000000000000000000"],
    ["-1", "8", "-0.125"],
    ["0", "7", "0"],
    [`${"9".repeat(34)}5`, "10", `1${"0".repeat(34)}`],
  ])("%s / %s is %s", (one, other, quotient) => {
    expect(divideDecimals(one, other, 34)).toBe(quotient);
  });

  test("there is none by zero, or of what is not a number", () => {
    expect(divideDecimals("1", "0.00", 34)).toBeUndefined();
    expect(divideDecimals("null", "1", 34)).toBeUndefined();
  });

  test("random ones are off by at most half a unit of the last of 34 digits", () => {
    const number = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 25n }), fc.integer({ min: -30, max: 10 }));
    fc.assert(
      fc.property(number, number, ([a, x], [b, y]) => {
        const text = divideDecimals(`${a}e${x}`, `${b}e${y}`, 34) ?? "";
        const { digits, exponent } = parseExactDecimal(text) ?? { digits: "", exponent: 0 };
        expect(digits.length).toBeLessThanOrEqual(34);
        // As integers: |q * b - a| * 2 <= unit * b, all times 10^80.
        const q = BigInt(digits) * 10n ** BigInt(80 + exponent - (x - y));
        const unit = 10n ** BigInt(80 + exponent - (34 - digits.length) - (x - y));
        const difference = q * b - a * 10n ** 80n;
        expect((difference < 0n ? -difference : difference) * 2n <= unit * b).toBe(true);
      }),
      { numRuns: isLong ? 5000 : 200 },
    );
  });
});
