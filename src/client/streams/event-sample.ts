import { isPlainJson } from "../../json/plain-json.ts";
import type { Sample } from "./text-pattern.ts";
import { endOfName, fieldOf, fields, valueOf } from "./field-names.ts";
import { numberOf } from "./stream-event.ts";

/** Which mark of a sample says where its data, its `id` and its `request_id` begin; the next, where they end. */
export const marks = { data: 0, id: 2, requestId: 4 } as const;

const [LF, CR] = [0x0a, 0x0d];

/**
 * An event from its first line to its empty one, for others to be like. Undefined unless its values are all that has to be
 * looked at of such another: one line of data, which are plain JSON, ids that are numbers, and no other field but its name.
 */
export function sampleOf(bytes: Buffer): Sample | undefined {
  // Compared as numbers, 0 and its negative would be the same.
  if (bytes.includes(0)) return undefined;
  const values: number[] = [];
  // At 0, where the first line begins, what it has not.
  const found = [0, 0, 0, 0, 0, 0];
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
      found.splice(marks.data, 2, from, end);
    } else if (field === fields.id || field === fields.requestId) {
      if (numberOf(bytes, from, end) < 0) return undefined;
      values.push(from, end);
      found.splice(field === fields.id ? marks.id : marks.requestId, 2, from, end);
    } else if (field !== fields.event) return undefined;
  }
  return names.has(fields.data) ? { bytes, values, marks: found } : undefined;
}
