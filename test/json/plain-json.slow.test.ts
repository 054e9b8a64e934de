import { describe, expect, test } from "vitest";
import { ByteScan } from "../../src/base/json/byte-scan.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";

const plain = (text: string): boolean => {
  const bytes = Buffer.from(text);
  // Embedded in other bytes, as in a chunk: none of those may be read.
  const isPlain = new ByteScan(Buffer.from(`1\n${text}\n1`)).isPlain(2, 2 + bytes.length);
  if (new ByteScan(bytes).isPlain(0, bytes.length) !== isPlain) throw new Error("its neighbors are read");
  return isPlain;
};

test.each([
  "{}",
  "[]",
  "0",
  "-0",
  "true",
  "null",
  '""',
  '"a b\\n\\u00e9\\"\\\\\\/"',
  "1.10",
  "-12.5e-3",
  "1E+9",
  "123456789012345678901234567890",
  '{"a":1,"b":[],"c":{},"d":[1,"x",{"e":null}],"f":{"g":{"h":false}}}',
  '[[[]],[{}],{"":[0]}]',
  '{"a":1,"a":2}',
])("plain line: %s", (text) => {
  expect(plain(text)).toBe(true);
});

test.each([
  "",
  " ",
  "{",
  "}",
  "[1",
  "[1,]",
  "[,1]",
  "[1,,2]",
  "[1 ,2]",
  "{} ",
  " {}",
  "{}{}",
  "1,2",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,"a":1}',
  "{a:1}",
  "{'a':1}",
  '{"a":1]',
  '["a":1]',
  "[1}",
  "01",
  "-",
  "+1",
  ".5",
  "1.",
  "1.e3",
  "1e",
  "1e+",
  "0x10",
  "NaN",
  "tru",
  "truex",
  "nul",
  '"',
  '"a',
  '"\\',
  '"\\x41"',
  '"\\u12"',
  '"\\u12g4"',
  '"a\nb"',
  '"a\tb"',
  '"\x7f"',
  '"é"',
  '"\u202e"',
  "1\0",
])("not plain, or not certainly: %j", (text) => {
  expect(plain(text)).toBe(false);
});

test("up to two hundred levels are checked, more are left to JSON.parse", () => {
  expect(plain("[".repeat(201) + "1" + "]".repeat(201))).toBe(true);
  expect(plain('{"a":'.repeat(201) + "1" + "}".repeat(201))).toBe(true);
  expect(plain("[".repeat(202) + "1" + "]".repeat(202))).toBe(false);
});

describe("compared with JSON.parse", () => {
  const pieces = '{ } [ ] , : " \\ "a" "a": 1 -1 0 01 1.5 1e5 . e true false null \\u0041 x'.split(" ");
  const runs = isLong ? 2_000_000 : 200_000;

  test("accepted texts are compact JSON; rejected simple texts are not", () => {
    let taken = 0;
    for (let seed = 1; seed <= runs; seed++) {
      const random = createRandom(seed * 2_654_435_761);
      const count = 1 + Math.floor(random() * 9);
      const text = Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join("");
      if (plain(text) !== isJson(text)) expect.fail(`seed ${seed}: ${text} is ${plain(text)}`);
      if (plain(text)) taken += 1;
    }
    expect(taken).toBeGreaterThan(runs / 1000);
  });

  test("the same applies to every text with one byte changed", () => {
    const text = '{"address":"0xc02a\\u0041","p":"2145.78","n":[-1.5e-7,0,{"b":true}],"t":1764000000}';
    for (let at = 0; at < text.length; at++) {
      for (let code = 0x20; code < 0x7f; code++) {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        const isSpaced = code === 0x20 && !changed.includes("\\ ") && isJson(changed) && !plain(changed);
        if (!isSpaced && plain(changed) !== isJson(changed)) expect.fail(changed);
      }
    }
    expect(plain(text)).toBe(true);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
