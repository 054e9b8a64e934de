import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import type { RowShape } from "../../src/contract/endpoint.ts";
import { parseExact } from "../../src/json/exact-json.ts";
import type { CellStyle } from "../../src/render/values/cell.ts";
import { columnCell, createRowReader, tableColumns } from "../../src/render/table/columns.ts";
import { samples } from "../json/json-samples.ts";

const shape: RowShape = { name: "row", record: {}, identity: [], columns: [] };
const style: CellStyle = { now: 0, hasAges: false, isUnicode: true, countsZeros: false, isRoomy: false };

/** Table cells of rows with these fields, from the columns' fields alone and from the complete row. */
function cells(fields: readonly string[], rows: readonly string[]): readonly (readonly unknown[])[] {
  const columns = tableColumns(shape, { fields });
  const read = createRowReader(columns);
  const shown = (row: unknown): unknown => columns.map((column) => columnCell(row, column, style));
  return [rows.map((row) => shown(read(row))), rows.map((row) => shown(parseExact(row)))];
}

test("a table is the same as if rows were parsed completely", () => {
  const name = fc.constantFrom("a", "b", "*", "0", "__proto__", "é", "");
  const member = fc.tuple(name, samples()).map(([key, { text }]) => `${JSON.stringify(key)}:${text}`);
  const row = fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(",")}}`);
  const field = fc.constantFrom("a", "b", "a.b", "a.0", "b.*", "*", "*.a", "0", "__proto__", "é", "missing");
  fc.assert(
    fc.property(
      fc.array(field, { minLength: 1, maxLength: 4 }),
      fc.array(row, { maxLength: 4 }),
      (fields, rows) => {
        const [some, all] = cells(fields, rows);
        expect(some).toEqual(all);
      },
    ),
    { numRuns: 1000 },
  );
});

test("integers of any size keep their digits, and the last of several fields with one name counts", () => {
  const [some, all] = cells(
    ["a", "c.d"],
    ['{"a":1,"c":{"d":12345678901234567890},"a":98765432109876543210}'],
  );
  expect(some).toEqual(all);
  expect(JSON.stringify(some)).toContain("98765432109876543210");
});
