import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import {
  type FieldValues,
  parseCondition,
  readNumber,
  type Testable,
} from "../../src/cli/run/alerts/condition.ts";
import { tradeTypes } from "../../src/api/record.ts";
import { compareDecimals } from "../../src/base/json/exact-decimal.ts";
import { Failure } from "../../src/base/failure.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";

const testable: Testable = {
  fields: new Map<string, FieldValues>([
    ["price", "numbers"],
    ["type", tradeTypes],
    ["size_usd", "numbers"],
    ["token.symbol", "texts"],
    ["tokens.0.24h.txns", "numbers"],
  ]),
  hasSeries: true,
};
const parse = (text: string) => parseCondition(text, testable).tests;

/** Whether a row passes all tests. */
const holds = (text: string, row: Readonly<Record<string, string>>): boolean | undefined => {
  const results = parse(text).map(({ field, create }) => create()(row[field], 0));
  return results.includes(false) ? false : results.every((each) => each === true) || undefined;
};

describe("a condition", () => {
  test.each([
    ["price < 3000", "2999.999999999999999999", true],
    ["price < 3000", "3000", false],
    ["price<=3k", "3000.0", true],
    ["price >= 0.1", "0.1000000000000000000000001", true],
    ["price > 1e-7", "0.0000001", false],
    ["price = 2.50", "2.5", true],
    ["price != 2.5", "25e-1", false],
    ["price > 1m", "1000000.1", true],
    ["price >= 1M and price < 1000.5K", "1000000", true],
    ["price > -1b", "-1e9", false],
    ["price = 12345678901234567890123", "12345678901234567890124", false],
    ["price > 0 and price < 3000", "2999.98", true],
    ["price > 0 and price < 3000", "2999.999999999999999999", true],
    ["price > 3000 and price < 4000", "3000", false],
    ["price > 3000 and price < 4000", "3000.01", true],
    ["price > 0 and price < 1", "0.0000000000000000000001234", true],
    ["price > 1e-23 and price < 1", "0.0000000000000000000000001", false],
    ["price > 0 and price < 1e15", "12345678901234", true],
    ["price > -10 and price < 10", "-5", true],
    ["price > 0 and price < 10", "5e3", false],
    ["price > 0 and price < 10", "1.2.3", undefined],
    ["price > -10 and price < 10", "", undefined],
    ["price > 5", "text", undefined],
    ["price > 5", undefined, undefined],
  ])("%s with %s: %s", (text, price, expected) => {
    expect(holds(text, price === undefined ? {} : { price })).toBe(expected);
  });

  test("every element of a list has the fields of the first one", () => {
    const [{ field } = { field: "" }] = parse("tokens.12.24h.txns > 5");
    expect(field).toBe("tokens.12.24h.txns");
    expect(holds("tokens.1.24h.txns > 5", { "tokens.1.24h.txns": "6" })).toBe(true);
    for (const wrong of ["tokens.01.24h.txns > 5", "tokens.1.25h.txns > 5", "price.1 > 5", "1.price > 5"])
      expect(() => parse(wrong)).toThrow("is not a field");
  });

  test("all tests must hold, and texts are equal or not", () => {
    const row = { size_usd: "150000.5", type: "swap", "token.symbol": "WETH" };
    expect(holds("size_usd > 100k and type = swap", row)).toBe(true);
    expect(holds("size_usd > 100k and type != swap", row)).toBe(false);
    expect(holds("price > 1 and type = liquidity", row)).toBe(false);
    expect(holds("token.symbol = WETH and price > 1", row)).toBeUndefined();
    expect(holds("token.symbol = weth", row)).toBe(false);
    expect(holds("token.symbol != 888", row)).toBe(true);
    expect(holds("token.symbol = 100k", { "token.symbol": "100k" })).toBe(true);
    expect(holds("token.symbol = 0xC02a", { "token.symbol": "0xc02A" })).toBe(true);
  });

  test.each([
    ["prise < 3", 1, '"prise" is not a field'],
    ["price ~ 3", 7, '"~" must be'],
    ["price == 3", 7, '"==" must be one of <=, >=, !=, <, >, =, rises'],
    ["price < .5", 9, '".5" is not a number, such as 0.05'],
    ["price < abc", 9, '"abc" is not a number'],
    ["price < 3 or price > 5", 11, '"or" must be "and" or the end'],
    ["price = abc", 9, '"abc" is not a number'],
    ["price > 1e2k", 9, '"1e2k" is not a number'],
    ["type = swop", 8, '"swop" is not a value of type'],
    ["token.symbol > 3", 14, '">" must be = or !=, because this field is text'],
    ["price < 3 and foo = 1", 15, '"foo" is not a field'],
    ["price moves 5 in 1h", 13, '"5" must be a percentage'],
    ["price moves 0% in 1h", 13, '"0%" must be a percentage'],
    ["price rises 5% 1h", 16, '"1h" must be "in" and a duration'],
    ["price falls 150% in 1h", 13, '"150%" must be less than 100%'],
    ["type rises 5% in 1h", 6, '"rises" must be one of <=, >=, !=, <, >, =\n'],
    ['token.symbol = "WETH"', 16, '""WETH"" must not have quotes\n'],
    ["type = 'swap'", 8, "\"'swap'\" must not have quotes\n"],
    ["price falls 5% in 1y", 19, '"1y" must be a duration from 1s to 7d'],
  ])("%j is rejected at column %i", (text, column, problem) => {
    const failure = failureOf(text);
    expect(`${failure?.message}\n`).toContain(`--when "${text}": column ${column}: ${problem}`);
  });

  test.each([
    ["price > 3 && price < 5", 'write "and"'],
    ["price > 3 AND price < 5", 'write "and"'],
    ["price > 3 || price < 1", '"or" is not supported; repeat --when instead'],
    ["price > 3 or price < 1", '"or" is not supported; repeat --when instead'],
    ["price > 3 USD", undefined],
    ["type rises 5% in 1h", "rises, falls and moves work only with numbers of the price feed"],
    ["type = 'swap'", "leave out the quotes"],
    ["price above 3", "did you mean >?"],
    ["type is swap", "did you mean =?"],
    ["price drops 5% in 1h", "e.g. price falls 5% in 1h"],
    ["type changes 5% in 1h", "rises, falls and moves work only with numbers of the price feed"],
    ["price crosses 3", undefined],
  ])("%j: the hint is %j", (text, next) => {
    expect(failureOf(text)?.details.next).toBe(next);
  });

  test.each([
    ["", "must be a field"],
    ["price", "must be one of <=, >=, !=, <, >, =, rises, falls, moves"],
    ["price <", "must be a value"],
    ["price < 3 and", "must be a field"],
    ["price moves", "must be a percentage, such as 5%"],
    ["price moves 5%", 'must be "in" and a duration'],
    ["price moves 5% in", "must be a duration from 1s to 7d, such as 1h"],
  ])("%j is rejected as incomplete", (text, accepted) => {
    expect(failureOf(text)?.message).toBe(`--when "${text}": incomplete; the next part ${accepted}`);
  });
});

