import { addBytes, addText, beginHash, endHash, type TextHash } from "../../text/text-hash.ts";

const QUOTE = 34;
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

/** Whether `JSON.stringify` certainly writes the value as it came. */
function isPlain(view: DataView, from: number, to: number, hasEscapes: boolean): boolean {
  if (view.getUint8(from) === QUOTE) return !hasEscapes;
  for (let at = from; at < to; at += 1) {
    const byte = view.getUint8(at);
    if (byte < ZERO || byte > NINE) return false;
  }
  return to - from <= mostDigits;
}
