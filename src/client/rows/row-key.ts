import {
  addBytes,
  addUnit,
  beginHash,
  endHash,
  hashText,
  type TextHash,
} from "../../model/text/text-hash.ts";
import { keyOf } from "./rows.ts";

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const [ZERO, NINE] = [48, 57];
/** 1 for bytes that `JSON.stringify` writes as they came: of a text, of a number. */
const plainInText = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 127 && byte !== BACKSLASH ? 1 : 0));
const plainInNumber = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= ZERO && byte <= NINE ? 1 : 0));
/** Longer integers are not written by `JSON.stringify` as they came. */
const mostDigits = 15;

/** Where the values lie that tell a row from others: from `at` to `end` of the spans a start and an end each, or -1. */
export interface KeyPlace {
  readonly bytes: Buffer;
  readonly spans: readonly number[];
  readonly at: number;
  readonly end: number;
}

/** As `JSON.stringify` writes the values. */
function keyAt({ bytes, spans, at, end }: KeyPlace): string | undefined {
  const parts: (string | undefined)[] = [];
  for (let span = at; span < end; span += 2) {
    const written = spans[span] === -1 ? undefined : bytes.toString("utf8", spans[span], spans[span + 1]);
    parts.push(written === undefined ? undefined : JSON.stringify(JSON.parse(written)));
  }
  return keyOf(parts);
}

/** The hash of the same text, mostly without making it; false where there is none. */
export function hashKeyAt(place: KeyPlace, into: TextHash): boolean {
  const { bytes, spans, at, end } = place;
  beginHash(into);
  let isPlain = at < end;
  for (let span = at; span < end && isPlain; span += 2) {
    if (span > at) addUnit(into, COMMA);
    isPlain = addPlain(bytes, spans[span] ?? -1, spans[span + 1] ?? -1, into);
  }
  const key = isPlain ? undefined : keyAt(place);
  if (isPlain) endHash(into);
  else if (key !== undefined) hashText(key, into);
  return isPlain || key !== undefined;
}

/** False where the value is missing, or may be written otherwise than `JSON.stringify` does. */
function addPlain(bytes: Buffer, from: number, to: number, into: TextHash): boolean {
  if (from === -1) return false;
  const isText = bytes[from] === QUOTE;
  if (!isText && to - from > mostDigits) return false;
  return addBytes(into, bytes, from, to, isText ? plainInText : plainInNumber) === to;
}
