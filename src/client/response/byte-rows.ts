import { isUtf8 } from "node:buffer";
import {
  ByteScan,
  UnsupportedByScanner,
  type Visit,
  areSame,
  followPattern,
  type Pattern,
} from "../../base/json/byte-scan.ts";
import { isSafeJson } from "../../base/json/json-text.ts";
import { addBytes, addText, beginHash, endHash, type TextHash } from "../../base/text/text-hash.ts";
import { parseRow, type Rows } from "../rows.ts";

/** The rows were located but not parsed. */
export interface CutAnswer {
  /** The response with an empty array in place of the rows. */
  readonly envelope: object;
  readonly rows: Rows;
}

/** Stores only positions: one object per row would account for more than half of a page's garbage. */
interface RowList {
  readonly fields: readonly string[];
  /** The number of leading fields that identify a row. */
  readonly keyed: number;
  /** The number of leading fields that a mark contains. */
  readonly marked: number;
  /** For each row, its start and end, then those of each field's value; -1 if the field is missing. */
  readonly spans: readonly number[];
  readonly bytes: Buffer;
  readonly view: DataView;
  /** No token is followed by white space. */
  readonly isCompact: boolean;
  /** The start and end of each string with characters other than printable ASCII. */
  readonly wide: readonly number[];
}

const NEWLINE = 10;
const QUOTE = 34;
const [ZERO, NINE] = [48, 57];
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
/** Longer integers may be changed by `JSON.stringify`. */
const maxDigits = 15;

/** Returns undefined if the response is malformed or unexpected; the caller then parses it as text to see why. */
type AnswerCutter = (body: Uint8Array) => CutAnswer | undefined;

export interface Noted {
  readonly identity: readonly string[];
  readonly timeField?: string | undefined;
  /** Other fields to locate. A mark does not contain them. */
  readonly indexedFields?: readonly string[] | undefined;
}

/** `name` is the member that contains the rows; undefined if the response is a list. */
export function createAnswerCutter(
  name: string | undefined,
  { identity, timeField, indexedFields = [] }: Noted,
): AnswerCutter {
  const marks = new Set([...identity, ...(timeField === undefined ? [] : [timeField])]);
  const fields = [...new Set([...marks, ...indexedFields])];
  const noted = { fields, keyed: identity.length, marked: marks.size };
  const names = fields.map((field) => Buffer.from(field));
  const member = name === undefined ? undefined : Buffer.from(name);
  return (body) => {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    try {
      return cut(bytes, member, names, noted);
    } catch (cause) {
      if (cause instanceof SyntaxError || cause instanceof UnsupportedByScanner) return undefined;
      throw cause;
    }
  };
}

function cut(
  bytes: Buffer,
  name: Uint8Array | undefined,
  names: readonly Uint8Array[],
  noted: Pick<RowList, "fields" | "keyed" | "marked">,
): CutAnswer | undefined {
  const scan = new ByteScan(bytes);
  const begin = scan.skipBlanks(0);
  let list: RowList | undefined;
  let [from, to] = [0, 0];
  let isWide = false;
  const cutRows = (value: number): number => {
    // If two members have this name, JSON.parse uses the last one.
    if (bytes[value] !== OPEN_ARRAY || list !== undefined) throw new UnsupportedByScanner();
    isWide = scan.wide.length > 0;
    [scan.wide, scan.hasBlanks] = [[], false];
    const spans: number[] = [];
    [from, to] = [value, scan.endOfArray(value, 1, createRowWalk(scan, names, spans))];
    const { view, hasBlanks, wide } = scan;
    list = { ...noted, spans, bytes, view, isCompact: !hasBlanks, wide };
    scan.wide = [];
    return to;
  };
  if (name !== undefined && bytes[begin] !== OPEN_OBJECT) return undefined;
  const end =
    name === undefined
      ? cutRows(begin)
      : scan.endOfObject(begin, 0, (key, value) => (scan.isNamed(key, name) ? cutRows(value) : undefined));
  if (list === undefined || scan.skipBlanks(end) !== bytes.length) return undefined;
  if ((isWide || list.wide.length > 0 || scan.wide.length > 0) && !isUtf8(bytes)) return undefined;
  const envelope: object = JSON.parse(`${bytes.toString("utf8", 0, from)}[]${bytes.toString("utf8", to)}`);
  return { envelope, rows: byteRows(list) };
}

/** Finds the end of a row from its start, and records the positions of the row and its fields. */
function createRowWalk(
  scan: ByteScan,
  names: readonly Uint8Array[],
  spans: number[],
): (start: number) => number {
  const stride = 2 + 2 * names.length;
  const note = (index: number, from: number, to: number): void => {
    const at = spans.length - stride + 2 + 2 * index;
    spans[at] = from;
    spans[at + 1] = to;
  };
  const visit: Visit = (key, value) => {
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index];
      if (name === undefined || !scan.isNamed(key, name)) continue;
      const end = scan.endOfValue(value, 3);
      note(index, value, end);
      return end;
    }
    return undefined;
  };
  let pattern: Pattern | undefined;
  const found: number[] = [];
  /** The index of each field's value in the pattern; -1 if the pattern does not contain the field. */
  let places: readonly number[] = [];
  /** Scans the entire row and makes it the pattern for the following rows. */
  const walk = (start: number): number => {
    const leaves: number[] = [];
    const begin = spans.length;
    spans.push(start, -1);
    for (let index = 0; index < names.length; index += 1) spans.push(-1, -1);
    scan.leaves = leaves;
    const end = scan.endOfObject(start, 2, visit);
    scan.leaves = undefined;
    spans[begin + 1] = end;
    places = names.map((_, index) => leaves.indexOf(spans[begin + 2 + 2 * index] ?? -1));
    // If a recorded field contains nested values, the pattern cannot locate it, so the next row has to be scanned too.
    const isComplete = places.every((place, index) => place >= 0 || spans[begin + 2 + 2 * index] === -1);
    const values = [...leaves, end];
    pattern = isComplete ? { view: scan.view, start, values, nested: -1, reader: undefined } : undefined;
    return end;
  };
  return (start) => {
    if (scan.bytes[start] !== OPEN_OBJECT) throw new UnsupportedByScanner();
    const end = pattern === undefined ? -1 : followPattern(scan, pattern, start, scan.bytes.length, found);
    if (end < 0) return walk(start);
    spans.push(start, end);
    for (const place of places)
      if (place < 0) spans.push(-1, -1);
      else spans.push(found[place] ?? -1, found[place + 1] ?? -1);
    return end;
  };
}

