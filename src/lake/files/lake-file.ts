import { rowShape } from "../../api/endpoint.ts";
import { createPart, type StoredFile } from "../../base/files/synced-file.ts";
import { removeFile } from "../../base/files/paths.ts";
import { rawMembers } from "../../base/json/json-scan.ts";
import { columnsOf, type ParquetColumn, UnreadableParquet } from "../../rows/parquet-format.ts";
import { joinParquet } from "../../rows/join-parquet.ts";
import {
  groupsOf,
  openExisting,
  openParquet,
  type ParquetFile,
  readParquet,
  type RowRange,
  rowRanges,
  tryParquet,
  withParquet,
  wronglyWritten,
} from "../../rows/parquet-file.ts";
import { createParquetWriter, type WrittenRows } from "../../rows/parquet-writer.ts";
import { type DatasetKind, factsOfKind } from "../dataset.ts";
import { type Footer, writeFooter, writeFooters } from "../footer.ts";
import { periodAt } from "../layout.ts";

/**
 * The rows of a file, or some of them, as JSON, which a writer accepts again. Throws UnreadableParquet if any byte of
 * them has changed, or if they do not have this hash.
 */
export async function readRows(file: string, range?: RowRange, sha256?: string): Promise<readonly string[]> {
  return await withParquet(file, async (parquet) => await rowsIn(parquet, range, sha256));
}

async function rowsIn(parquet: ParquetFile, range?: RowRange, sha256?: string): Promise<readonly string[]> {
  const rows: string[] = [];
  const see = (lines: Buffer): unknown => rows.push(...linesIn(lines).map(asSent));
  const found = await readParquet(parquet, see, range);
  if (sha256 !== undefined && found.rows_sha256 !== sha256)
    throw new UnreadableParquet("the rows have changed");
  return rows;
}

/** Reads periods. A file stays open until another one is needed, because its periods share row groups. */
export function openPeriods() {
  let source: StoredFile | undefined;
  let latest: { readonly file: string; readonly parquet: ParquetFile } | undefined;
  const close = (): void => {
    source?.close();
    [source, latest] = [undefined, undefined];
  };
  return {
    close,
    rows: async ({ file, range, footer }: StoredPeriod): Promise<readonly string[]> => {
      if (latest?.file !== file) {
        close();
        const opened = openExisting(file);
        source = opened;
        latest = { file, parquet: openParquet(opened) };
      }
      return await rowsIn(latest.parquet, range, footer.rows_sha256);
    },
  };
}

const linesIn = (lines: Buffer): readonly string[] => lines.toString().split("\n").slice(0, -1);

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

export interface StoredPeriod {
  readonly file: string;
  readonly range: RowRange;
  readonly footer: Footer;
}

/** A new file with one period. `bytes` is its size. */
export interface WrittenPart extends StoredPeriod {
  readonly bytes: number;
}

/** Writes rows of a dataset. `footerOf` is called more than once, and `see` with each row as it was read back. */
export async function writePart(
  part: string,
  kind: DatasetKind,
  rows: readonly string[],
  footerOf: (written: WrittenRows) => Footer,
  see: (row: string) => void = () => undefined,
): Promise<WrittenPart> {
  const columns = columnsOf(rowShape(factsOfKind(kind).endpoint));
  const receiptOf = (summary: WrittenRows): string => writeFooter(footerOf(summary));
  const { bytes, written } = await writeParquet(part, columns, rows, receiptOf, see);
  return { file: part, bytes, range: { begin: 0, end: rows.length }, footer: footerOf(written) };
}

/** `bytes` is the size of the file. */
export async function writeParquet(
  part: string,
  columns: readonly ParquetColumn[],
  rows: readonly string[],
  receiptOf: (written: WrittenRows) => string,
  see: (row: string) => void = () => undefined,
): Promise<{ readonly bytes: number; readonly written: WrittenRows }> {
  return await writeChecked(
    part,
    async (write) => {
      const writer = createParquetWriter({ columns, write });
      await writer.add(rows);
      return await writer.finish(receiptOf);
    },
    async (parquet, written) => {
      const { rows_sha256 } = await readParquet(parquet, (lines) => linesIn(lines).forEach(see));
      return rows_sha256 === written.rows_sha256 && parquet.receipt === receiptOf(written);
    },
  );
}

/** The file is on the disk and has been read back before it may replace anything. */
async function writeChecked<Written>(
  part: string,
  write: (write: (bytes: Uint8Array) => Promise<void>) => Promise<Written>,
  isSame: (parquet: ParquetFile, written: Written) => Promise<boolean>,
): Promise<{ readonly bytes: number; readonly written: Written }> {
  const file = createPart(part);
  try {
    const written = await write(file.write);
    file.sync();
    if ((await tryParquet(part, async (parquet) => await isSame(parquet, written))) !== true)
      throw wronglyWritten(part);
    return { bytes: file.size(), written };
  } catch (cause) {
    removeFile(part);
    throw cause;
  } finally {
    file.close();
  }
}

/** Whether each byte of the rows is as it was written. */
export const isIntact = async (file: string, range: RowRange): Promise<boolean> =>
  (await tryParquet(file, (parquet) => hasIntactBytes(parquet, range))) ?? false;

function hasIntactBytes(parquet: ParquetFile, range: RowRange): true {
  const { first, last } = groupsOf(parquet, range);
  for (let group = first; group < last; group += 1) parquet.bytesOf(group);
  return true;
}

/**
 * The last day of the month is complete. Until then, each day has its own row groups, so that adding rows copies those of
 * the other days.
 */
function isMonthOver({ state, period, settled_to }: Footer): boolean {
  return state === "rows" && settled_to >= periodAt({ interval: "24h" }, period.from).to;
}

export async function joinPeriods(part: string, periods: readonly StoredPeriod[]): Promise<void> {
  const footers = periods.map(({ footer }) => footer);
  const receipt = writeFooters(footers);
  const isPacked = footers.some(isMonthOver);
  await writeChecked(
    part,
    async (write) => await joinParquet(periods, receipt, write, isPacked),
    async (parquet, isCopied) => {
      // Throws unless the file has as many rows as its footers say.
      const ranges = rowRanges(parquet, footers);
      if (isCopied)
        return hasIntactBytes(parquet, { begin: 0, end: parquet.rows }) && parquet.receipt === receipt;
      for (const [index, range] of ranges.entries()) {
        const { rows_sha256 } = await readParquet(parquet, undefined, range);
        if (rows_sha256 !== footers[index]?.rows_sha256) return false;
      }
      return parquet.receipt === receipt;
    },
  );
}
