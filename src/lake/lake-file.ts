import { rowShape } from "../api/endpoint.ts";
import { fail } from "../base/failure.ts";
import { createPart, openStored } from "../base/files/stored-file.ts";
import { removeFile } from "../base/files/paths.ts";
import { rawMembers } from "../base/json/raw-json.ts";
import { columnsOf, type ParquetColumn } from "../rows/parquet/parquet-columns.ts";
import { openParquet, type ParquetFile, UnreadableParquet } from "../rows/parquet/parquet-file.ts";
import { createParquetWriter, type WrittenRows } from "../rows/parquet/parquet-writer.ts";
import { createRowHash } from "../rows/parquet/canonical-rows.ts";
import { type DatasetKind, factsOfKind } from "./dataset.ts";
import { type Footer, writeFooter } from "./footer.ts";

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

/** The rows as JSON, which a writer accepts again. Throws UnreadableParquet if any byte of the file has changed. */
export async function readRows(file: string): Promise<readonly string[]> {
  const rows = await withParquet(file, async (parquet) => {
    const lines: string[] = [];
    for await (const group of parquet.groups())
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
  const bytes = await writeParquet(part, columns, rows, receiptOf, see);
  if (footer === undefined) throw new Error("a file without a footer");
  return { file: part, bytes, footer };
}

/** The file is on the disk and has been read back before it may replace anything. Returns its size. */
export async function writeParquet(
  part: string,
  columns: readonly ParquetColumn[],
  rows: readonly string[],
  receiptOf: (written: WrittenRows) => string,
  see?: (row: string) => void,
): Promise<number> {
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
    await checkPart(part, receipt, written, see);
    return file.size();
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
): Promise<void> {
  const hash = createRowHash();
  const found = await withParquet(part, async (parquet) => {
    for await (const { lines, rows } of parquet.groups()) {
      hash.add(lines, rows);
      if (see !== undefined) for (const line of lines.toString().split("\n")) if (line !== "") see(line);
    }
    return parquet.receipt;
  }).catch((cause: unknown) => {
    if (cause instanceof UnreadableParquet) return undefined;
    throw cause;
  });
  if (found === receipt && hash.summary().rows_sha256 === rows_sha256) return;
  throw fail("output", `${part} does not contain the rows that were written to it`, {
    next: "check the disk and the memory of this machine, and run the command again",
  });
}