function byteRows(list: RowList): Rows {
  const { bytes, spans, fields, wide } = list;
  const stride = strideOf(fields);
  let marks: readonly object[] | undefined;
  const encoding = wide.length > 0 ? "utf8" : "latin1";
  const length = spans.length / stride;
  const text = (index: number): string =>
    bytes.toString(encoding, spans[index * stride], spans[index * stride + 1]);
  const texts = (): readonly string[] => Array.from({ length }, (_, index) => text(index));
  return {
    length,
    text,
    texts,
    values: () => texts().map(parseRow),
    marks: () => (marks ??= marksOf(list, length)),
    hashKey: (index, into) => hashKeyAt(list, index, into),
    distinct: (field) => distinctValues(list, fields.indexOf(field)),
    keep: (kept) =>
      byteRows({ ...list, spans: spans.filter((_, at) => kept[Math.floor(at / stride)] === true) }),
    lines: () => linesOf(list),
    locate: (wanted) => {
      const places = wanted.map((field) => 2 + 2 * fields.indexOf(field));
      return places.includes(0) ? undefined : { bytes, spans, stride, places };
    },
  };
}

const strideOf = (fields: readonly string[]): number => 2 + 2 * fields.length;

function marksOf({ bytes, spans, fields, marked }: RowList, length: number): readonly object[] {
  const marks: object[] = [];
  const stride = strideOf(fields);
  for (let index = 0; index < length; index += 1) {
    const mark: Record<string, unknown> = {};
    for (let place = 0; place < marked; place += 1) {
      const at = index * stride + 2 + 2 * place;
      const field = fields[place];
      if (field === undefined || spans[at] === -1) continue;
      mark[field] = JSON.parse(bytes.toString("utf8", spans[at], spans[at + 1]));
    }
    marks.push(mark);
  }
  return marks;
}

/** Usually, all rows have the same value, so that only its bytes are compared. */
function distinctValues({ bytes, view, spans, fields }: RowList, place: number): readonly unknown[] {
  if (place < 0) throw new Error("the field was not located");
  const stride = strideOf(fields);
  const values: unknown[] = [];
  let [knownFrom, knownTo] = [0, 0];
  for (let at = 2 + 2 * place; at < spans.length; at += stride) {
    const [from = -1, to = -1] = [spans[at], spans[at + 1]];
    const isKnown = to - from === knownTo - knownFrom && areSame(view, from, to, view, knownFrom);
    if (from === -1 || isKnown) continue;
    [knownFrom, knownTo] = [from, to];
    values.push(JSON.parse(bytes.toString("utf8", from, to)));
  }
  return values;
}

/**
 * Values are hashed as `JSON.stringify` prints them, usually without calling it. Returns false if a value is missing or
 * the rows have no identity.
 */
function hashKeyAt(list: RowList, index: number, into: TextHash): boolean {
  const { bytes, view, spans, fields, keyed } = list;
  const begin = index * strideOf(fields) + 2;
  const end = begin + 2 * keyed;
  beginHash(into);
  for (let at = begin; at < end; at += 2) {
    const from = spans[at] ?? -1;
    const to = spans[at + 1] ?? -1;
    if (from === -1) return false;
    if (isPlain(view, from, to)) addBytes(into, view, from, to);
    else addText(into, JSON.stringify(JSON.parse(bytes.toString("utf8", from, to))));
  }
  endHash(into);
  return keyed > 0;
}

/** Whether `JSON.stringify` is certain to print the value unchanged. */
function isPlain(view: DataView, from: number, to: number): boolean {
  if (view.getUint8(from) === QUOTE) {
    for (let at = from; at < to; at += 1) if (view.getUint8(at) === BACKSLASH) return false;
    return true;
  }
  for (let at = from; at < to; at += 1) {
    const byte = view.getUint8(at);
    if (byte < ZERO || byte > NINE) return false;
  }
  return to - from <= maxDigits;
}

/** Works in place: the envelope has already been read, and the separators are no longer needed. */
function linesOf({ bytes, spans, fields, isCompact, wide }: RowList): Uint8Array | undefined {
  const stride = strideOf(fields);
  const [first] = spans;
  if (first === undefined || !isCompact) return undefined;
  for (let at = 0; at < wide.length; at += 2)
    if (!isSafeJson(bytes.toString("utf8", wide[at], wide[at + 1]))) return undefined;
  const runs: Uint8Array[] = [];
  let start = first;
  for (let at = 0; at < spans.length; at += stride) {
    const end = spans[at + 1] ?? 0;
    const next = spans[at + stride];
    bytes[end] = NEWLINE;
    if (next === end + 1) continue;
    runs.push(bytes.subarray(start, end + 1));
    start = next ?? end;
  }
  const [only] = runs;
  return only !== undefined && runs.length === 1 ? only : Buffer.concat(runs);
}
