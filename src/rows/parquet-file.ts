import { hash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { ColumnChunk, FileMetaData, RowGroup } from "hyparquet";
import { readColumn } from "hyparquet/src/column.js";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import { getSchemaPath } from "hyparquet/src/schema.js";
import {
  createRowHash,
  otherColumn,
  type ParquetColumn,
  type RowSummary,
  UnreadableParquet,
} from "./parquet-format.ts";
import { breakSeal, markKey, readMark, receiptKey } from "./parquet/file-mark.ts";
import { physicalElement } from "./parquet/parquet-schema.ts";
import type { StoredCell } from "./parquet/cells.ts";
import { RowBytes } from "./parquet/row-bytes.ts";
import { StoredColumn, checkPages, rowsPerGroup } from "./parquet/stored-column.ts";
import { type FileSource, openStored, type StoredFile } from "../base/files/synced-file.ts";
import { fail, type Failure } from "../base/failure.ts";
import { isTaken } from "../base/files/paths.ts";
import { letHeapGrow } from "../base/heap-room.ts";

/** The columns are at the row, and are the same array for all rows of a row group. They may lack empty columns. */
export type SeeRow = (columns: readonly StoredColumn[], json: () => string) => void;

/** A file that dexdata wrote. Each part is checked before it is used. */
export type ParquetFile = ReturnType<typeof openParquet>;

/** Rows of a file, from `begin` to before `end`. */
export interface RowRange {
  readonly begin: number;
  readonly end: number;
}

/** The places of parts with these numbers of rows, which follow one another. */
export function rowRanges(
  file: Pick<ParquetFile, "rows">,
  parts: readonly Pick<RowSummary, "rows">[],
): readonly RowRange[] {
  let end = 0;
  const ranges = parts.map(({ rows }) => ({ begin: end, end: (end += rows) }));
  if (end !== file.rows) throw new UnreadableParquet("the numbers of rows are not those in the footer");
  return ranges;
}

/** The row groups from `first` to before `last` have these rows. Without other ones, they are `isWhole`. */
export function groupsOf({ starts }: { readonly starts: readonly number[] }, { begin, end }: RowRange) {
  if (begin >= end) return { first: 0, last: 0, isWhole: true };
  const first = starts.findLastIndex((start) => start <= begin);
  const last = starts.findIndex((start) => start >= end);
  return { first, last, isWhole: starts[first] === begin && starts[last] === end };
}

const compressors = {
  GZIP: (page: Uint8Array, length: number): Uint8Array => gunzipSync(page, { maxOutputLength: length + 1 }),
};

/** Throws UnreadableParquet if the file does not exist. */
export function openExisting(file: string): StoredFile {
  const source = openStored(file);
  if (source === undefined) throw new UnreadableParquet("the file does not exist");
  return source;
}

/** Calls `read` with the file. Throws UnreadableParquet for a damaged one, and if there is none. */
export async function withParquet<T>(
  file: string,
  read: (parquet: ParquetFile) => T | Promise<T>,
): Promise<T> {
  const source = openExisting(file);
  try {
    return await read(openParquet(source));
  } finally {
    source.close();
  }
}

/** Like `withParquet`, but returns undefined where that throws UnreadableParquet. */
export async function tryParquet<T>(
  file: string,
  read: (parquet: ParquetFile) => T | Promise<T>,
): Promise<T | undefined> {
  return await withParquet(file, read).catch((cause: unknown) => {
    if (cause instanceof UnreadableParquet) return undefined;
    throw cause;
  });
}

/** For a file that was just written, and does not have the rows that were written to it. */
export function wronglyWritten(file: string): Failure {
  if (!isTaken(file))
    return fail("output", `${file} was moved or deleted by another program`, { next: undefined });
  return fail("output", `${file}: the rows that were read back differ from those that were written`, {
    next: "check the disk and the memory of this machine, and run the command again",
  });
}

/** Reads only the footer. */
export function openParquet(source: FileSource) {
  letHeapGrow();
  const { footer, start: footerStart } = readFooter(source);
  const metadata = explained(() => parquetMetadata(new Uint8Array(footer), { geoparquet: false }));
  const { receipt, mark } = explained(() => readTexts(metadata));
  explained(() => checkGroups(metadata, footerStart));
  const ends = metadata.row_groups.map(endOf);
  // The first row group includes the start of the file.
  const startOf = (index: number): number => ends[index - 1] ?? 0;
  const bytesOf = (index: number): Buffer => {
    const [start, end] = [startOf(index), ends[index] ?? 0];
    if (!(end > start && end <= source.size)) throw new UnreadableParquet(damaged);
    const bytes = source.read(start, end);
    if (hash("sha256", bytes) !== mark.groups[index]) throw new UnreadableParquet(damaged);
    return bytes;
  };
  const rows = Number(metadata.num_rows);
  const starts = [0];
  for (const group of metadata.row_groups) starts.push((starts.at(-1) ?? 0) + Number(group.num_rows));
  // Parts of a file that are read one after the other often share a row group.
  let latest: { readonly index: number; readonly cells: GroupCells } | undefined;
  const cellsOf = (index: number, group: RowGroup): GroupCells => {
    if (latest?.index === index) return latest.cells;
    latest = undefined;
    const part = { metadata, columns: mark.columns, bytes: bytesOf(index), position: startOf(index) };
    const cells = explained(() => readColumns(group, part));
    latest = { index, cells };
    return cells;
  };
  return {
    /** The text of the key `dexdata` in the footer: a receipt. */
    receipt,
    columns: mark.columns,
    /** According to the footer. */
    rows,
    /** The place of the first row of each row group, and the end of the rows. */
    starts,
    /** The end of each row group in the file. */
    ends,
    /** The bytes of a row group, if none of them has changed. */
    bytesOf,
    /**
     * The canonical rows of one row group after the other, as complete lines of NDJSON. They are valid until the next row
     * group is read. Throws at the first row group with a damaged byte. `see` is called at each row. `end` is that of
     * the row group in the file.
     */
    groups: async function* (see?: SeeRow, range: RowRange = { begin: 0, end: rows }) {
      const lines = new RowBytes();
      const { first, last } = groupsOf({ starts }, range);
      for (const [index, group] of [...metadata.row_groups.entries()].slice(first, last)) {
        // Reads of stored files do not wait, so this is when signals and timers get their turn.
        await new Promise((resolve) => setImmediate(resolve));
        const cells = cellsOf(index, group);
        lines.clear();
        const columns = cells.map(([column, own]) => new StoredColumn(column, own, lines));
        const place = starts[index] ?? 0;
        const begin = Math.max(range.begin - place, 0);
        const end = Math.min(range.end - place, Number(group.num_rows));
        for (let row = begin; row < end; row += 1) {
          const start = lines.length;
          for (const column of columns) column.addMember(row);
          lines.endRow(start);
          see?.(columns, () => lines.text(start));
        }
        yield { lines: lines.bytes(), rows: end - begin, end: ends[index] ?? 0 };
      }
    },
  };
}

const damaged = "the file has changed since it was written";

function readTexts({ key_value_metadata, schema }: FileMetaData) {
  const texts = new Map(key_value_metadata?.map(({ key, value = "" }) => [key, value]));
  const names = schema.slice(1).map(({ name }) => name);
  const [receipt, mark] = [texts.get(receiptKey), readMark(texts.get(markKey) ?? "", names)];
  if (receipt === undefined || mark === undefined)
    throw new UnreadableParquet("not written by this version of dexdata");
  return { receipt, mark };
}

/** Reads the complete file, or a part of it, and returns what a receipt says about its rows. `see` gets the rows. */
export async function readParquet(
  file: ParquetFile,
  see: (lines: Buffer) => void = () => undefined,
  range?: RowRange,
): Promise<RowSummary> {
  const summed = createRowHash();
  for await (const { lines, rows } of file.groups(undefined, range)) {
    see(lines);
    summed.add(lines, rows);
  }
  return summed.summary();
}

/** The footer ends with its length and four letters, with which the file also begins. */
export function readFooter({ size, read }: FileSource) {
  const tail = size < 12 ? Buffer.alloc(8) : read(size - 8, size);
  const start = size - tail.readUInt32LE(0) - 8;
  if (tail.toString("latin1", 4) !== "PAR1" || start < 4)
    throw new UnreadableParquet("not a complete Parquet file");
  // Without row groups, the footer's hash includes the start of the file.
  const footer = read(start === 4 ? 0 : start, size);
  if (!breakSeal(footer)) throw new UnreadableParquet(`${damaged}, or dexdata did not write it`);
  return { footer, start };
}

/** The row groups end where the footer begins, and no number of rows is larger than a row group can be. */
function checkGroups({ num_rows, row_groups }: FileMetaData, footerStart: number): void {
  const counts = row_groups.map((group) => Number(group.num_rows));
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (counts.some((count) => !(count > 0 && count <= rowsPerGroup)) || total !== Number(num_rows))
    throw new UnreadableParquet("the footer has a number of rows that dexdata does not write");
  const last = row_groups.at(-1);
  if ((last === undefined ? 4 : endOf(last)) !== footerStart)
    throw new UnreadableParquet("there are bytes between the rows and the footer");
}

/** Anything that the library throws means that the file is damaged, because it only reads what this code wrote. */
function explained<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof UnreadableParquet) throw cause;
    throw new UnreadableParquet(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function endOf({ columns }: RowGroup): number {
  return Math.max(...columns.map((chunk) => rangeOf(chunk).end));
}

function rangeOf({ meta_data }: ColumnChunk): { readonly start: number; readonly end: number } {
  const start = Number(meta_data?.dictionary_page_offset ?? meta_data?.data_page_offset);
  return { start, end: start + Number(meta_data?.total_compressed_size) };
}

interface GroupPart {
  readonly metadata: FileMetaData;
  readonly columns: readonly ParquetColumn[];
  readonly bytes: Buffer;
  readonly position: number;
}

/** The values of the columns that have any. */
type GroupCells = readonly (readonly [column: ParquetColumn, cells: readonly StoredCell[]])[];

function readColumns(group: RowGroup, part: GroupPart): GroupCells {
  const { columns } = part;
  if (group.columns.length !== columns.length) throw new UnreadableParquet("a row group lacks columns");
  return group.columns.flatMap((chunk, index) => {
    // Rows of a list lack the fields of other lists.
    if (chunk.meta_data?.statistics?.null_count === group.num_rows) return [];
    const cells = readChunk(chunk, part, index, Number(group.num_rows));
    return [[columns[index] ?? otherColumn, cells] as const];
  });
}

function readChunk(
  chunk: ColumnChunk,
  { metadata, bytes, position }: GroupPart,
  index: number,
  rows: number,
): readonly StoredCell[] {
  const { meta_data: meta } = chunk;
  const element = metadata.schema[index + 1];
  if (meta === undefined || element === undefined) throw new UnreadableParquet("a column lacks its metadata");
  const { start, end } = rangeOf(chunk);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start - position, end - start);
  checkPages(view, rows);
  const physical = physicalElement(element);
  const path = getSchemaPath([{ name: "row", num_children: 1 }, physical], [physical.name]);
  const select = { groupStart: 0, selectStart: 0, selectEnd: rows, groupRows: rows };
  const { data } = readColumn({ view, offset: 0 }, select, {
    pathInSchema: meta.path_in_schema,
    type: meta.type,
    element: physical,
    schemaPath: path,
    codec: meta.codec,
    parsers: DEFAULT_PARSERS,
    compressors,
    utf8: false,
  });
  // Further pages are added to the array of the first one, because every column is optional.
  const [cells = []] = data;
  if (!Array.isArray(cells) || cells.length !== rows || data.length > 1)
    throw new UnreadableParquet("a column has too few or too many values");
  return cells;
}
