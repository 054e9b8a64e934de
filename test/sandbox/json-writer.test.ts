import { expect, test } from "vitest";
import { writeJson } from "../../src/sandbox/wire/json-writer.ts";

test.each([
  ["29: an integer above 2^53 keeps every digit", 4_272_800_710_322_643_001n, "4272800710322643001"],
  ["so does a negative integer", -(2n ** 80n), "-1208925819614629174706176"],
  ["a small number keeps its exponent", 1e-9, "1e-9"],
  [
    "undefined members are omitted",
    { a: undefined, b: null, c: [1, "x", true] },
    '{"b":null,"c":[1,"x",true]}',
  ],
  ["control characters are escaped, bidi marks are not", '\u0007\u202e"', '"\\u0007\u202e\\""'],
])("%s", (_name, value, text) => {
  expect(writeJson(value)).toBe(text);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("%d is not valid JSON and throws", (value) => {
  expect(() => writeJson({ value })).toThrow(/JSON has no/);
});
