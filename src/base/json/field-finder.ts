import { ByteScan, UnsupportedByScanner, followPattern, type Pattern } from "./byte-scan.ts";

const [QUOTE, OPEN_ARRAY, BACKSLASH, OPEN_OBJECT, FIRST_OF_NULL] = [0x22, 0x5b, 0x5c, 0x7b, 0x6e];
/** In bytes. The pattern of a larger row is not stored. */
const maxPatternBytes = 64 * 1024;

/**
 * Finds the texts of an object's members in the bytes of its JSON, without decoding them: the start and the end of each
 * text, in the order of the names. A string is found without its quotes, any other value as it is, and an empty range for
 * null and for a member that does not exist. If a name is repeated, the last member counts. There are no texts if the
 * object has to be parsed, because a text has escapes or a value is nested.
 */
export class FieldFinder {
  /** The texts of all objects since the list was last replaced. */
  texts: number[] = [];
  /** Where those of the last object begin; undefined if it has to be parsed. */
  first: number | undefined;
  readonly #keys: readonly Uint8Array[];
  readonly #leaves: number[] = [];
  #layout: Layout | undefined;

  constructor(names: readonly string[]) {
    this.#keys = names.map((name) => Buffer.from(name));
  }

  /** The value must be valid, compact JSON; only objects have fields. */
  find(scan: ByteScan, start: number, end: number): void {
    this.first = undefined;
    if (scan.bytes[start] !== OPEN_OBJECT) return;
    if (scan.wide.length > 0) scan.wide = [];
    if (this.#follow(scan, start, end) !== end) {
      this.#layout = end - start > maxPatternBytes ? undefined : learnLayout(scan, this.#keys, start);
      if (this.#follow(scan, start, end) !== end) return;
    }
    this.#locate(scan);
  }

  /**
   * Like `ByteScan.endOfPlain`, which checks the same bytes, so that the texts of most objects cost no second scan. Throws a
   * SyntaxError if a value is broken.
   */
  endOfPlain(scan: ByteScan, at: number, limit: number): number {
    if (scan.wide.length > 0) scan.wide = [];
    let end = this.#follow(scan, at, limit);
    if (end >= 0 && scan.wide.length === 0) {
      this.#locate(scan);
      return end;
    }
    end = scan.endOfPlain(at);
    if (end >= 0) this.find(scan, at, end);
    return end;
  }

  #follow(scan: ByteScan, start: number, limit: number): number {
    const layout = this.#layout;
    scan.hasEscapes = false;
    return layout === undefined ? -1 : followPattern(scan, layout.pattern, start, limit, this.#leaves);
  }

  #locate({ bytes, hasEscapes }: ByteScan): void {
    const places = this.#layout?.places ?? [];
    const first = this.texts.length;
    this.first = undefined;
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index] ?? -1;
      const from = place < 0 ? -1 : (this.#leaves[place] ?? -1);
      const to = this.#leaves[place + 1] ?? -1;
      if (hasEscapes && from >= 0 && bytes.subarray(from, to).includes(BACKSLASH)) return;
      noteText(bytes, from, to, first / 2 + index, this.texts);
    }
    this.first = first;
  }
}

/** Stores where the text of a value without escapes is. `from` is -1 if the value is missing. */
export function noteText(bytes: Uint8Array, from: number, to: number, index: number, texts: number[]): void {
  const first = from < 0 ? FIRST_OF_NULL : bytes[from];
  const quote = first === QUOTE ? 1 : 0;
  const start = Math.max(0, from) + quote;
  texts[2 * index] = start;
  texts[2 * index + 1] = first === FIRST_OF_NULL ? start : to - quote;
}

/** Undefined without fields, or if one of them is inside a value: a finder knows only an object's own members. */
export function finderOf(fields: readonly string[]): FieldFinder | undefined {
  return fields.length === 0 || fields.some((field) => field.includes("."))
    ? undefined
    : new FieldFinder(fields);
}

interface Layout {
  readonly pattern: Pattern;
  /** For each name, the index of its value in the pattern; -1 if no member has it. */
  readonly places: readonly number[];
}

/** Undefined if a name has escapes, or if one of the values is nested. */
function learnLayout(scan: ByteScan, names: readonly Uint8Array[], start: number): Layout | undefined {
  const values: number[] = [];
  const places = names.map(() => -1);
  const nested = new Set<number>();
  scan.leaves = values;
  try {
    const end = scan.endOfObject(start, 0, (key, value) => {
      const first = scan.bytes[value];
      for (const [index, name] of names.entries()) {
        if (!scan.isNamed(key, name)) continue;
        places[index] = values.length;
        if (first === OPEN_OBJECT || first === OPEN_ARRAY) nested.add(index);
        else nested.delete(index);
      }
      return undefined;
    });
    if (nested.size > 0) return undefined;
    // A copy, because the memory of the row may be reused.
    const sample = scan.bytes.slice(start, end);
    const view = new DataView(sample.buffer, sample.byteOffset, sample.length);
    const own = [...values.map((at) => at - start), sample.length];
    return { pattern: { view, start: 0, values: own, nested: -1, reader: undefined }, places };
  } catch (cause) {
    if (cause instanceof UnsupportedByScanner) return undefined;
    throw cause;
  } finally {
    scan.leaves = undefined;
  }
}
