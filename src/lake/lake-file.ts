import { rowShape } from "../api/endpoint.ts";
import { fail } from "../base/failure.ts";
import { createPart, openStored } from "../base/files/stored-file.ts";
import { removeFile } from "../base/files/paths.ts";
import { rawMembers } from "../base/json/raw-json.ts";
import { columnsOf, type ParquetColumn } from "../rows/parquet/parquet-columns.ts";
import { joinParquet } from "../rows/parquet/join-parquet.ts";
import {
  type GroupRange,
  openParquet,
  type ParquetFile,
  UnreadableParquet,
} from "../rows/parquet/parquet-file.ts";
import { createParquetWriter, type WrittenRows } from "../rows/parquet/parquet-writer.ts";
import { createRowHash } from "../rows/parquet/canonical-rows.ts";
import { type DatasetKind, factsOfKind } from "./dataset.ts";
import { type Footer, writeFooter, writeFooters } from "./footer.ts";

/** Calls `read` with the file, or returns undefined if it does not exist. Throws UnreadableParquet for a damaged one. */
export async function withParquet<T>(
  file: string,
  read: (parquet: ParquetFile) => T | Promise<T>,
): Promise<T | undefined> {
  const source = openStored(file);
  if (source === undefined) return undefined;
  try {
    return await read(await openParquet(source));
  } finally {
    source.close();
  }
}

/**
 * The rows of a file, or of some of its row groups, as JSON, which a writer accepts again. Throws UnreadableParquet if
 * any byte of them has changed.
 */
export async function readRows(file: string, range?: GroupRange): Promise<readonly string[]> {
  const rows = await withParquet(file, async (parquet) => {
    const lines: string[] = [];
    for await (const group of parquet.groups(undefined, range))
      lines.push(...group.lines.toString().split("\n").filter(Boolean).map(asSent));
    return lines;
  });
  if (rows === undefined) throw new UnreadableParquet("the file does not exist");
  return rows;
}

/** A value that did not fit its column is exact in `other`, as are fields without a column. */
function asSent(line: string): string {
  if (!line.includes('"other":')) return line;
  const members = new Map(rawMembers(line));
  const other = members.get("other");
  if (other === undefined) return line;
  members.delete("other");
  for (const [name, value] of rawMembers(other)) members.set(name, value);
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

export interface WrittenPart {
  readonly file: string;
  readonly bytes: number;
  /** The number of row groups. */
  readonly groups: number;
  readonly footer: Footer;
}

/** Writes rows of a dataset. `see` gets each row as it was read back. */
export async function writePart(
  part: string,
  kind: DatasetKind,
  rows: readonly string[],
  footerOf: (written: WrittenRows) => Footer,
  see: (row: string) => void,
): Promise<WrittenPart> {
  const columns = columnsOf(rowShape(factsOfKind(kind).endpoint));
  let footer: Footer | undefined;
  const receiptOf = (written: WrittenRows): string => {
    footer = footerOf(written);
    return writeFooter(footer);
  };
  const { bytes, groups } = await writeParquet(part, columns, rows, receiptOf, see);
  if (footer === undefined) throw new Error("a file without a footer");
  return { file: part, bytes, groups, footer };
}

/** The file is on the disk and has been read back before it may replace anything. */
export async function writeParquet(
  part: string,
  columns: readonly ParquetColumn[],
  rows: readonly string[],
  receiptOf: (written: WrittenRows) => string,
  see?: (row: string) => void,
): Promise<Pick<WrittenPart, "bytes" | "groups">> {
  const file = createPart(part);
  let receipt = "";
  try {
    const writer = createParquetWriter({ columns, write: file.write });
    await writer.add(rows);
    const written = await writer.finish((summary) => {
      receipt = receiptOf(summary);
      return receipt;
    });
    file.sync();
    const groups = await checkPart(part, receipt, written, see);
    return { bytes: file.size(), groups };
  } catch (cause) {
    removeFile(part);
    throw cause;
  } finally {
    file.close();
  }
}

async function checkPart(
  part: string,
  receipt: string,
  { rows_sha256 }: WrittenRows,
  see: ((row: string) => void) | undefined,
): Promise<number> {
  const hash = createRowHash();
  let groups = 0;
  const found = await withParquet(part, async (parquet) => {
    for await (const { lines, rows } of parquet.groups()) {
      hash.add(lines, rows);
      groups += 1;
      if (see !== undefined) for (const line of lines.toString().split("\n")) if (line !== "") see(line);
    }
    return parquet.receipt;
  }).catch((cause: unknown) => {
    if (cause instanceof UnreadableParquet) return undefined;
    throw cause;
  });
  if (found !== receipt || hash.summary().rows_sha256 !== rows_sha256) throw notWritten(part);
  return groups;
}

function notWritten(part: string) {
  return fail("output", `${part} does not contain the rows that were written to it`, {
    next: "check the disk and the memory of this machine, and run the command again",
  });
}

/** A period that is in a file, as it is copied to another one. */
export interface StoredPeriod {
  readonly file: string;
  readonly range: GroupRange;
  readonly footer: Footer;
}

/** Whether each byte of the rows is as it was written. */
export async function isIntact(file: string, { begin, end }: GroupRange): Promise<boolean> {
  try {
    await withParquet(file, async (parquet) => {
      for (let group = begin; group < end; group += 1) await parquet.bytesOf(group);
    });
    return true;
  } catch (cause) {
    if (cause instanceof UnreadableParquet) return false;
    throw cause;
  }
}

/** Writes a file with these periods. As with a single one, it has been read back before it may replace anything. */
export async function joinPeriods(part: string, periods: readonly StoredPeriod[]): Promise<void> {
  const names = [...new Set(periods.map(({ file }) => file))];
  const sources = new Map(names.map((name) => [name, openStored(name)]));
  const file = createPart(part);
  try {
    const receipt = writeFooters(periods.map(({ footer }) => footer));
    const pieces = periods.flatMap(({ file: name, range }) => {
      const source = sources.get(name);
      return source === undefined ? [] : [{ source, ...range }];
    });
    await joinParquet(pieces, receipt, file.write);
    file.sync();
    const end = periods.reduce((sum, { range }) => sum + range.end - range.begin, 0);
    const found = await withParquet(part, (parquet) => parquet.receipt).catch(() => undefined);
    if (found !== receipt || !(await isIntact(part, { begin: 0, end }))) throw notWritten(part);
  } catch (cause) {
    removeFile(part);
    throw cause;
  } finally {
    file.close();
    for (const source of sources.values()) source?.close();
  }
}
