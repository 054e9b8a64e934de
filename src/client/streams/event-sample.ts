import { isPlainJson } from "../../model/json/plain-json.ts";
import type { Sample } from "./alike-text.ts";
import { endOfName, fieldOf, fields, valueOf } from "./field-names.ts";

/** Which mark of a sample is which: where its data begin and end, its `id` and its `request_id`; at 0 what it has not. */
export const marks = { data: 0, end: 1, id: 2, requestId: 3 } as const;

const [LF, CR, ZERO] = [0x0a, 0x0d, 0x30];
/** Of a number that keeps all of them. */
const mostDigits = 15;

/**
 * An event from its first line to its empty one, for others to be like. Undefined unless its values are all that has to be
 * looked at of such another: one line of data, which are plain JSON, ids that are numbers, and no other field but its name.
 */
export function sampleOf(bytes: Buffer): Sample | undefined {
  const values: number[] = [];
  const found: [number, number, number, number] = [0, 0, 0, 0];
  const names = new Set<Buffer>();
  for (let at = 0, behind = 0; at < bytes.length; at = behind) {
    behind = bytes.indexOf(LF, at) + 1;
    const end = bytes[behind - 2] === CR ? behind - 2 : behind - 1;
    // An end of line that is a CR alone would have to be looked for in the others.
    if (end < at || bytes.subarray(at, end).includes(CR)) return undefined;
    if (end === at) break;
    const field = fieldOf(bytes, at, endOfName(bytes, at, end));
    const from = field === undefined ? -1 : valueOf(field, bytes, at);
    if (field === undefined || from < 0 || names.has(field)) return undefined;
    names.add(field);
    if (field === fields.data) {
      if (!isPlainJson(bytes, from, end, values)) return undefined;
      [found[marks.data], found[marks.end]] = [from, end];
    } else if (field === fields.id || field === fields.requestId) {
      if (numberAt(bytes, from) < 0) return undefined;
      values.push(from, end);
      found[field === fields.id ? marks.id : marks.requestId] = from;
    } else if (field !== fields.event) return undefined;
  }
  return names.has(fields.data) ? { bytes, values, marks: found } : undefined;
}

/** The number that is all of the line from there on, without zeros before it, so that it is written in one way; else -1. */
export function numberAt(bytes: Buffer, from: number): number {
  let end = from;
  let number = 0;
  for (let digit = digitAt(bytes, end); digit >= 0; digit = digitAt(bytes, end)) {
    number = 10 * number + digit;
    end += 1;
  }
  const digits = end - from;
  const isWhole = digits === 1 || (digits > 1 && digits <= mostDigits && bytes[from] !== ZERO);
  return isWhole && (bytes[end] === LF || bytes[end] === CR) ? number : -1;
}

/** Negative where none stands there. */
function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? LF) - ZERO;
  return digit <= 9 ? digit : -1;
}
