import { expect, test } from "vitest";
import { type AlikeJson, createAlikeJson } from "../../src/model/json/alike-json.ts";
import { isPlainJson } from "../../src/model/json/plain-json.ts";
import { viewOf } from "../../src/model/json/same-bytes.ts";
import { isLong } from "../harness/long.ts";
import { createRandom } from "../harness/random.ts";

/** Of the text where it stands inside of others: its length where it is known, else -1. */
function lengthOf(alike: AlikeJson, text: string): number {
  const bytes = Buffer.from(`1${text}\n{}`);
  const end = alike.endAt(bytes, viewOf(bytes), 1);
  return end < 0 ? end : end - 1;
}

function learn(alike: AlikeJson, text: string): boolean {
  const bytes = Buffer.from(`1${text}\n{}`);
  return alike.learn(bytes, 1, bytes.length - 3);
}

function learned(...texts: readonly string[]): AlikeJson {
  const alike = createAlikeJson();
  for (const text of texts) expect(learn(alike, text)).toBe(true);
  return alike;
}

const price = (value: string, time: string): string =>
  `{"address":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","price":${value},"list":[${time},{}],"is":true}`;

test("values that have changed once may be any others, those that have not may not", () => {
  const alike = learned(price('"1.10"', "1"), price('"1.20"', "1"), price('"1.20"', "2"));
  for (const text of [price('"12345.67890"', "176400"), price("null", '"a \\" b"'), price("-1e5", "0")])
    expect(lengthOf(alike, text)).toBe(text.length);
  expect(lengthOf(alike, price("1", "1").replace("0xc0", "0xc1"))).toBe(-1);
});

test("before anything was learned nothing is known, and what is no plain JSON is not learned", () => {
  const alike = createAlikeJson();
  expect(lengthOf(alike, "{}")).toBe(-1);
  for (const text of ["", "{", '{"a": 1}', '"é"']) expect(learn(alike, text)).toBe(false);
  expect(lengthOf(alike, "")).toBe(-1);
});

test("a text of another shape takes the place of the one before", () => {
  const alike = learned('{"a":1,"b":2}', '{"a":3,"b":2}', '{"a":[],"b":2}');
  expect(lengthOf(alike, '{"a":[],"b":2}')).toBe(14);
  expect(lengthOf(alike, '{"a":4,"b":2}')).toBe(-1);
});

test("of texts that are never like the one before, few are kept to compare others with", () => {
  const alike = createAlikeJson();
  for (let number = 0; number < 20; number += 1) learn(alike, `{"${number}":1}`);
  expect(lengthOf(alike, '{"19":1}')).toBe(-1);
  expect(lengthOf(alike, '{"15":1}')).toBe(8);
  for (let number = 20; number < 40; number += 1) learn(alike, `{"${number}":1}`);
  expect(lengthOf(alike, '{"35":1}')).toBe(8);
});

test("whatever one or two bytes of a text are changed to, what is known is plain JSON", () => {
  const first = price('"2145.78"', "1764000000");
  const alike = learned(first, price('"2145.79"', "1764000001"));
  const random = createRandom(7);
  let known = 0;
  for (let turn = 0; turn < (isLong ? 2_000_000 : 200_000); turn += 1) {
    const text = Buffer.from(first);
    for (let change = 0; change < 1 + (turn % 2); change += 1)
      text[Math.floor(random() * text.length)] = Math.floor(random() * 256);
    const bytes = Buffer.concat([text, Buffer.from("\n")]);
    const end = alike.endAt(bytes, viewOf(bytes), 0);
    if (end === text.length) known += 1;
    if (end >= 0 && !isPlainJson(text, 0, end)) expect.fail(text.toString("latin1"));
  }
  expect(known).toBeGreaterThan(1000);
});