function failureOf(text: string): Failure | undefined {
  try {
    parse(text);
    return undefined;
  } catch (cause) {
    if (cause instanceof Failure) return cause;
    throw cause;
  }
}

test("random texts are parsed or rejected, and nothing else happens", () => {
  const random = createRandom(47);
  const parts = [
    "price",
    "type",
    "and",
    "<",
    ">=",
    "!",
    "=",
    "5%",
    "in",
    "1h",
    "moves",
    "1e999999",
    "-",
    ".",
    "k",
    " ",
    "\n",
    "é",
    "\u0000",
    "9".repeat(50),
  ];
  let parsed = 0;
  for (let count = 0; count < (isLong ? 1_000_000 : 5000); count += 1) {
    const words = Array.from(
      { length: 1 + Math.floor(random() * 8) },
      () => parts[Math.floor(random() * parts.length)],
    );
    if (failureOf(words.join(random() < 0.7 ? " " : "")) === undefined) parsed += 1;
  }
  expect(parsed).toBeGreaterThan(0);
});

test("long texts take linear time", () => {
  expect(failureOf("price < 3 and ".repeat(20_000))?.message).toContain("the next part must be a field");
  expect(failureOf("<".repeat(200_000))).toBeInstanceOf(Failure);
});

test("comparisons agree with bc", () => {
  const random = createRandom(11);
  const whole = (most: number): string => {
    const digits = Array.from({ length: 1 + Math.floor(random() * most) }, () => Math.floor(random() * 10));
    return digits.join("").replace(/^0+(?=\d)/u, "");
  };
  const number = (): string => {
    const [most, sign] = [random() < 0.1 ? 1000 : 12, random() < 0.3 ? "-" : ""];
    return `${sign}${whole(most)}${random() < 0.6 ? `.${whole(most)}` : ""}`;
  };
  const pairs = Array.from({ length: isLong ? 100_000 : 2000 }, () => {
    const one = number();
    const draw = random();
    const other = draw < 0.2 ? one : draw < 0.4 ? `${one}${one.includes(".") ? "000" : ".0"}` : number();
    return [one, other] as const;
  });
  const input = pairs.map(([one, other]) => `(${one} > ${other}) - (${one} < ${other})\n`).join("");
  const output = execFileSync("bc", { input, env: { BC_LINE_LENGTH: "0" }, maxBuffer: 1e9 });
  const expected = String(output).trim().split("\n").map(Number);
  const found = pairs.map(([one, other]) => Math.sign(comparison(one, other)));
  expect(found).toEqual(expected);
  // The same with exponents that bc does not read.
  for (const [one, other] of pairs.slice(0, 500)) {
    const exponent = Math.floor((random() - 0.5) * 2e9);
    expect(Math.sign(comparison(`${one}e${exponent}`, `${other}e${exponent}`))).toBe(
      Math.sign(comparison(one, other)),
    );
  }
});

