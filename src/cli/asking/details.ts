import { type Endpoint, rowShape } from "../../contract/endpoint.ts";
import type { RecordShape } from "../../contract/record.ts";
import { hasColumns, type RowFormat } from "../../contract/output-format.ts";
import { splitPath } from "../../render/formats/select-row.ts";
import { fieldAt } from "../../render/values/value-at.ts";

/** Whether rows in full are needed: for one of the fields that are named, else for the usual columns. */
export function showsDetails(
  endpoint: Endpoint,
  { fields, format }: { readonly fields: readonly string[] | undefined; readonly format: RowFormat },
): boolean {
  if (endpoint.params.every(({ name }) => name !== "detailed")) return false;
  // Plain rows of the public service have neither name nor symbol, and columns without them say little.
  if (fields === undefined) return hasColumns(format);
  const { record } = rowShape(endpoint);
  return fields.some((field) => isDetail(record, splitPath(field)));
}

function isDetail(record: RecordShape, path: readonly string[]): boolean {
  return path.some((_, index) => fieldAt(record, path.slice(0, index + 1))?.isDetail === true);
}
