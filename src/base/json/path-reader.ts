import { groupBy } from "../group-by.ts";
import {
  createMemberLookup,
  endOfValue,
  OPEN_ARRAY,
  OPEN_OBJECT,
  rawElements,
  skipBlanks,
  walkArray,
  walkObject,
} from "./json-scan.ts";

/** The text of the value at each path, in the same order as the paths; undefined where a path does not exist. */
type PathReader = (text: string) => (string | undefined)[];

export function rawAt(text: string, path: readonly string[]): string | undefined {
  return createPathReader([path])(text)[0];
}

/** What to do with the value at the first step of some paths. */
type TakeValue = (value: string, found: (string | undefined)[]) => void;

/**
 * Prepares paths for use on many texts. A step is a member name or, in an array, an index from 0 or `*` for all elements.
 * The result of `*` is the text of an array, with null where a value is missing.
 */
export function createPathReader(paths: readonly (readonly string[])[]): PathReader {
  const numbered = [...paths.entries()].filter(([, path]) => path.length > 0);
  const bySteps = groupBy(numbered, ([, [step = ""]]) => step);
  const takers = new Map([...bySteps].map(([step, own]) => [step, step === "*" ? undefined : taker(own)]));
  const takerOf = createMemberLookup((name) => takers.get(name));
  const takeAll = takerOfAll(bySteps.get("*") ?? []);
  return (text) => {
    const found = paths.map((path) => (path.length === 0 ? text.trim() : undefined));
    const start = takers.size === 0 ? text.length : skipBlanks(text, 0);
    const first = text.charCodeAt(start);
    const take = (at: number, into: TakeValue | undefined): number => {
      const end = endOfValue(text, at);
      into?.(text.slice(at, end), found);
      return end;
    };
    let place = 0;
    // If a name is repeated in an object, the last member counts, even if it has no value for the path.
    if (first === OPEN_OBJECT)
      walkObject(text, start, (keyStart, keyEnd, at) => take(at, takerOf(text, keyStart, keyEnd, place++)));
    if (first === OPEN_ARRAY) {
      walkArray(text, start, (at) => take(at, takers.get(String(place++))));
      takeAll(text, found);
    }
    return found;
  };
}

type NumberedPath = readonly [index: number, path: readonly string[]];

function taker(own: readonly NumberedPath[]): TakeValue {
  const indices = own.map(([index]) => index);
  const rests = own.map(([, path]) => path.slice(1));
  const read = rests.every((rest) => rest.length === 0) ? undefined : createPathReader(rests);
  return (value, found) => {
    const values = read?.(value);
    for (let at = 0; at < indices.length; at += 1)
      found[indices[at] ?? 0] = values === undefined ? value : values[at];
  };
}

function takerOfAll(own: readonly NumberedPath[]): TakeValue {
  const readers = own.map(([index, path]) => ({ index, read: createPathReader([path.slice(1)]) }));
  return (array, found) => {
    for (const { index, read } of readers) {
      const values = rawElements(array).map((element) => read(element)[0] ?? "null");
      found[index] = `[${values.join(",")}]`;
    }
  };
}
