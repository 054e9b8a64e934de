import type { FileSource } from "../../src/base/files/synced-file.ts";
import { openParquet, type ParquetFile } from "../../src/rows/parquet-file.ts";
import type { ParquetColumn } from "../../src/rows/parquet-format.ts";
import { createParquetWriter, type WrittenRows } from "../../src/rows/parquet-writer.ts";

export function sourceOf(file: Buffer): FileSource {
  return { size: file.length, read: (start, end) => Buffer.from(file.subarray(start, end)) };
}

/** Writes rows in pages, as a pull does. */
export async function writeFile(
  columns: readonly ParquetColumn[],
  rows: readonly string[],
  receipt = "{}",
  pageSize = 100,
): Promise<{ readonly file: Buffer; readonly written: WrittenRows }> {
  const pieces: Buffer[] = [];
  const writer = createParquetWriter({
    columns,
    write: (bytes) => {
      pieces.push(Buffer.from(bytes));
      return Promise.resolve();
    },
  });
  for (let at = 0; at < rows.length; at += pageSize) await writer.add(rows.slice(at, at + pageSize));
  const written = await writer.finish(() => receipt);
  return { file: Buffer.concat(pieces), written };
}

export async function linesOf(file: ParquetFile): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const group of file.groups()) lines.push(...group.lines.toString().split("\n").slice(0, -1));
  return lines;
}

/** Rejects for a damaged file. */
export async function open(file: Buffer): Promise<ParquetFile> {
  return await Promise.resolve().then(() => openParquet(sourceOf(file)));
}