function comparison(one: string, other: string): number {
  const order = compareDecimals(one, readNumber(other) ?? "");
  if (order === undefined) throw new Error(`${one} or ${other} is not a number`);
  return order;
}

describe("a change", () => {
  const change = (text: string) => {
    const [first] = parse(text);
    if (first === undefined) throw new Error("no change");
    return first.create();
  };
  const minutes = (series: ReturnType<typeof change>, prices: readonly string[]) =>
    prices.map((price, minute) => series(price, minute * 60_000));

  test("is unknown until its window is filled, and then compares with the extremes of the window", () => {
    expect(
      minutes(change("price rises 5% in 3m"), ["100", "90", "100", "94.4", "94.5", "94.5", "99.13", "99.2"]),
    ).toEqual([undefined, undefined, undefined, false, true, false, true, false]);
    expect(minutes(change("price falls 5% in 2m"), ["100", "100", "95.01", "95", "95", "95"])).toEqual([
      undefined,
      undefined,
      false,
      true,
      false,
      false,
    ]);
    expect(minutes(change("price moves 10% in 1m"), ["1", "1.1", "0.99", "0.99"])).toEqual([
      undefined,
      true,
      true,
      false,
    ]);
  });

  test.each([
    [
      "rises",
      "0",
      [
        ["0", false],
        ["1e-400", true],
        ["-1", false],
      ],
    ],
    [
      "falls",
      "0.0",
      [
        ["-0", false],
        ["-1", true],
        ["1", false],
      ],
    ],
    [
      "moves",
      "0",
      [
        ["0", false],
        ["1", true],
        ["-1", true],
      ],
    ],
    [
      "rises",
      "-10",
      [
        ["-10", false],
        ["-9.51", false],
        ["-9.5", true],
        ["-11", false],
      ],
    ],
    [
      "falls",
      "-10",
      [
        ["-10", false],
        ["-10.49", false],
        ["-10.5", true],
        ["-9", false],
      ],
    ],
    [
      "moves",
      "-1e-400",
      [
        ["-1e-400", false],
        ["-1.05e-400", true],
        ["-0.95e-400", true],
      ],
    ],
  ] as const)("price %s by a percentage, from %s: %j", (way, first, values) => {
    const found = values.map(([value]) => {
      const series = change(`price ${way} 5% in 1s`);
      series(first, 0);
      series(first, 5000);
      return [value, series(value, 5100)];
    });
    expect(found).toEqual(values);
  });

  test("compares with the value in force when the window starts, even if nothing arrived for long", () => {
    const at = (text: string, values: readonly (readonly [second: number, price: string])[]) => {
      const series = change(text);
      return values.map(([second, price]) => series(price, second * 1000)).at(-1);
    };
    const [flat, later] = [[0.1, "100"] as const, [1, "100"] as const];
    expect(at("price rises 5% in 2s", [flat, later, [6, "106"]])).toBe(true);
    expect(at("price moves 5% in 2s", [flat, later, [6, "106"]])).toBe(true);
    expect(at("price falls 5% in 2s", [flat, later, [6, "95"]])).toBe(true);
    expect(at("price rises 5% in 2s", [flat, [6, "106"], [6.01, "105"]])).toBe(true);
    expect(at("price rises 5% in 2s", [flat, [6, "106"], [8, "106"]])).toBe(false);
    // At the start of the window, the price was 106.
    expect(at("price rises 4% in 2s", [flat, [1, "106"], [6, "104"]])).toBe(false);
    expect(at("price falls 5% in 2s", [flat, [1, "106"], [6, "101"], [6.5, "100"]])).toBe(true);
  });

  test.each([
    ["rises", 105],
    ["falls", 95],
  ] as const)(
    "price %s: agrees with a search of all values, except for a sixtieth of the window",
    (way, part) => {
      const order = way === "rises" ? 1 : -1;
      const random = createRandom(5);
      for (let run = 0; run < 60; run += 1) {
        const series = change(`price ${way} 5% in 6s`);
        const seen: (readonly [time: number, price: number])[] = [];
        for (let time = 0; seen.length < 60; time += Math.floor(random() ** 6 * 9000)) {
          const price = 1000 + Math.floor(random() * 120);
          seen.push([time, price]);
          const reached = series(String(price), time);
          if (reached === undefined) continue;
          const isReached = (window: number): boolean =>
            seen.some(
              ([, value], index) =>
                (seen[index + 1]?.[0] ?? Number.POSITIVE_INFINITY) > time - window &&
                order * (price * 100 - value * part) >= 0,
            );
          const [exact, longer] = [isReached(6000), isReached(6100)];
          expect([exact, longer]).toContain(reached);
        }
      }
    },
  );

  test("goes on if the clock is set back", () => {
    const series = change("price rises 5% in 3m");
    const back = 3_600_000;
    const seen = ["90", "100", "100", "100", "100", "100", "105"].map((price, minute) =>
      series(price, minute * 60_000 - (minute < 2 ? 0 : back)),
    );
    // The time from the second to the third price is unknown, and counts as none.
    expect(seen).toEqual([undefined, undefined, undefined, undefined, true, false, true]);
    expect(series("104.9", 7 * 60_000 - back)).toBe(false);
  });

  test("keeps a bounded number of values, and ignores what is not a number", () => {
    const series = change("price moves 1% in 1h");
    for (let count = 0; count < 20_000; count += 1) series(String(100 + (count % 2) / 10), count * 500);
    expect(series("null", 1e7)).toBeUndefined();
    expect(series("102", 1e7)).toBe(true);
  });
});
