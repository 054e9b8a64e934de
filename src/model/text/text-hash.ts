/**
 * The 64-bit hash of the text hashed last, as two signed words: an object for each row would cost more than the row, and
 * unsigned ones, which V8 keeps as doubles, as much.
 */
export interface TextHash {
  high: number;
  low: number;
}

/** Two independent 32-bit multiplicative hashes over UTF-16 units; never both 0. */
export function hashText(text: string, into: TextHash): void {
  beginHash(into);
  for (let index = 0; index < text.length; index += 1) addUnit(into, text.charCodeAt(index));
  endHash(into);
}

/** The same unit by unit, for a text that stands somewhere else. */
export function beginHash(into: TextHash): void {
  into.low = 0x811c9dc5 | 0;
  into.high = 0x9e3779b9 | 0;
}

export function addUnit(into: TextHash, unit: number): void {
  into.low = Math.imul(into.low ^ unit, 0x01000193);
  const high = Math.imul(into.high ^ unit, 0x85ebca6b);
  into.high = high ^ (high >>> 13);
}

/**
 * The same of bytes that are a unit each, as long as `isPlain` has 1 for them. Where the first stands that it has not, or
 * `to`.
 */
export function addBytes(
  into: TextHash,
  bytes: Uint8Array,
  from: number,
  to: number,
  isPlain: Uint8Array,
): number {
  // As addUnit, but in registers.
  let { high, low } = into;
  let at = from;
  for (; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isPlain[byte] !== 1) break;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte, 0x85ebca6b);
    high ^= high >>> 13;
  }
  into.high = high;
  into.low = low;
  return at;
}

export function endHash(into: TextHash): void {
  const low = Math.imul(into.low ^ (into.low >>> 16), 0xc2b2ae35);
  const high = Math.imul(into.high ^ (into.high >>> 15), 0x27d4eb2f);
  into.high = high ^ (high >>> 16);
  into.low = low ^ (low >>> 13);
  if (into.high === 0 && into.low === 0) into.low = 1;
}
