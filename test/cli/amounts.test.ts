import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import type { Param } from "../../src/model/param.ts";
import { readParam } from "../../src/model/read-param.ts";
import { isLong } from "../harness/long.ts";

const param: Param = {
  name: "liquidity_usd_min",
  place: "query",
  required: false,
  help: "",
  flag: "liquidity-usd-min",
  kind: { kind: "amount" },
};
const whole: Param = { ...param, kind: { kind: "integer", min: 0 } };

/** What goes on the wire; undefined where it is refused. */
function read(what: Param, typed: string): string | undefined {
  try {
    return readParam(what, typed, 0);
  } catch (cause) {
    expect(cause).toBeInstanceOf(Failure);
    return undefined;
  }
}

const PLACES = 40;

/** The value in units of 10⁻⁴⁰, exactly; undefined for what is no amount. */
function exactly(typed: string): bigint | undefined {
  const power = BigInt({ k: 3, m: 6, b: 9 }[typed.slice(-1).toLowerCase()] ?? 0);
  const number = typed.slice(typed.startsWith("-") ? 1 : 0, power === 0n ? undefined : -1);
  const [digits = "", fraction = "0", ...more] = number.split(".");
  if (![digits, fraction].every((part) => /^[0-9]+$/u.test(part)) || more.length > 0) return undefined;
  const value =
    (BigInt(digits) * 10n ** BigInt(PLACES) + BigInt(fraction.padEnd(PLACES, "0"))) * 10n ** power;
  return typed.startsWith("-") ? -value : value;
}

const typedTexts = fc.oneof(
  fc.stringMatching(/^-?\d{0,30}(?:\.\d{0,30})?[kmbKMB]?$/u),
  fc.stringMatching(/^-?0{0,3}\d{0,3}\.0{0,9}\d{0,3}[kmb]?$/u),
  fc.stringMatching(/^[-+.,_ \dekmbx]{0,8}$/u),
);

test("any amount goes out as its exact value in plain digits, and what is none is refused", () => {
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

test("a whole number with k, m or b goes out as its exact value, and never with a point", () => {
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
