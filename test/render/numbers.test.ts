import { fc } from "../harness/properties.ts";
import { describe, expect, it } from "vitest";
import { type ExactDecimal, writeDecimal } from "../../src/base/json/exact-decimal.ts";
import { readDecimal } from "../../src/cli/render/values/decimal.ts";
import {
  showAmount,
  showChange,
  showCount,
  showPercent,
  showPrice,
  showWholeAmount,
} from "../../src/cli/render/values/decimal.ts";

function decimal(value: number | bigint | string): ExactDecimal {
  const read = readDecimal(value);
  if (read === undefined) throw new Error(`not a number: ${value}`);
  return read;
}

function table(
  name: string,
  show: (decimal: ExactDecimal) => string,
  rows: readonly (readonly [number | bigint | string, string])[],
): void {
  describe(name, () => {
    it.each(rows)("%s is shown as %s", (value, text) => {
      expect(show(decimal(value))).toBe(text);
    });
  });
}

table("a price", (price) => showPrice(price), [
  [0, "0"],
  ["0.000", "0"],
  [-0, "0"],
  [1, "1.0000"],
  [2.5, "2.5000"],
  [1.0002, "1.0002"],
  [999.99999, "1,000.00"],
  ["233.8201620378884", "233.8202"],
  [1000, "1,000.00"],
  [63123.456, "63,123.46"],
  [1234567.891, "1,234,567.89"],
  [0.99957, "0.99957"],
  [0.99999, "0.99999"],
  [0.5, "0.50000"],
  [0.00000734512, "0.0000073451"],
  [1e-18, "0.0000000000000000010000"],
  [1.23456e-18, "0.0000000000000000012346"],
  [1e21, "1,000,000,000,000,000,000,000.00"],
  ["-1234567890123456789012345678901234567890.5", "-1.2346e39"],
  [-0.00034, "-0.00034000"],
  [-2981.7723, "-2,981.77"],
  ["4272800710322643001", "4,272,800,710,322,643,001.00"],
  ["1E-7", "0.00000010000"],
]);

table("a price in a wide table", (price) => showPrice(price, 8), [
  ["2981.2201620378884", "2,981.2202"],
  [63123.45678912, "63,123.457"],
  [123456789.987, "123,456,789.99"],
  [0.0000033538412345, "0.0000033538412"],
  [1, "1.00"],
]);

table("a price on a terminal", (price) => showPrice(price, undefined, true), [
  ["0.00000000012344", "0.0₉12344"],
  ["0.00012345", "0.00012345"],
  ["0.000012345", "0.0₄12345"],
  ["0.00009999999", "0.00010000"],
  ["-0.00001", "-0.0₄10000"],
  ["1.5e-123", "0.0₁₂₂15000"],
  [0, "0"],
  [2981.7723, "2,981.77"],
]);

table("an amount", showAmount, [
  [0, "0"],
  [0.0001, "<0.01"],
  [-0.0001, "-<0.01"],
  [0.004999, "<0.01"],
  [0.52, "0.52"],
  [12, "12"],
  [12.5, "12.50"],
  [999.994, "999.99"],
  [999.999, "1.00K"],
  [1000, "1.00K"],
  [945123, "945K"],
  [999499, "999K"],
  [999500, "1.00M"],
  [12_400_000, "12.4M"],
  [412_345_678.12, "412M"],
  [9_999_979_509_174_084n, "10,000T"],
  [1.5e12, "1.50T"],
  [123e15, "123,000T"],
  ["999499999999999999999999", "999,000,000,000T"],
  ["-1234567890123456789012345", "-1.2346e24"],
  ["1e30", "1.0000e30"],
  [-12_345, "-12.3K"],
]);

table("an amount in a wide table", showWholeAmount, [
  [456789012.3, "456,789,012.30"],
  [9_999_979_509_174_084n, "9,999,979,509,174,084"],
  [0.000123456, "0.00012"],
  [0, "0"],
]);

table("a count", showCount, [
  [0, "0"],
  [999, "999"],
  [268772, "268,772"],
  [4272800710322643001n, "4,272,800,710,322,643,001"],
]);

table("a percentage without direction", showPercent, [
  [0.3, "0.3%"],
  [0.05, "0.05%"],
  [0.005, "0.005%"],
  [0.025, "0.025%"],
  [0.0583291, "0.05833%"],
  [1, "1%"],
  [0, "0%"],
]);

table("a change", showChange, [
  [0, "0.00%"],
  [1.2345, "+1.23%"],
  [-7.99, "-7.99%"],
  [0.004, "+<0.01%"],
  [-0.0000001, "-<0.01%"],
  [0.005, "+0.01%"],
  [999.994, "+999.99%"],
  [4123.4, "+4,123%"],
  [-99.999, "-100.00%"],
  [12_345_678, "+12.3M%"],
]);

describe("any number", () => {
  it("is formatted with the same value and without an exponent", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = writeDecimal(decimal(value));
        expect(text).toMatch(/^-?\d+(?:\.\d+)?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it("other than zero has a price other than zero, within a thousandth of it or half a unit of its last digit", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-30, max: 1e12, noNaN: true }), (value) => {
        const text = showPrice(decimal(value));
        expect(text).not.toMatch(/^[0.]+$/);
        for (const roomy of [undefined, 8]) expect(showPrice(decimal(value), roomy, true)).toMatch(/[1-9]/u);
        const error = Math.abs(Number(text.replaceAll(",", "")) - value);
        // The difference of two doubles is itself inexact, by an ulp of the greater one.
        const inexact = value * Number.EPSILON;
        expect(error).toBeLessThanOrEqual((value >= 1000 ? 0.005 : value * 0.0005) + inexact);
      }),
    );
  });

  it.each(["", "abc", "1.", ".5", "0x10", "1e999999999", "NaN", "Infinity", "1 000", "9".repeat(401)])(
    "is not %s",
    (text) => {
      expect(readDecimal(text)).toBeUndefined();
    },
  );
});
