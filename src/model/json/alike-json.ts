import { endOfScalar, isPlainJson, WRONG } from "./plain-json.ts";
import { areSame, viewOf } from "./same-bytes.ts";

/** Plain JSON texts that come one after another and differ in a few of their values alone. */
export interface AlikeJson {
  /** Behind the text that begins there, where it is one like the last that was learned; else -1, which says nothing. */
  readonly endAt: (bytes: Uint8Array, view: DataView, at: number) => number;
  /** Whether this is plain JSON. If so, the next ones may be like it. */
  readonly learn: (bytes: Uint8Array, start: number, end: number) => boolean;
}

/** Bytes: a larger text is not kept to compare others with. */
const largest = 16 * 1024;
/** So many texts in a row that were not like the one before, and only one of as many more is kept. */
const patience = 16;
/** A name of its own: one of another part of the bundle is looked up anew at each call. */
const compare = areSame;

/**
 * What stays the same from text to text is compared rather than walked, and values that have changed once are walked: the
 * same bytes around values that may stand there are the same grammar. A value is taken to stay until it does not.
 */
export function createAlikeJson(): AlikeJson {
  let text: Uint8Array = new Uint8Array();
  let view = viewOf(text);
  /** Where each value that holds no others begins and ends in it. */
  let scalars: readonly number[] = [];
  /** For each of them. */
  let changes: boolean[] = [];
  /** Where what stays begins and ends: all but the values that change. */
  let parts: readonly number[] = [];
  let learned = 0;

  const isSamePart = (from: number, until: number, other: DataView, at: number, end: number): boolean =>
    until - from === end - at && areSame(view, from, until, other, at);

  /** Whether all but the values is the same. */
  const isOfSameShape = (other: DataView, found: readonly number[]): boolean => {
    if (found.length !== scalars.length) return false;
    let [from, at] = [0, 0];
    for (let index = 0; index <= found.length; index += 2) {
      const [until, end] = [scalars[index] ?? text.length, found[index] ?? other.byteLength];
      if (!isSamePart(from, until, other, at, end)) return false;
      [from, at] = [scalars[index + 1] ?? 0, found[index + 1] ?? 0];
    }
    return true;
  };

  const keep = (bytes: Uint8Array, found: readonly number[]): void => {
    const other = viewOf(bytes);
    if (!isOfSameShape(other, found)) changes = [];
    else {
      for (let index = 0; index < found.length; index += 2) {
        const [from = 0, until = 0] = [scalars[index], scalars[index + 1]];
        const [at = 0, end = 0] = [found[index], found[index + 1]];
        if (!isSamePart(from, until, other, at, end)) changes[index >> 1] = true;
      }
    }
    [text, view, scalars] = [bytes, other, found];
    parts = [0, ...found.filter((_, index) => changes[index >> 1] === true), text.length];
  };

  return {
    endAt: (bytes, other, at) => {
      const { length } = parts;
      let end = at;
      for (let part = 0; part < length; part += 2) {
        if (part !== 0) end = endOfScalar(bytes, end);
        if (end === WRONG) return WRONG;
        const [from, until] = [parts[part] ?? 0, parts[part + 1] ?? 0];
        if (!compare(view, from, until, other, end)) return WRONG;
        end += until - from;
      }
      if (end === at) return WRONG;
      learned = 0;
      return end;
    },
    learn: (bytes, start, end) => {
      learned += 1;
      const isKept = end - start <= largest && (learned <= patience || learned % patience === 0);
      if (!isKept) return isPlainJson(bytes, start, end);
      const own = new Uint8Array(bytes.subarray(start, end));
      const found: number[] = [];
      const isPlain = isPlainJson(own, 0, own.length, found);
      if (isPlain) keep(own, found);
      return isPlain;
    },
  };
}
