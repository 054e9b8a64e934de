/** All simulated data derives from these hashes. `Math.imul` is fast and the same on every machine. */

const GOLDEN = 0x9e3779b1;
const TO_UNIT = 2 ** -32;

/** The finalizer of MurmurHash3, a bijection on 32-bit integers that `unmix` inverts. */
export function mix(value: number): number {
  let word = value | 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}

export function unmix(value: number): number {
  let word = value | 0;
  word = Math.imul(word ^ (word >>> 16), 0x7ed1b41d);
  word = Math.imul(word ^ (word >>> 13) ^ (word >>> 26), 0xa5cb9243);
  return word ^ (word >>> 16);
}

/** A signed 32-bit integer. */
export function hash(key: number, value: number): number {
  return mix(key ^ Math.imul(value + 1, GOLDEN));
}

export function hashText(key: number, text: string): number {
  let word = key | 0;
  for (let index = 0; index < text.length; index += 1) {
    word = Math.imul(word ^ text.charCodeAt(index), 0x01000193) ^ (word >>> 15);
  }
  return mix(word);
}

/** Converts a 32-bit integer to a number with 0 <= number < 1. */
export function toUnit(word: number): number {
  return (word >>> 0) * TO_UNIT;
}

/** 0 <= number < 1. */
export function unitAt(key: number, value: number): number {
  return toUnit(hash(key, value));
}

/** An integer with 0 <= number < count. */
export function belowAt(key: number, value: number, count: number): number {
  return Math.floor(unitAt(key, value) * count);
}

export function pickAt<Item>(key: number, value: number, items: readonly [Item, ...Item[]]): Item {
  return items[belowAt(key, value, items.length)] ?? items[0];
}
