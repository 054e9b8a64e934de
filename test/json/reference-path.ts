import {
  beginsWith,
  OPEN_ARRAY,
  OPEN_OBJECT,
  rawElements,
  rawMembers,
} from "../../src/base/json/json-scan.ts";

/**
 * Returns the text of the value at a path. A path has names of members, and in arrays an index from 0, or `*` for all
 * elements, which returns the text of an array with the value found in each (null if there is none). Undefined if the
 * path leads to no value; in an object, `0` is the name of a member.
 */
export function expectedAt(text: string, path: readonly string[]): string | undefined {
  // The values reached so far: one, until a `*` makes them several. `groups` contains the number of elements of each
  // value at each `*`, to fold the values back into nested arrays at the end.
  let reached: readonly (string | undefined)[] = [text];
  const groups: (readonly (number | undefined)[])[] = [];
  for (const step of path) {
    if (step === "*") {
      const arrays = reached.map((value) => (isArray(value) ? rawElements(value) : undefined));
      groups.push(arrays.map((elements) => elements?.length));
      reached = arrays.flatMap((elements) => elements ?? []);
    } else {
      reached = reached.map((value) => child(value, step));
    }
  }
  for (const lengths of groups.toReversed()) reached = fold(reached, lengths);
  return reached[0]?.trim();
}

function child(value: string | undefined, step: string): string | undefined {
  if (value === undefined) return undefined;
  if (beginsWith(value, OPEN_OBJECT)) return rawMembers(value).get(step);
  return isArray(value) && /^(?:0|[1-9]\d*)$/.test(step) ? rawElements(value)[Number(step)] : undefined;
}

/** Turns the values of all elements back into one array text for each entry of `lengths`. */
function fold(
  values: readonly (string | undefined)[],
  lengths: readonly (number | undefined)[],
): (string | undefined)[] {
  let at = 0;
  return lengths.map((length) => {
    if (length === undefined) return undefined;
    at += length;
    return `[${values
      .slice(at - length, at)
      .map((value) => value ?? "null")
      .join(",")}]`;
  });
}

function isArray(value: string | undefined): value is string {
  return value !== undefined && beginsWith(value, OPEN_ARRAY);
}
