import { isUtf8 } from "node:buffer";
import { ByteScan, Unread, type Visit } from "../../json/byte-scan.ts";
import { isSafeJson } from "../../json/json-text.ts";
import { isObject } from "../../json/raw-json.ts";
import { hashKeyAt } from "./row-key.ts";
import { followPattern, type RowPattern } from "./row-pattern.ts";
import type { Rows } from "./rows.ts";

/** An answer whose rows were not parsed. */
export interface CutAnswer {
  /** All the rest of it, parsed, the list of rows empty. */
  readonly envelope: object;
  readonly rows: Rows;
}

/** Where the rows lie, in numbers: an object for each row would be more than half of what a page leaves to collect. */
interface RowList {
  /** For each row its start and end, then those of the values that tell it from others; -1 for what it lacks. */
  readonly spans: readonly number[];
  readonly bytes: Buffer;
  /** Of the same bytes. */
  readonly view: DataView;
  /** Whose values those are. */
  readonly fields: readonly string[];
  /** The first so many tell a row from others. */
  readonly keyed: number;
  /** No white space between their tokens. */
  readonly isCompact: boolean;
  /** There may be a backslash in one of their strings. */
  readonly hasEscapes: boolean;
  /** Where each string begins and ends that holds characters beyond printable ASCII. */
  readonly wide: readonly number[];
}

const NEWLINE = 10;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;

/** What is noted of rows on the way. */
export interface Noted {
  /** The fields that tell two rows apart. */
  readonly identity: readonly string[];
  /** The field that says when a row was. */
  readonly timeField?: string | undefined;
}

/**
 * Cuts the rows out of an answer's bytes; all of the grammar is checked on the way. Undefined where that cannot be done,
 * or the answer is not what it should be: whoever reads it as a text finds out why.
 */
export type AnswerCutter = (body: Uint8Array) => CutAnswer | undefined;

/** For the answers of one list. `name`: the member that holds the rows. */
export function createAnswerCutter(name: string, { identity, timeField }: Noted): AnswerCutter {
  const fields =
    timeField === undefined || identity.includes(timeField) ? identity : [...identity, timeField];
  const names = fields.map((field) => Buffer.from(field));
  const member = Buffer.from(name);
  return (body) => {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
    try {
      return cut(bytes, member, { fields, names, keyed: identity.length });
    } catch (cause) {
      if (cause instanceof SyntaxError || cause instanceof Unread) return undefined;
      throw cause;
    }
  };
}

function cut(
  bytes: Buffer,
  name: Uint8Array,
  { fields, names, keyed }: Pick<RowList, "fields" | "keyed"> & { readonly names: readonly Uint8Array[] },
): CutAnswer | undefined {
  const scan = new ByteScan(bytes);
  const begin = scan.skipBlanks(0);
  if (bytes[begin] !== OPEN_OBJECT) return undefined;
  let list: RowList | undefined;
  let [from, to] = [0, 0];
  let isWide = false;
  const end = scan.endOfObject(begin, 0, (key, value) => {
    if (!scan.isNamed(key, name)) return undefined;
    // Of two lists of that name the last one would count.
    if (bytes[value] !== OPEN_ARRAY || list !== undefined) throw new Unread();
    isWide = scan.wide.length > 0;
    [scan.wide, scan.hasBlanks] = [[], false];
    const spans: number[] = [];
    [from, to] = [value, scan.endOfArray(value, 1, createRowWalk(scan, names, spans))];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const { hasBlanks, hasEscapes, wide } = scan;
    list = { fields, keyed, spans, bytes, view, isCompact: !hasBlanks, hasEscapes, wide };
    scan.wide = [];
    return to;
  });
  if (list === undefined || scan.skipBlanks(end) !== bytes.length) return undefined;
  if ((isWide || list.wide.length > 0 || scan.wide.length > 0) && !isUtf8(bytes)) return undefined;
  const envelope: unknown = JSON.parse(`${bytes.toString("utf8", 0, from)}[]${bytes.toString("utf8", to)}`);
  return isObject(envelope) ? { envelope, rows: byteRows(list) } : undefined;
}

/** Gives where the row ends that begins there, and notes where it and the values of these names lie. */
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
  let pattern: RowPattern | undefined;
  const found: number[] = [];
  /** For each name where its value stands among the leaves; -1 for what the pattern lacks. */
  let places: readonly number[] = [];
  /** The whole row, as a pattern for the next ones. */
  const walk = (start: number): number => {
    const leaves: number[] = [];
    scan.leaves = leaves;
    const end = scan.endOfObject(start, 2, visit);
    scan.leaves = undefined;
    const begin = spans.length - stride;
    places = names.map((_, index) => leaves.indexOf(spans[begin + 2 + 2 * index] ?? -1));
    // What tells it apart holds other values: then the next row has to be walked as well.
    const isWhole = places.every((place, index) => place >= 0 || spans[begin + 2 + 2 * index] === -1);
    pattern = isWhole ? { start, leaves: [...leaves, end] } : undefined;
    return end;
  };
  return (start) => {
    if (scan.bytes[start] !== OPEN_OBJECT) throw new Unread();
    spans.push(start, -1);
    for (let index = 0; index < names.length; index += 1) spans.push(-1, -1);
    const followed = pattern === undefined ? -1 : followPattern(scan, pattern, start, found);
    const end = followed < 0 ? walk(start) : followed;
    if (followed >= 0)
      for (const [index, place] of places.entries())
        if (place >= 0) note(index, found[place] ?? -1, found[place + 1] ?? -1);
    spans[spans.length - stride + 1] = end;
    return end;
  };
}

function byteRows(list: RowList): Rows {
  const { bytes, spans, fields, keyed, wide } = list;
  const stride = strideOf(fields);
  let marks: readonly object[] | undefined;
  const isWide = wide.length > 0;
  const length = spans.length / stride;
  const text = (index: number): string =>
    bytes.toString(isWide ? "utf8" : "latin1", spans[index * stride], spans[index * stride + 1]);
  const texts = (): readonly string[] => Array.from({ length }, (_, index) => text(index));
  return {
    length,
    text,
    texts,
    values: () => texts().map(parseRow),
    marks: () => (marks ??= Array.from({ length }, (_, index) => markAt(list, index))),
    hashKey: (index, into) => hashKeyAt(list, index * stride + 2, index * stride + 2 + 2 * keyed, into),
    keep: (kept) =>
      byteRows({ ...list, spans: spans.filter((_, at) => kept[Math.floor(at / stride)] === true) }),
    lines: () => linesOf(list),
  };
}

/** How many numbers a row has among the spans. */
const strideOf = (fields: readonly string[]): number => 2 + 2 * fields.length;

function markAt({ bytes, spans, fields }: RowList, index: number): object {
  const members = fields.flatMap((field, place): (readonly [string, unknown])[] => {
    const at = index * strideOf(fields) + 2 + 2 * place;
    if (spans[at] === -1) return [];
    return [[field, JSON.parse(bytes.toString("utf8", spans[at], spans[at + 1]))]];
  });
  return Object.fromEntries(members);
}

function parseRow(text: string): object {
  const row: unknown = JSON.parse(text);
  if (!isObject(row)) throw new TypeError("a row was cut that is no object");
  return row;
}

/** Each separator becomes the end of a line, in place: the envelope has been read, and nobody reads between the rows. */
function linesOf({ bytes, spans, fields, isCompact, wide }: RowList): Uint8Array | undefined {
  const stride = strideOf(fields);
  const [first] = spans;
  const last = spans[spans.length - stride + 1];
  if (first === undefined || last === undefined || !isCompact) return undefined;
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
