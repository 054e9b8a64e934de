import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { shiftDecimal, sumDecimals } from "../../src/base/json/exact-decimal.ts";
import { createTokenAmounts } from "../../src/cli/commands/pull/trades.ts";
import { textRows } from "../../src/client/rows.ts";
import { cutAnswer } from "../harness/cut-answer.ts";
import { fc } from "../harness/properties.ts";
import { isLong } from "../harness/long.ts";
import { tradeSize, typeOfTrade } from "../../src/api/endpoints/pool-transactions.ts";

const amounts = fc.tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.nat({ max: 36 }));
const roundAmounts = fc
  .tuple(fc.bigInt({ min: -9999n, max: 9999n }), fc.nat({ max: 30 }), fc.nat({ max: 36 }))
  .map(([digits, zeros, decimals]) => [digits * 10n ** BigInt(zeros), decimals] as const);

/** Returns the digits as an integer of 10^-`decimals` units; fails for any other text than a plain decimal. */
function unitsOf(text: string, decimals: number): bigint {
  const [, sign, whole = "", fraction = ""] = /^(-?)(0|[1-9]\d*)(?:\.(\d*[1-9]))?$/u.exec(text) ?? [];
  expect(whole, text).not.toBe("");
  expect(fraction.length).toBeLessThanOrEqual(decimals);
  const units = BigInt(whole + fraction.padEnd(decimals, "0"));
  return sign === "-" ? -units : units;
}

const hasBc = spawnSync("bc", ["--version"]).status === 0;
if (!hasBc)
  console.warn("\n!! LEFT OUT: bc is not installed, so amounts in tokens were not compared with it\n");

