/**
 * 32-bit integer hashing, from which all simulated data is derived. `Math.imul` takes nanoseconds and returns the same
 * result on every machine. Any value can be computed without computing the previous ones.
 */

const GOLDEN = 0x9e3779b1;
const TO_UNIT = 2 ** -32;

/** The finalizer of MurmurHash3. It is a bijection on 32-bit integers, so `unmix` can invert it. */
export function mix(value: number): number {
  let word = value | 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}

/** The inverse of `mix`. */
export function unmix(value: number): number {
  let word = value | 0;
  word = Math.imul(word ^ (word >>> 16), 0x7ed1b41d);
  word = Math.imul(word ^ (word >>> 13) ^ (word >>> 26), 0xa5cb9243);
  return word ^ (word >>> 16);
}

/** Returns the number at index `value` of the stream identified by `key`, as a signed 32-bit integer. */
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

/** Returns the number at index `value` of the stream, with 0 <= number < 1. */
export function unitAt(key: number, value: number): number {
  return toUnit(hash(key, value));
}

/** Returns the number at index `value` of the stream as an integer with 0 <= number < count. */
export function belowAt(key: number, value: number, count: number): number {
  return Math.floor(unitAt(key, value) * count);
}

export function pickAt<Item>(key: number, value: number, items: readonly [Item, ...Item[]]): Item {
  return items[belowAt(key, value, items.length)] ?? items[0];
}
