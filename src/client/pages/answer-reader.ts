import type { RowShape } from "../../api/endpoint.ts";
import { invalidResponse } from "../../base/failure.ts";
import { isObject, member, rawMembers } from "../../base/json/json-scan.ts";
import { createAnswerCutter, type CutAnswer } from "../response/byte-rows.ts";
import { textRows } from "../rows.ts";
import { readRows, timeFieldOf, type Reading } from "../page.ts";
import type { Document } from "../document.ts";

/** `name` is the member that contains the rows. */
export function createAnswerReader(
  name: string,
  shape: RowShape,
  { indexedFields }: Pick<Reading, "indexedFields">,
): (document: Document) => CutAnswer {
  const { identity, owned = {} } = shape;
  const timeField = timeFieldOf(shape);
  const cut = createAnswerCutter(name, {
    identity,
    timeField,
    indexedFields: [...Object.keys(owned), ...indexedFields],
  });
  return (document) => {
    const answer = cut(document.bytes);
    if (answer !== undefined) return answer;
    // The response is malformed, or so unusual that its rows could not be cut out of the bytes.
    const { text, value } = document.read();
    if (!isObject(value)) throw invalidResponse("invalid response: not an object");
    const rows = readRows(rawMembers(text).get(name), member(value, name), name);
    return { envelope: value, rows: textRows(rows, identity) };
  };
}

/**
 * undici reuses a connection in the second event loop turn after the last response, once it is certain that the
 * connection is still open. Work that starts immediately would delay the next request.
 */
export async function yieldToSocket(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
