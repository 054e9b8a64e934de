import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import { parseExact } from "../../src/base/json/exact-json.ts";
import { collectGarbage } from "../harness/collect-garbage.ts";
import { BROKEN, samples, withinASecond } from "./json-samples.ts";

test.each([
  ["4272800710322643001", 4272800710322643001n],
  [" -4272800710322643001\n", -4272800710322643001n],
  ["[1,4272800710322643001]", [1, 4272800710322643001n]],
  ['{"a" : 4272800710322643001 }', { a: 4272800710322643001n }],
  ['{"a":{"b":[[123456789012345678901234567890]]}}', { a: { b: [[123456789012345678901234567890n]] } }],
  ["[1000000000000000,999999999999999]", [1000000000000000n, 999999999999999]],
  [
    "[1.10,1e-9,-0,1234567890123456.5,1234567890123456e2]",
    [1.1, 1e-9, -0, 1234567890123456.5, 123456789012345600],
  ],
  [
    "[12345678901234567.25,-12345678901234567.25,12345678901234568.0]",
    ["12345678901234567.25", "-12345678901234567.25", 12345678901234568],
  ],
  [
    '["4272800710322643001","a:4272800710322643001,","\\"",4272800710322643001]',
    ["4272800710322643001", "a:4272800710322643001,", '"', 4272800710322643001n],
  ],
  ['{"a":1,"a":4272800710322643001}', { a: 4272800710322643001n }],
  ['{"4272800710322643001":4272800710322643001}', { "4272800710322643001": 4272800710322643001n }],
])("%s keeps its digits", (text, value) => {
  expect(parseExact(text)).toStrictEqual(value);
});

test("__proto__ is an own property and changes no prototype", () => {
  const parsed = parseExact('{"__proto__":4272800710322643001,"a":{"__proto__":{"b":4272800710322643001}}}');
  expect(parsed).toHaveProperty("a");
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  expect(Object.entries(Object(parsed))[0]).toEqual(["__proto__", 4272800710322643001n]);
});

test("an integer of millions of digits is left to JSON.parse", () => {
  expect(withinASecond(() => parseExact(`[${"9".repeat(3_000_000)},4272800710322643001]`))).toEqual([
    Number.POSITIVE_INFINITY,
    4272800710322643001n,
  ]);
  expect(parseExact("1".repeat(999))).toBe(BigInt("1".repeat(999)));
});

test("without long integers it is JSON.parse, for any document", () => {
  fc.assert(
    fc.property(samples(), ({ text }) => {
      expect(withoutBigints(parseExact(text))).toEqual(JSON.parse(text));
    }),
    { numRuns: 1000 },
  );
});

test("every long integer keeps all its digits in any context", () => {
  const bigs = fc.bigInt({ min: 10n ** 15n, max: 10n ** 40n });
  const parts = fc.array(fc.oneof(samples(), bigs), { minLength: 1 });
  fc.assert(
    fc.property(parts, (list) => {
      const text = `[${list.map((part) => (typeof part === "bigint" ? String(part) : part.text)).join(",")}]`;
      const expected = list.map((part) => (typeof part === "bigint" ? part : parseExact(part.text)));
      expect(parseExact(text)).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ...BROKEN,
  "[01234567890123456789]",
  "{1234567890123456:1}",
  "{ 1234567890123456 :1}",
  "[1234567890123456,{1234567890123456 :1}]",
  "[1234567890123456 1]",
  '["a"1234567890123456]',
  "[-]",
  "[1234567890123456",
  "tru1234567890123456",
  "\u00a01234567890123456",
])("%j is rejected, as by JSON.parse", (text) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(() => parseExact(text)).toThrow(SyntaxError);
});

test("rejects exactly what JSON.parse rejects", () => {
  const texts = fc.array(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      " ",
      '"a"',
      '"',
      "\\",
      "1234567890123456",
      "-",
      "0",
      ".5",
      "null",
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(texts, (tokens) => {
      const text = tokens.join("");
      expect(fails(() => parseExact(text))).toBe(fails(() => JSON.parse(text)));
    }),
    { numRuns: 20_000 },
  );
});

test.each([
  ["nested arrays", `${"[".repeat(100_000)}4272800710322643001${"]".repeat(100_000)}`],
  ["nested objects", `${'{"a":'.repeat(100_000)}4272800710322643001${"}".repeat(100_000)}`],
  ["many long integers", `[${"4272800710322643001,".repeat(200_000)}1]`],
])("%s: no overflow, and within a second", (_name, text) => {
  collectGarbage();
  withinASecond(() => parseExact(text));
});

function fails(parse: () => unknown): boolean {
  try {
    parse();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return true;
  }
}

/** Random doubles may also be written as long integers; those must be the same number. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBigints(member)]));
}
