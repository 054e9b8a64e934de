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
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high ^= high >>> 13;
  }
  low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 15), 0x27d4eb2f);
  into.high = high ^ (high >>> 16);
  into.low = low ^ (low >>> 13);
  if (into.high === 0 && into.low === 0) into.low = 1;
}
