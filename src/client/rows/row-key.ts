import { addBytes, addText, beginHash, endHash, type TextHash } from "../../text/text-hash.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const [ZERO, NINE] = [48, 57];
/** Longer integers are not written by `JSON.stringify` as they came. */
const mostDigits = 15;

/** Where the values of rows lie: a start and an end each, or -1 for one that is missing. */
export interface ValueSpans {
  readonly bytes: Buffer;
  /** Of the same bytes. */
  readonly view: DataView;
  readonly spans: ArrayLike<number>;
  /** Whether a string may have a backslash. */
  readonly hasEscapes: boolean;
}

/**
 * The hash of the values from `at` to `end` of the spans, as `JSON.stringify` writes them, mostly without doing so; false
 * where one is missing, or there are none.
 */
export function hashKeyAt(values: ValueSpans, at: number, end: number, into: TextHash): boolean {
  const { bytes, view, spans, hasEscapes } = values;
  beginHash(into);
  for (let span = at; span < end; span += 2) {
    const from = spans[span] ?? -1;
    const to = spans[span + 1] ?? -1;
    if (from === -1) return false;
    if (isPlain(view, from, to, hasEscapes)) addBytes(into, view, from, to);
    else addText(into, JSON.stringify(JSON.parse(bytes.toString("utf8", from, to))));
  }
  endHash(into);
  return at < end;
}

/** Whether `JSON.stringify` writes the value as it came. */
function isPlain(view: DataView, from: number, to: number, hasEscapes: boolean): boolean {
  if (view.getUint8(from) === QUOTE) return !hasEscapes || !hasBackslash(view, from, to);
  for (let at = from; at < to; at += 1) {
    const byte = view.getUint8(at);
    if (byte < ZERO || byte > NINE) return false;
  }
  return to - from <= mostDigits;
}

/** Four bytes at a time. A backslash becomes 0, and only a 0 from which 1 is taken has its high bit set anew. */
function hasBackslash(view: DataView, from: number, to: number): boolean {
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = view.getInt32(at) ^ backslashes;
    if (((word - ones) & ~word & highBits) !== 0) return true;
  }
  for (; at < to; at += 1) if (view.getUint8(at) === BACKSLASH) return true;
  return false;
}
const backslashes = 0x5c5c5c5c;
const ones = 0x01010101;
const highBits = 0x80808080 | 0;
