import {
  createMemberLookup,
  decodeName,
  endOfValue,
  expectEnd,
  skipBlanks,
  walkObject,
} from "../../base/json/json-scan.ts";
import { ColumnCells } from "./column-cells.ts";
import { otherColumn, type ParquetColumn } from "../parquet-format.ts";
import { RowBytes } from "./row-bytes.ts";

/** Called for a value that does not fit if there is no column `other`. */
export type RefuseValue = (column: ParquetColumn, raw: string) => Error;

/** Converts rows of one row group after the other. */
export function createRowReader(columns: readonly ParquetColumn[], refuse: RefuseValue) {
  const lines = new RowBytes();
  const all = columns.map((column) => new ColumnCells(column, lines));
  const other = columns.at(-1) === otherColumn ? all.at(-1) : undefined;
  const named = other === undefined ? all : all.slice(0, -1);
  const split = createSplitter(named.map(({ column }) => column.name));
  return {
    columns: all,
    /** The canonical rows of the row group. */
    lines,
    /** Converts the JSON text of a row. If a member is repeated, the last one counts, as in `JSON.parse`. */
    add: (text: string): void => {
      const { starts, ends, unknown } = split(text);
      const misfits: [string, string][] = [];
      const start = lines.length;
      for (let place = 0; place < named.length; place += 1) {
        const cells = named[place];
        if (cells === undefined) break;
        const from = starts[place] ?? -1;
        if (from < 0) cells.add("null", 0, 4);
        else cells.add(text, from, ends[place] ?? from);
        if (!cells.isNonDecimal) continue;
        if (other === undefined) throw refuse(cells.column, cells.raw);
        cells.misfits += 1;
        misfits.push([cells.column.name, cells.raw]);
      }
      const others = misfits.length + unknown.size === 0 ? "null" : objectText([...misfits, ...unknown]);
      other?.add(others, 0, others.length);
      lines.endRow(start);
    },
    clear: (): void => {
      for (const cells of all) cells.clear();
      lines.clear();
    },
    /** The number of values by column that did not fit. Columns without such values are absent. */
    spilled: (): Readonly<Record<string, number>> =>
      Object.fromEntries(
        named.flatMap(({ column, misfits }) => (misfits === 0 ? [] : [[column.name, misfits]])),
      ),
  };
}

const noMembers: ReadonlyMap<string, string> = new Map();

/** Finds the ranges of the named members, and all others. The result is reused for the next row. */
function createSplitter(names: readonly string[]) {
  const places = new Map(names.map((name, place) => [name, place]));
  /** -1 if the row does not have the member. */
  const starts = names.map(() => -1);
  const ends = names.map(() => -1);
  const placeOf = createMemberLookup((name) => places.get(name));
  return (text: string) => {
    starts.fill(-1);
    let unknown: Map<string, string> | undefined;
    let index = 0;
    const end = walkObject(text, skipBlanks(text, 0), (keyStart, keyEnd, start) => {
      const place = placeOf(text, keyStart, keyEnd, index++);
      const valueEnd = endOfValue(text, start);
      if (place === undefined)
        (unknown ??= new Map()).set(decodeName(text.slice(keyStart, keyEnd)), text.slice(start, valueEnd));
      else {
        starts[place] = start;
        ends[place] = valueEnd;
      }
      return valueEnd;
    });
    expectEnd(text, end);
    return { starts, ends, unknown: unknown ?? noMembers };
  };
}

function objectText(members: readonly (readonly [name: string, raw: string])[]): string {
  return `{${members.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(",")}}`;
}
