import { endOfValue, expectEnd, skipBlanks, walkObject } from "../json/json-scan.ts";
import { decodeName } from "../json/raw-json.ts";
import { canonicalText, type Cell, cellReader, Misfit, writeJsonCell } from "./cells.ts";
import { lineOf, memberKey } from "./canonical-rows.ts";
import { otherColumn, type ParquetColumn } from "./parquet-columns.ts";

export interface RowReader {
  /** Converts the JSON text of a row. If a member is repeated, the last one counts, as in `JSON.parse`. */
  readonly read: (row: string) => ConvertedRow;
  /** The number of values by column that did not fit. Columns without such values are absent. */
  readonly spilled: () => Readonly<Record<string, number>>;
}

/** Reused for the next row. */
export interface ConvertedRow {
  /** In the order of the columns. */
  readonly cells: readonly Cell[];
  /** The canonical row. */
  readonly line: string;
}

/** Called for a value that does not fit if there is no column `other`. */
export type RefuseValue = (column: ParquetColumn, raw: string) => Error;

export function createRowReader(columns: readonly ParquetColumn[], refuse: RefuseValue): RowReader {
  const hasOther = columns.at(-1) === otherColumn;
  const named = (hasOther ? columns.slice(0, -1) : columns).map((column) => new CurrentCell(column));
  const split = createSplitter(named.map(({ column }) => column.name));
  const cells: Cell[] = columns.map(() => null);
  const row = { cells, line: "" };
  const otherKey = memberKey(otherColumn);
  return {
    read: (text) => {
      const { raws, unknown } = split(text);
      const misfits: [string, string][] = [];
      let members = "";
      for (let place = 0; place < named.length; place += 1) {
        const current = named[place];
        if (current === undefined) break;
        current.read(raws[place] ?? "null");
        cells[place] = current.cell;
        members += current.member;
        if (!current.isMisfit) continue;
        if (!hasOther) throw refuse(current.column, current.raw);
        current.misfits += 1;
        misfits.push([current.column.name, current.raw]);
      }
      if (hasOther) {
        const other = misfits.length + unknown.size === 0 ? null : objectText([...misfits, ...unknown]);
        cells[named.length] = other;
        if (other !== null) members += otherKey + other;
      }
      row.line = lineOf(members);
      return row;
    },
    spilled: () =>
      Object.fromEntries(
        named.flatMap(({ column, misfits }) => (misfits === 0 ? [] : [[column.name, misfits]])),
      ),
  };
}

/** The cell of a column in the current row. Many columns repeat their value, which is then converted only once. */
class CurrentCell {
  readonly column: ParquetColumn;
  raw = "null";
  cell: Cell = null;
  /** In the canonical row; empty if there is no value. */
  member = "";
  isMisfit = false;
  /** In all rows. */
  misfits = 0;
  readonly #key: string;
  readonly #read: (raw: string) => Cell | Misfit;

  constructor(column: ParquetColumn) {
    this.column = column;
    this.#key = memberKey(column);
    this.#read = cellReader(column);
  }

  read(raw: string): void {
    if (raw === this.raw) return;
    const found = raw === "null" ? null : this.#read(raw);
    this.raw = raw;
    this.isMisfit = found instanceof Misfit;
    this.cell = found instanceof Misfit ? found.nearest : found;
    this.member = this.cell === null ? "" : this.#key + canonicalText(this.column.type, this.cell, raw);
  }
}

/** Most rows have the same members in the same order, so the members of the previous row are looked up by position. */
const mostRemembered = 100;

const noMembers: ReadonlyMap<string, string> = new Map();

/** Finds the JSON texts of the named members and of all others. The result is reused for the next row. */
function createSplitter(names: readonly string[]) {
  const places = new Map(names.map((name, place) => [name, place]));
  const raws: (string | undefined)[] = names.map(() => undefined);
  const remembered: { readonly key: string; readonly place: number | undefined }[] = [];
  const placeOf = (text: string, start: number, end: number, index: number): number | undefined => {
    const before = remembered[index];
    if (before?.key.length === end - start && text.startsWith(before.key, start)) return before.place;
    const key = text.slice(start, end);
    const place = places.get(decodeName(key));
    if (index < mostRemembered) remembered[index] = { key, place };
    return place;
  };
  return (text: string): { readonly raws: typeof raws; readonly unknown: ReadonlyMap<string, string> } => {
    raws.fill(undefined);
    let unknown: Map<string, string> | undefined;
    let index = 0;
    const end = walkObject(text, skipBlanks(text, 0), (keyStart, keyEnd, start) => {
      const place = placeOf(text, keyStart, keyEnd, index++);
      const valueEnd = endOfValue(text, start);
      const raw = text.slice(start, valueEnd);
      if (place === undefined) (unknown ??= new Map()).set(decodeName(text.slice(keyStart, keyEnd)), raw);
      else raws[place] = raw;
      return valueEnd;
    });
    expectEnd(text, end);
    return { raws, unknown: unknown ?? noMembers };
  };
}

function objectText(members: readonly (readonly [name: string, raw: string])[]): string {
  return writeJsonCell(`{${members.map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(",")}}`);
}
