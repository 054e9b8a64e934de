import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { compactJson, escapeJsonText, prettyJson } from "../../src/base/json/json-text.ts";
import { BROKEN, samples, withinASecond } from "./json-samples.ts";

const DEEP = "[".repeat(100_000) + "]".repeat(100_000);

describe("compact", () => {
  test.each([
    [' { "a" : [ 1.10 , -0 ] , "b c" : "d , e" } ', '{"a":[1.10,-0],"b c":"d , e"}'],
    ["[ ]", "[]"],
    ["[1 ]", "[1]"],
    ['{"a" :1}', '{"a":1}'],
    ['{"a": 1}', '{"a":1}'],
    [" 1", "1"],
    ["1\n", "1"],
    ['"a : b"', '"a : b"'],
    ['{"a\\\\":"\\" , [ "}', '{"a\\\\":"\\" , [ "}'],
  ])("%j loses only the whitespace between tokens", (text, compact) => {
    expect(compactJson(text)).toBe(compact);
  });

  test("equals the output of JSON.stringify, for any document", () => {
    fc.assert(
      fc.property(samples(), ({ value, text }) => {
        expect(compactJson(text)).toBe(JSON.stringify(value));
        expect(compactJson(JSON.stringify(value))).toBe(JSON.stringify(value));
      }),
      { numRuns: isLong ? 1000 : 300 },
    );
  });
});

describe("pretty", () => {
  test("adds whitespace between the service's own tokens, and nothing else", () => {
    expect(prettyJson('{"id":4272800710322643001,"l":[1.10,[],{}],"o":{"x":-0,"y":"a,b:{"}}')).toBe(
      '{\n  "id": 4272800710322643001,\n  "l": [\n    1.10,\n    [],\n    {}\n  ],\n  "o": {\n    "x": -0,\n    "y": "a,b:{"\n  }\n}',
    );
    expect(prettyJson("[ ]")).toBe("[]");
    expect(prettyJson(" 1 ")).toBe("1");
  });

  test("starts at the requested depth", () => {
    expect(prettyJson('{"a":[1]}', 4, 1)).toBe('{\n        "a": [\n            1\n        ]\n    }');
  });

  test("equals the output of JSON.stringify with indentation, for any document", () => {
    fc.assert(
      fc.property(samples(), fc.integer({ min: 1, max: 8 }), ({ value, text }, indent) => {
        expect(prettyJson(text, indent)).toBe(JSON.stringify(value, null, indent));
        expect(compactJson(prettyJson(text, indent))).toBe(compactJson(text));
      }),
      { numRuns: isLong ? 1000 : 300 },
    );
  });

  test("keeps a document compact if indentation would take gigabytes", () => {
    expect(withinASecond(() => prettyJson(DEEP.replace("[]", "[ ]")))).toBe(DEEP);
  });
});

describe("escaped", () => {
  const UNSAFE = [
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x180e, 0x180e],
    [0x200b, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xd800, 0xdfff],
    [0xfeff, 0xfeff],
    [0xfff9, 0xfffb],
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe007f],
  ] as const;

  test.each(UNSAFE)("everything from U+%i to U+%i becomes \\uXXXX", (first, last) => {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code);
      // JSON.stringify would escape lone surrogates, so the quotes are added by hand.
      const escaped = escapeJsonText(`["x${character}y"]`);
      expect(escaped).toMatch(/^\["x(?:\\u[\da-f]{4}){1,2}y"\]$/);
      expect(JSON.parse(escaped)).toEqual([`x${character}y`]);
    }
  });

  test.each([
    "",
    '{"a":"Wrapped Ether, 包装以太坊, ünïcödé"}',
    '["🚀❤️👍🏽🇨🇭"]',
    '[\n\t"\u{20000}\u0301",\r 1\n]',
    '["\\u202e\\n"]',
    '["\u3000\u00a0�"]',
  ])("%j is unchanged", (text) => {
    expect(escapeJsonText(text)).toBe(text);
  });

  test("the value is the same as before, for any document", () => {
    fc.assert(
      fc.property(samples(), ({ text }) => {
        const escaped = escapeJsonText(text);
        expect(JSON.parse(escaped)).toEqual(JSON.parse(text));
        expect(escaped).not.toMatch(
          /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u,
        );
      }),
      { numRuns: isLong ? 1000 : 300 },
    );
  });
});

test.each([...BROKEN, "]", "}}}", "]]][", DEEP.slice(1), "[}", "1 2"])(
  "%j is formatted in some way or ends in a SyntaxError",
  (text) => {
    for (const write of [compactJson, prettyJson, escapeJsonText]) {
      try {
        withinASecond(() => write(text));
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    }
  },
);
