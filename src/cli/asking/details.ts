import { type Endpoint, rowShape } from "../../model/endpoint.ts";
import type { RecordShape } from "../../model/record.ts";
import { splitPath } from "../../render/formats/select-row.ts";
import { fieldAt } from "../../render/values/value-at.ts";

/** Whether columns of these fields, or the usual ones, need rows in full. */
export function showsDetails(endpoint: Endpoint, fields: readonly string[] | undefined): boolean {
  if (endpoint.params.every(({ name }) => name !== "detailed")) return false;
  // Plain rows of the public service have neither name nor symbol, and columns without them say little.
  if (fields === undefined) return true;
  const { record } = rowShape(endpoint);
  return fields.some((field) => isDetail(record, splitPath(field)));
}

function isDetail(record: RecordShape, path: readonly string[]): boolean {
  return path.some((_, index) => fieldAt(record, path.slice(0, index + 1))?.isDetail === true);
}
