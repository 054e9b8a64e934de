import { endOfValue, expectEnd, skipBlanks, walkObject } from "../json/json-scan.ts";
import { decodeName } from "../json/raw-json.ts";
import { type Cell, cellReader, Misfit, writeJsonCell } from "./cells.ts";
import { otherColumn, type ParquetColumn } from "./parquet-columns.ts";

/** Receives the cells of a row in the order of the columns. The array is reused for the next row. */
export interface RowReader {
  readonly read: (row: string) => readonly Cell[];
  /** The number of values by column that did not fit. Columns without such values are absent. */
  readonly spilled: () => Readonly<Record<string, number>>;
}

/** Called for a value that does not fit if there is no column `other`. */
export type RefuseValue = (column: ParquetColumn, raw: string) => Error;

/** Most rows have the same members in the same order, so the members of the previous row are looked up by position. */
const mostRemembered = 100;

/** Converts the JSON text of a row. If a member is repeated, the last one counts, as in `JSON.parse`. */
export function createRowReader(columns: readonly ParquetColumn[], refuse: RefuseValue): RowReader {
  const hasOther = columns.at(-1) === otherColumn;
  const named = hasOther ? columns.slice(0, -1) : columns;
  const places = new Map(named.map(({ name }, place) => [name, place]));
  const readers = named.map(cellReader);
  const raws: (string | undefined)[] = named.map(() => undefined);
  const cells: Cell[] = columns.map(() => null);
  const remembered: { readonly key: string; readonly place: number | undefined }[] = [];
  const spilled = new Map<string, number>();
  let unknown: Map<string, string> | undefined;

  const placeOf = (text: string, start: number, end: number, index: number): number | undefined => {
    const before = remembered[index];
    if (before?.key.length === end - start && text.startsWith(before.key, start)) return before.place;
    const key = text.slice(start, end);
    const place = places.get(decodeName(key));
    if (index < mostRemembered) remembered[index] = { key, place };
    return place;
  };
  const split = (text: string): void => {
    let index = 0;
    const end = walkObject(text, skipBlanks(text, 0), (keyStart, keyEnd, start) => {
      const place = placeOf(text, keyStart, keyEnd, index++);
      const valueEnd = endOfValue(text, start);
      const raw = text.slice(start, valueEnd);
      if (place !== undefined) raws[place] = raw;
      else if (hasOther) (unknown ??= new Map()).set(decodeName(text.slice(keyStart, keyEnd)), raw);
      return valueEnd;
    });
    expectEnd(text, end);
  };
  return {
    read: (row) => {
      raws.fill(undefined);
      unknown = undefined;
      split(row);
      let misfits: [string, string][] | undefined;
      for (let place = 0; place < named.length; place += 1) {
        const [raw, column, read] = [raws[place], named[place], readers[place]];
        cells[place] = null;
        if (raw === undefined || raw === "null" || column === undefined || read === undefined) continue;
        const cell = read(raw);
        if (!(cell instanceof Misfit)) {
          cells[place] = cell;
          continue;
        }
        if (!hasOther) throw refuse(column, raw);
        cells[place] = cell.nearest;
        (misfits ??= []).push([column.name, raw]);
        spilled.set(column.name, (spilled.get(column.name) ?? 0) + 1);
      }
      if (hasOther) cells[named.length] = objectText([...(misfits ?? []), ...(unknown ?? [])]);
      return cells;
    },
    spilled: () => Object.fromEntries(spilled),
  };
}

function objectText(members: readonly (readonly [name: string, raw: string])[]): Cell {
  if (members.length === 0) return null;
  return writeJsonCell(`{${members.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(",")}}`);
}
