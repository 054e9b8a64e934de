import { describe, expect, test } from "vitest";
import { ByteScan } from "../../src/base/json/byte-scan.ts";

/** Returns the index after the number according to the grammar; undefined if the text does not start with one. */
function expectedEnd(text: string): number | undefined {
  const [number = ""] = /^-?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d*)?/u.exec(text) ?? [];
  try {
    JSON.parse(number);
    return number.length;
  } catch {
    return undefined;
  }
}

function foundEnd(bytes: Buffer): number | undefined {
  try {
    return new ByteScan(bytes).endOfValue(0);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

const digits = "90817263549081726354";
const numbers = Array.from({ length: 19 }, (_, index) => digits.slice(0, index + 1)).flatMap((some) => [
  some,
  `-${some}`,
  `0.${some}`,
  `-12.${some}`,
  `1e${some.slice(0, 2)}`,
  `${some}.5E-07`,
]);

/** Bytes that a number may contain, and bytes that differ from a digit in half of their bits. */
const bytesWithin = Buffer.from("0189.-+eE,} \0*/:?@py\u0080\u00b0\u00b9\u00f0\u00f3\u00f9", "latin1");

describe("a number in bytes", () => {
  test("ends where its grammar ends, with any byte inside and at any distance from the end of the text", () => {
    const wrong: string[] = [];
    for (const number of numbers) {
      for (const rest of ["", ",", "}],", ',"a":"b"}]}']) {
        const text = `${number}${rest}`;
        for (let at = 0; at < number.length; at += 1) {
          for (const byte of bytesWithin) {
            const bytes = Buffer.from(text);
            bytes[at] = byte;
            const odd = bytes.toString("latin1");
            // Skip bytes that start another kind of value.
            if (!/^[-\d]/u.test(odd)) continue;
            if (foundEnd(bytes) !== expectedEnd(odd)) wrong.push(odd);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test("never extends past a byte that is invalid in UTF-8", () => {
    const [most] = numbers.toSorted((a, b) => b.length - a.length);
    for (let at = 1; at < (most ?? "").length; at += 1) {
      for (let byte = 250; byte < 256; byte += 1) {
        const bytes = Buffer.from(most ?? "");
        bytes[at] = byte;
        expect(foundEnd(bytes) ?? 0).toBeLessThanOrEqual(at);
      }
    }
  });
});
