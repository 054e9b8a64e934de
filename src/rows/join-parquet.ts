import type { StoredFile } from "../base/files/synced-file.ts";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { markKey, receiptKey, writeMark } from "./parquet/file-mark.ts";
import { rowsPerGroup } from "./parquet/stored-column.ts";
import {
  groupsOf,
  openExisting,
  openParquet,
  type ParquetFile,
  readFooter,
  type RowRange,
} from "./parquet-file.ts";
import { createParquetWriter, GroupBytes } from "./parquet-writer.ts";

/** Rows of one file. All files of a join have the same columns. */
interface Piece {
  readonly file: string;
  readonly range: RowRange;
}

interface OpenPiece extends ReturnType<typeof groupsOf> {
  readonly source: StoredFile;
  readonly parquet: ParquetFile;
  readonly range: RowRange;
}

type Write = (bytes: Uint8Array) => Promise<void>;

type Thrift = Record<string, unknown>;

const magic = Buffer.from("PAR1");

/**
 * Puts rows into one file, in the order of the pieces. Row groups are copied, unless only some of their rows are wanted,
 * or unless the file `isPacked`: then it has as few row groups as possible, which are much faster to query. Returns
 * whether they were copied. Throws UnreadableParquet if a byte of a row group has changed.
 */
export async function joinParquet(
  pieces: readonly Piece[],
  receipt: string,
  write: Write,
  isPacked: boolean,
): Promise<boolean> {
  const opened: OpenPiece[] = [];
  const sources: StoredFile[] = [];
  try {
    for (const { file, range } of adjoined(pieces)) {
      const source = openExisting(file);
      sources.push(source);
      const parquet = openParquet(source);
      opened.push({ source, parquet, range, ...groupsOf(parquet, range) });
    }
    const isWhole = opened.every((piece) => piece.isWhole);
    const canCopy = isWhole && !(isPacked && hasTooMany(opened));
    if (canCopy) await copyGroups(opened, receipt, write);
    else await writeRows(opened, receipt, write, isWhole ? bytesBefore(opened) : []);
    return canCopy;
  } finally {
    for (const source of sources) source.close();
  }
}

function hasTooMany(opened: readonly OpenPiece[]): boolean {
  const sumOf = (count: (piece: OpenPiece) => number): number =>
    opened.reduce((sum, piece) => sum + count(piece), 0);
  const rows = sumOf(({ range: { begin, end } }) => end - begin);
  const groups = sumOf(({ first, last }) => last - first);
  // Larger row groups are fast enough, and their bytes would need much memory.
  return groups > Math.ceil(rows / rowsPerGroup) && rows / groups < rowsPerGroup / 4;
}

/** Pieces that follow one another in a file are one piece. */
function adjoined(pieces: readonly Piece[]): readonly Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last?.file === piece.file && last.range.end === piece.range.begin)
      found.splice(-1, 1, { ...last, range: { ...last.range, end: piece.range.end } });
    else found.push(piece);
  }
  return found;
}

/**
 * The row groups of the earlier file, which the new one keeps at their places without using them. DuckDB opens a file for
 * its footer and again for its rows, which must be there although the file was replaced meanwhile.
 */
function bytesBefore([piece]: readonly OpenPiece[]): readonly Uint8Array[] {
  const groups: Uint8Array[] = [];
  if (piece === undefined || piece.first > 0) return groups;
  for (let index = 0; index < piece.last; index += 1) {
    const bytes = piece.parquet.bytesOf(index);
    groups.push(index === 0 ? bytes.subarray(magic.length) : bytes);
  }
  return groups;
}

/** Canonical rows fit the columns that they are from, and stay the same. */
async function writeRows(
  pieces: readonly OpenPiece[],
  receipt: string,
  write: Write,
  prefix: readonly Uint8Array[],
): Promise<void> {
  const columns = (pieces[0]?.parquet.columns ?? []).map((column) => ({ ...column, isNumberOrText: true }));
  const writer = createParquetWriter({ columns, write, prefix });
  // A file that is open keeps its latest row group in memory.
  for (const { source, range } of pieces)
    for await (const { lines } of openParquet(source).groups(undefined, range))
      await writer.add(lines.toString().split("\n").slice(0, -1));
  await writer.finish(() => receipt);
}

/**
 * Copies row groups byte for byte: only their places in the file are new. The result is the same as if
 * `createParquetWriter` had written these row groups.
 */
async function copyGroups(pieces: readonly OpenPiece[], receipt: string, write: Write): Promise<void> {
  const bytes = new GroupBytes(write);
  bytes.appendBytes(magic);
  const copied: Group[] = [];
  let rows = 0n;
  let footer: Thrift | undefined;
  let columns: ParquetFile["columns"] = [];
  for (const { source, parquet, first, last } of pieces) {
    const own = readThrift(source);
    footer ??= own;
    columns = parquet.columns;
    for (let index = first; index < last; index += 1) {
      const whole = parquet.bytesOf(index);
      const group: Group = Object(own["field_4"])[index];
      // The first row group may come after other bytes.
      const start = parquet.ends[index - 1] ?? magic.length;
      move(group, BigInt(bytes.offset - start));
      bytes.appendBytes(index === 0 ? whole.subarray(magic.length) : whole);
      copied.push(group);
      rows += group.field_3;
      await bytes.flush();
    }
  }
  if (footer === undefined) throw new Error("a join of nothing");
  const texts = [
    { field_1: receiptKey, field_2: receipt },
    { field_1: markKey, field_2: writeMark({ columns, groups: bytes.groups }) },
  ];
  const before = bytes.offset;
  serializeTCompactProtocol(bytes, { ...footer, field_3: rows, field_4: copied, field_5: texts });
  bytes.appendUint32(bytes.offset - before);
  bytes.appendBytes(magic);
  await bytes.finish();
}

/** The footer as numbered fields, as the format defines them: nothing is converted, so nothing is lost. */
function readThrift(source: StoredFile): Thrift {
  const { footer } = readFooter(source);
  const length = footer.readUInt32LE(footer.length - 8);
  const view = new DataView(footer.buffer, footer.byteOffset, footer.length - 8);
  return deserializeTCompactProtocol({ view, offset: footer.length - 8 - length });
}

interface Group {
  readonly field_1: readonly { field_2: bigint; readonly field_3: Thrift }[];
  /** The number of rows. */
  readonly field_3: bigint;
}

/** The places of the data, an index and the dictionary of a column. */
const places = ["field_9", "field_10", "field_11"];

function move({ field_1: columns }: Group, by: bigint): void {
  for (const column of columns) {
    column.field_2 += by;
    const { field_3: facts } = column;
    for (const place of places) {
      const value = facts[place];
      if (typeof value === "bigint") facts[place] = value + by;
    }
  }
}
