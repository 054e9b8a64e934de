import { describe, expect, onTestFinished, test, vi } from "vitest";
import { addBytes, addText, beginHash, endHash, type TextHash } from "../../src/base/text/text-hash.ts";
import { createSeenKeys, recentKeys } from "../../src/client/seen-keys.ts";

const hashOf = (...texts: string[]): TextHash => {
  const hash = { high: 0, low: 0 };
  beginHash(hash);
  for (const text of texts) addText(hash, text);
  endHash(hash);
  return hash;
};
const hashOfBytes = (view: DataView, from: number, to: number): TextHash => {
  const hash = { high: 0, low: 0 };
  beginHash(hash);
  addBytes(hash, view, from, to);
  endHash(hash);
  return hash;
};
const keys = (from: number, count: number): TextHash[] =>
  Array.from({ length: count }, (_, index) =>
    hashOf(`"0x${(from + index).toString(16).padStart(64, "0")}",0`),
  );

test("bytes have the hash of their text at any offset and length", () => {
  const bytes = Buffer.from('"0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640",17,"日本円"');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let from = 0; from < 5; from += 1) {
    for (let to = from; to <= bytes.length - 10; to += 1)
      expect(hashOfBytes(view, from, to)).toEqual(hashOf(bytes.toString("utf8", from, to)));
  }
  expect(hashOfBytes(view, 0, bytes.length)).toEqual(hashOf(bytes.toString()));
});

test("a hash does not depend on an earlier hash in the same object", () => {
  const hash = hashOf("another");
  beginHash(hash);
  addText(hash, "text");
  endHash(hash);
  expect(hash).toEqual(hashOf("text"));
});

test("texts that differ in one character, in its position, or in where they are split have different hashes", () => {
  const alphabet = "0123456789abcdef";
  const near = Array.from({ length: 40 }, (_, at) =>
    Array.from(alphabet, (digit) => `${"0".repeat(at)}${digit}${"0".repeat(39 - at)}`),
  ).flat();
  const lengths = Array.from({ length: 300 }, (_, length) => "0".repeat(length));
  const texts = [...new Set([...near, ...lengths])];
  expect(new Set(texts.map((text) => JSON.stringify(hashOf(text)))).size).toBe(texts.length);
  const parts = Array.from({ length: 12 }, (_, at) => [
    "abcdefghijkl".slice(0, at),
    "abcdefghijkl".slice(at),
  ]);
  expect(new Set(parts.map((both) => JSON.stringify(hashOf(...both)))).size).toBe(parts.length);
});

test("each half depends on every bit", () => {
  const bytes = Buffer.from('"0x88e6a0c2ddd26feeb64f039a2c41296"');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const { high, low } = hashOfBytes(view, 0, bytes.length);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flip = (): void => view.setUint8(bit >> 3, view.getUint8(bit >> 3) ^ (1 << (bit & 7)));
    flip();
    const flipped = hashOfBytes(view, 0, bytes.length);
    flip();
    expect([flipped.high === high, flipped.low === low]).toEqual([false, false]);
  }
});

describe("keys of seen rows", () => {
  test.each(["all", "recent"] as const)("%s: each is new once", (reach) => {
    const seen = createSeenKeys(reach, false);
    const some = keys(0, 10_000);
    expect(some.every((key) => seen.add(key))).toBe(true);
    expect(some.some((key) => seen.add(key))).toBe(false);
    expect(keys(10_000, 10).every((key) => seen.add(key))).toBe(true);
  });

  test("all: 100,000 keys that differ only in one digit or in their number are distinct, also after growing", () => {
    const seen = createSeenKeys("all", false);
    const many = keys(1, 100_000);
    expect(many.filter((key) => !seen.add(key))).toEqual([]);
    expect(many.filter((key) => seen.add(key))).toEqual([]);
  });

  test("recent: the last keys are remembered after any number of others, and old keys are not", () => {
    const seen = createSeenKeys("recent", false);
    const many = keys(0, 5 * recentKeys);
    for (const key of many) seen.add(key);
    expect(many.slice(-recentKeys).some((key) => seen.add(key))).toBe(false);
    expect(many.slice(0, 1).every((key) => seen.add(key))).toBe(true);
  });

  test.each(["all", "recent"] as const)("%s: another run continues with the recorded keys", (reach) => {
    const first = createSeenKeys(reach, true);
    const [early, late] = [keys(0, 3000), keys(3000, 2000)];
    for (const key of early) first.add(key);
    const added = [first.takeAdded()];
    for (const key of [...early, ...late]) first.add(key);
    added.push(first.takeAdded());
    // Eight bytes each, and no key that was recorded before.
    expect(added.map((text) => Buffer.from(text, "base64").length)).toEqual([24_000, 16_000]);
    expect(first.takeAdded()).toBe("");

    const second = createSeenKeys(reach, true);
    for (const text of added) second.restore(text);
    expect([...early, ...late].some((key) => second.add(key))).toBe(false);
    expect(second.takeAdded()).toBe("");
    expect(second.add(hashOf("another"))).toBe(true);
  });

  test.each(["all", "recent"] as const)("%s: a text with the hash 0 is new once", (reach) => {
    const [seen, zero] = [createSeenKeys(reach, false), { high: 0, low: 0 }];
    endHash(zero);
    expect([zero, seen.add(zero), seen.add(zero)]).toEqual([{ high: 0, low: 1 }, true, false]);
  });

  test.each(["all", "recent"] as const)("%s: one half of any number of hashes may be 0", (reach) => {
    const seen = createSeenKeys(reach, true);
    const halves = Array.from({ length: 500 }, (_, index) => [
      { high: 0, low: index * 40_503 + 1 },
      { high: (index + 2) * 40_503, low: 0 },
    ]).flat();
    expect(halves.filter((hash) => !seen.add(hash))).toEqual([]);
    expect(halves.filter((hash) => seen.add(hash))).toEqual([]);
    const later = createSeenKeys(reach, false);
    later.restore(seen.takeAdded());
    expect(halves.filter((hash) => later.add(hash))).toEqual([]);
  });

  test("keys are recorded only if requested", () => {
    const seen = createSeenKeys("all", false);
    seen.add(hashOf("a"));
    expect(seen.takeAdded()).toBe("");
  });

  test("140,000 keys take at most 1.68 MB", () => {
    let taken = 0;
    const Counted = class extends Int32Array {
      constructor(length: number) {
        super(length);
        taken = this.byteLength;
      }
    };
    onTestFinished(() => void vi.unstubAllGlobals());
    vi.stubGlobal("Int32Array", Counted);
    const seen = createSeenKeys("all", false);
    for (let index = 0; index < 140_000; index += 1) seen.add(hashOf(`"0x${index.toString(16)}","ethereum"`));
    expect(seen.add(hashOf('"0x0","ethereum"'))).toBe(false);
    expect(taken).toBeGreaterThan(1_120_000);
    expect(taken).toBeLessThanOrEqual(1_680_000);
  });
});
