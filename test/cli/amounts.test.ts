import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { type Param, query } from "../../src/api/param.ts";
import { readParam } from "../../src/api/read-param.ts";
import { isLong } from "../harness/long.ts";

const param = query("liquidity_usd_min", { kind: "amount" }, "");
const whole: Param = { ...param, kind: { kind: "integer", min: 0 } };

/** Returns the value as sent to the service; undefined if it is rejected. */
function read(what: Param, typed: string): string | undefined {
  try {
    return readParam(what, typed, 0);
  } catch (cause) {
    expect(cause).toBeInstanceOf(Failure);
    return undefined;
  }
}

/** More digits than 30 decimal places with the exponent -999 require. */
const PLACES = 1100;

/** Returns the exact value in units of 10⁻¹¹⁰⁰; undefined if the text is not an amount. */
function exactly(typed: string): bigint | undefined {
  const unit = { k: 3, m: 6, b: 9 }[typed.slice(-1).toLowerCase()];
  const [number = "", exponent = "0", ...others] =
    unit === undefined ? typed.toLowerCase().split("e") : [typed.slice(0, -1), String(unit)];
  const power = /^[+-]?[0-9]+$/u.test(exponent) ? Number(exponent) : Number.NaN;
  const [digits = "", fraction = "0", ...more] = number.slice(number.startsWith("-") ? 1 : 0).split(".");
  if (![digits, fraction].every((part) => /^[0-9]+$/u.test(part)) || more.length > 0) return undefined;
  if (others.length > 0 || !(Math.abs(power) < 1000)) return undefined;
  const value = BigInt(digits + fraction) * 10n ** BigInt(PLACES - fraction.length + power);
  return typed.startsWith("-") ? -value : value;
}

const typedTexts = fc.oneof(
  fc.stringMatching(/^-?\d{0,30}(?:\.\d{0,30})?[kmbKMB]?$/u),
  fc.stringMatching(/^-?0{0,3}\d{0,3}\.0{0,9}\d{0,3}[kmb]?$/u),
  fc.stringMatching(/^-?\d{0,30}(?:\.\d{0,30})?[eE][+-]?\d{0,4}$/u),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.stringMatching(/^[-+.,_ \dekmbx]{0,8}$/u),
);

test("sends every amount as its exact value in plain digits, and rejects anything else", () => {
  fc.assert(
    fc.property(typedTexts, (typed) => {
      const sent = read(param, typed);
      const value = exactly(typed);
      expect(sent === undefined ? undefined : exactly(sent)).toBe(value);
      if (sent !== undefined) expect(sent).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/u);
    }),
    { numRuns: isLong ? 200_000 : 2000 },
  );
});

test("sends a whole number with k, m or b as its exact value, without a decimal point", () => {
  fc.assert(
    fc.property(typedTexts, (typed) => {
      const sent = read(whole, typed);
      if (sent === undefined) return;
      expect(sent).toMatch(/^(?:0|[1-9]\d*)$/u);
      expect(exactly(sent)).toBe(exactly(typed));
    }),
    { numRuns: isLong ? 200_000 : 2000 },
  );
});

test.each([
  ["9.1e-13", "0.00000000000091"],
  ["1e6", "1000000"],
  ["1E+6", "1000000"],
  ["-2.50e1", "-25"],
  ["1.234567890123456789e9", "1234567890.123456789"],
  ["5e-324", `0.${"0".repeat(323)}5`],
  ["0e5", "0"],
  ["1e06", "1000000"],
])("sends %s as %s", (typed, sent) => {
  expect(read(param, typed)).toBe(sent);
});

test.each(["1e", "1e1000", "1ek", "1e3k", "e5", "1.e5", "0x1e5", "Infinity", "NaN"])(
  "rejects %s",
  (typed) => {
    expect(read(param, typed)).toBeUndefined();
  },
);