describe("an amount in tokens", () => {
  test("has all digits, in the shortest form", () => {
    fc.assert(
      fc.property(fc.oneof(amounts, roundAmounts), ([raw, decimals]) => {
        expect(unitsOf(shiftDecimal(String(raw), -decimals) ?? "", decimals)).toBe(raw);
      }),
      { numRuns: isLong ? 100_000 : 2000 },
    );
  });

  test.skipIf(!hasBc)(hasBc ? "agrees with bc" : "was not compared with bc: apt-get install bc", () => {
    const count = isLong ? 100_000 : 5000;
    const cases = fc.sample(fc.oneof(amounts, roundAmounts), { numRuns: count, seed: 5 });
    const script = cases.map(([raw, decimals]) => `${raw}/10^${decimals}`).join("\n");
    const bc = spawnSync("bc", {
      input: `scale=36\n${script}\n`,
      env: { ...process.env, BC_LINE_LENGTH: "0" },
      maxBuffer: 2 ** 28,
    });
    expect(bc.error).toBeUndefined();
    const lines = bc.stdout.toString().trimEnd().split("\n");
    expect(lines).toHaveLength(count);
    for (const [index, line] of lines.entries()) {
      const [raw = 0n, decimals = 0] = cases[index] ?? [];
      // bc writes .5 for 0.5, and zeros at the end.
      const plain = line.replace(/(\.\d*?)0+$/u, "$1").replace(/\.$/u, "");
      expect(shiftDecimal(String(raw), -decimals)).toBe(plain.replace(/^(-?)(?=\.|$)/u, "$10"));
    }
  });

  test("may be sent with an exponent or a fraction, and may be no number", () => {
    const texts = ["1.5e3", "-12.50", "0", "-0", "1e-3", "abc", "", "null", "1e99999"];
    expect(texts.map((text) => shiftDecimal(text, -2))).toEqual([
      "15",
      "-0.125",
      "0",
      "0",
      "0.00001",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test("a sum has all digits", () => {
  expect(sumDecimals(["0.1", "0.2", "1e-20"])).toBe("0.30000000000000000001");
  expect(sumDecimals(["9007199254740993", "1"])).toBe("9007199254740994");
  expect(sumDecimals(["-5", "5"])).toBe("0");
  expect(sumDecimals([])).toBe("0");
  expect(sumDecimals(["1", "x"])).toBeUndefined();
  expect(sumDecimals(["1e999999999"])).toBeUndefined();
});

test("opposite signs are a swap, equal signs are liquidity, and a missing or zero amount is neither", () => {
  const signs = [-1, 0, 1, Number.NaN];
  const types = signs.map((first) => signs.map((second) => typeOfTrade(first, second)));
  expect(types).toEqual([
    ["liquidity", "?", "swap", "?"],
    ["?", "?", "?", "?"],
    ["swap", "?", "liquidity", "?"],
    ["?", "?", "?", "?"],
  ]);
});

test("a swap is as large as the mean of its sides, liquidity as their sum, and unknown without a price", () => {
  expect(tradeSize("swap", 10, 12)).toBe(11);
  expect(tradeSize("liquidity", 10, 12)).toBe(22);
  // An add of one token only.
  expect(tradeSize("?", 10, 0)).toBe(10);
  expect(tradeSize("swap", 10, undefined)).toBeUndefined();
});

describe("fields added to a row", () => {
  const decimalsOf = (token: unknown) => new Map<unknown, number>([["a", 2]]).get(token) ?? undefined;
  const row = (rest: string) => `{"id":"x","token_0":"a","token_1":"b",${rest}}`;
  const swap = '"amount_0":"-150","amount_1":7,"price_0_usd":2,"price_1_usd":3';

  test("follow those of the service, whether rows are bytes or text", () => {
    const rows = [row(swap), row('"amount_0":null,"amount_1":-3'), row('"other":1')];
    const body = Buffer.from(`{"list":[${rows.join(",")}]}`);
    const cut = cutAnswer(body, "list", { identity: ["id"] });
    const parsed = rows.map((text) => ({ row: text, value: Object(JSON.parse(text)) }));
    const wanted = [
      `${row(swap).slice(0, -1)},"amount_0_tokens":"-1.5","amount_1_tokens":null,"size_usd":null,"type":"swap"}`,
      `${row('"amount_0":null,"amount_1":-3').slice(0, -1)},"amount_0_tokens":null,"amount_1_tokens":null,"size_usd":null,"type":"?"}`,
      row('"other":1'),
    ];
    const add = createTokenAmounts(decimalsOf);
    for (const source of [cut?.rows, textRows(parsed)]) {
      const added = source && add(source);
      expect(added?.texts()).toEqual(wanted);
      expect(added?.values()).toEqual(wanted.map((text): unknown => JSON.parse(text)));
      expect(added?.keep([false, true, false]).texts()).toEqual([wanted[1]]);
    }
  });

  test("read a price as a number or as a string, like tables", () => {
    const sizeOf = (price: string) => {
      const json = row(`"amount_0":-150,"amount_1":150,"price_0_usd":${price},"price_1_usd":${price}`);
      const text = json.replaceAll('"b"', '"a"');
      return createTokenAmounts(decimalsOf)(
        textRows([{ row: text, value: Object(JSON.parse(text)) }]),
      ).values();
    };
    for (const [price, size] of [
      ["2", 3],
      ['"2"', 3],
      ['""', null],
      ['"x"', null],
    ] as const)
      expect(sizeOf(price)).toMatchObject([{ size_usd: size }]);
  });

  test("use the decimals of each row's own tokens", () => {
    const rows = ["a", "b", "a"].map((token) => `{"id":1,"token_0":"${token}","token_1":"a","amount_0":100}`);
    const body = Buffer.from(`{"list":[${rows.join(",")}]}`);
    const cut = cutAnswer(body, "list", { identity: ["id"] });
    const texts = cut && createTokenAmounts(decimalsOf)(cut.rows).texts();
    expect(texts?.map((text) => /"amount_0_tokens":([^,]*)/u.exec(text)?.[1])).toEqual([
      '"1"',
      "null",
      '"1"',
    ]);
  });
});
