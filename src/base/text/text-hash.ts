/** Reused because an object per row is too slow, and signed because V8 stores unsigned 32-bit words as doubles. */
export interface TextHash {
  high: number;
  low: number;
}

/** A text as UTF-8, within other bytes. */
export interface TextBytes {
  readonly view: DataView;
  readonly from: number;
  readonly to: number;
}

export function toBytes(text: string): TextBytes {
  const bytes = Buffer.from(text);
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), from: 0, to: bytes.length };
}

/** The two words are never both 0. */
export function hashText(text: string, into: TextHash): void {
  beginHash(into);
  addText(into, text);
  endHash(into);
}

/** As 16 hexadecimal digits. */
export function hashOfText(text: string): string {
  const hash: TextHash = { high: 0, low: 0 };
  hashText(text, hash);
  return [hash.high, hash.low].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

export function beginHash(into: TextHash): void {
  into.low = 0x811c9dc5 | 0;
  into.high = 0x9e3779b9 | 0;
}

export function addText(into: TextHash, text: string): void {
  const { view, from, to } = toBytes(text);
  addBytes(into, view, from, to);
}

/**
 * Adds the UTF-8 bytes of a text to two hashes. Multiplication carries each change to higher bits, and the shift
 * carries it back to lower bits, differently in each hash, so no single word can cancel a change in both.
 */
export function addBytes(into: TextHash, view: DataView, from: number, to: number): void {
  let { high, low } = into;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = view.getInt32(at);
    low = Math.imul(low ^ word, 0x9e3779b1);
    low ^= low >>> 15;
    high = Math.imul(high ^ word, 0x85ebca6b);
    high ^= high >>> 13;
  }
  let rest = to - from;
  for (; at < to; at += 1) rest = (rest << 8) | view.getUint8(at);
  into.low = Math.imul(low ^ rest, 0x9e3779b1);
  high = Math.imul(high ^ rest, 0x85ebca6b);
  into.high = high ^ (high >>> 13);
}

export function endHash(into: TextHash): void {
  const low = Math.imul(into.low ^ (into.low >>> 16), 0xc2b2ae35);
  const high = Math.imul(into.high ^ (into.high >>> 15), 0x27d4eb2f);
  into.high = high ^ (high >>> 16);
  into.low = low ^ (low >>> 13);
  if (into.high === 0 && into.low === 0) into.low = 1;
}
