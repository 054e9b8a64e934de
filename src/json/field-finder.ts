import { ByteScan, UnsupportedByScanner } from "./byte-scan.ts";
import { followPattern, type Pattern } from "./pattern.ts";

const [QUOTE, OPEN_ARRAY, BACKSLASH, OPEN_OBJECT, FIRST_OF_NULL] = [0x22, 0x5b, 0x5c, 0x7b, 0x6e];
/** In bytes. The pattern of a larger row is not stored. */
const maxPatternBytes = 64 * 1024;

/**
 * Finds the texts of an object's members in the bytes of its JSON, without decoding them. `find` takes an object in valid,
 * compact JSON. It returns the start and the end of each text, in the order of the names: a string without its quotes, any
 * other value as it is, and an empty range for null and for a member that does not exist. If a name is repeated, the last
 * member counts. Returns undefined if the object has to be parsed, because a text has escapes or a value is nested. The
 * next call overwrites the result.
 */
export function createFieldFinder(names: readonly string[]) {
  const keys = names.map((name) => Buffer.from(name));
  const leaves: number[] = [];
  const texts: number[] = [];
  let scan = new ByteScan(Buffer.alloc(0));
  let layout: Layout | undefined;
  const follows = (start: number, end: number): boolean =>
    layout !== undefined && followPattern(scan, layout.pattern, start, end, leaves) === end;

  return (bytes: Buffer, start: number, end: number): readonly number[] | undefined => {
    if (scan.bytes !== bytes) scan = new ByteScan(bytes);
    if (scan.wide.length > 0) scan.wide = [];
    if (!follows(start, end)) {
      layout = end - start > maxPatternBytes ? undefined : learnLayout(scan, keys, start);
      if (!follows(start, end)) return undefined;
    }
    const places = layout?.places ?? [];
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index] ?? -1;
      let from = place < 0 ? start : (leaves[place] ?? start);
      let to = place < 0 ? start : (leaves[place + 1] ?? start);
      const first = bytes[from];
      if (first === FIRST_OF_NULL) to = from;
      if (first === QUOTE) {
        from += 1;
        to -= 1;
        for (let at = from; at < to; at += 1) if (bytes[at] === BACKSLASH) return undefined;
      }
      texts[2 * index] = from;
      texts[2 * index + 1] = to;
    }
    return texts;
  };
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
    return {
      pattern: { view, start: 0, values: [...values.map((at) => at - start), sample.length] },
      places,
    };
  } catch (cause) {
    if (cause instanceof UnsupportedByScanner) return undefined;
    throw cause;
  } finally {
    scan.leaves = undefined;
  }
}
