import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { ByteScan, UnsupportedByScanner } from "../../src/base/json/byte-scan.ts";
import { BROKEN, samples, withinASecond } from "./json-samples.ts";

/** Returns the end of the only value in the text; undefined if the text is rejected. */
function endOf(text: string): number | undefined {
  const bytes = Buffer.from(text);
  const scan = new ByteScan(bytes);
  try {
    return scan.skipBlanks(scan.endOfValue(scan.skipBlanks(0)));
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const accepts = (text: string): boolean => endOf(text) === Buffer.byteLength(text);

const LONE = /\p{Surrogate}/u;

describe("a scan of JSON in bytes", () => {
  test("ends at the end of any value", () => {
    fc.assert(
      fc.property(samples(), ({ text }) => {
        expect(endOf(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  test.each([
    ...BROKEN,
    "01",
    "-",
    "1.",
    ".5",
    "1e",
    "1e+",
    "+1",
    "tru",
    "nul",
    '"\\x"',
    '"\\u12g4"',
    '"\t"',
  ])("rejects %j as JSON.parse does", (text) => {
    expect({ parsed: isJson(text), walked: accepts(text) }).toEqual({ parsed: false, walked: false });
  });

  test("agrees with JSON.parse on every text with one character changed, added or removed", () => {
    const characters = fc.constantFrom(
      ...('{}[]:,"\\ \n\t0123456789.eE+-truefalsn/bu\u0001\u007fé'.match(/./gsu) ?? []),
    );
    const edits = fc.tuple(samples(), fc.nat(), fc.nat(2), characters);
    fc.assert(
      fc.property(edits, ([{ text }, place, kept, character]) => {
        const at = place % (text.length + 1);
        const edited =
          text.slice(0, at) + (kept === 2 ? "" : character) + text.slice(kept === 0 ? at : at + 1);
        // Half a surrogate pair has no byte representation: it would become another text.
        fc.pre(!LONE.test(edited));
        expect(accepts(edited)).toBe(isJson(edited));
      }),
      { numRuns: isLong ? 3000 : 1000 },
    );
  });

  test("reports whitespace between tokens and the tokens with non-ASCII characters", () => {
    const seen = (text: string): object => {
      const scan = new ByteScan(Buffer.from(text));
      scan.endOfValue(0);
      return { hasBlanks: scan.hasBlanks, wide: scan.wide };
    };
    expect(seen('{"a, b":[1,"x y"]}')).toEqual({ hasBlanks: false, wide: [] });
    expect(seen('{"a": 1}')).toEqual({ hasBlanks: true, wide: [] });
    expect(seen('["é",1,"日"]')).toEqual({ hasBlanks: false, wide: [1, 5, 8, 13] });
    expect(seen('["\u007f"]')).toEqual({ hasBlanks: false, wide: [1, 4] });
  });

  test("rejects thousands of nesting levels, and scans a megabyte in linear time", () => {
    expect(() => endOf("[".repeat(5000))).toThrow(UnsupportedByScanner);
    const long = `["${"\\n".repeat(500_000)}",${"1,".repeat(250_000)}2]`;
    expect(withinASecond(() => endOf(long))).toBe(long.length);
  });
});
