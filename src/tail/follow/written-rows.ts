import type { Question } from "../../contract/args.ts";
import { type RowShape, rowShape } from "../../contract/endpoint.ts";
import { type EarlierFile, earlierFiles } from "../../files/file-pattern.ts";
import { readLastLines } from "../../files/last-lines.ts";
import { member } from "../../json/raw-json.ts";
import { reachSeconds } from "./known-rows.ts";
import { readTailRow, type TailRow } from "./tail-row.ts";

/** The last rows of earlier runs. */
export interface WrittenRows {
  /** The file with the newest row. */
  readonly file: string;
  /** Of this pool. Undefined if lines do not identify their rows, as with `--fields`. */
  readonly rows: readonly TailRow[] | undefined;
  /** Unix seconds: every row that the files have from there on is in `rows`. */
  readonly since: number;
}

/** Bytes at the end of each file that are read to find the newest one: tens of rows. */
const probeBytes = 32 * 1024;
/** Bytes at the end of the newest files that are read: a few thousand rows each. */
const endBytes = 2 * 1024 * 1024;
/** Files in which rows of other pools hide the rows of this one, before the search for them ends. */
const maxDeepReads = 20;

/**
 * The rows at the end of earlier runs' files; undefined if there is nothing yet. The newest file is found by its rows: after
 * a clock was set back, newer rows have an older file name, and an older time of change. `latest`: unix seconds; a row that
 * is dated later does not show how far its file goes.
 */
export async function readWrittenRows(
  pattern: string,
  { endpoint, args }: Question,
  latest: number,
): Promise<WrittenRows | undefined> {
  const [shape, pool] = [rowShape(endpoint), args.get("pool_address")?.toLowerCase()];
  /** Returns undefined if a line does not identify its row. */
  const readEnd = async (file: string, bytes: number): Promise<FileEnd | undefined> => {
    try {
      const { lines, isCut } = await readLastLines(file, bytes);
      const rows = lines.map((line) => readRow(shape, line)).filter(({ value }) => isOf(value, pool));
      return { rows, newest: newestSecond(rows, latest), isCut };
    } catch {
      return undefined;
    }
  };
  const probed: Probed[] = [];
  let deepReads = 0;
  for (const earlier of earlierFiles(pattern)) {
    let end = await readEnd(earlier.file, probeBytes);
    if (end?.newest === undefined && end?.isCut === true && deepReads < maxDeepReads) {
      deepReads += 1;
      end = await readEnd(earlier.file, endBytes);
    }
    probed.push({ ...earlier, end });
  }
  const newest = newestOf(probed);
  const unreadable = lastWritten(probed.filter(({ end }) => end === undefined));
  if (unreadable !== undefined && (newest === undefined || isLater(unreadable, newest)))
    return { file: unreadable.file, rows: undefined, since: latest };
  if (newest === undefined) {
    const other = lastWritten(probed);
    return other && { file: other.file, rows: [], since: latest };
  }
  const ends: FileEnd[] = [];
  // A file whose newest row is out of reach has no row in it.
  for (const { file, end } of probed) {
    if ((end?.newest ?? Number.NEGATIVE_INFINITY) < (newest.end?.newest ?? 0) - reachSeconds) continue;
    const whole = await readEnd(file, endBytes);
    if (whole !== undefined) ends.push(whole);
  }
  return { file: newest.file, rows: ends.flatMap(({ rows }) => rows), since: sinceOf(ends) };
}

interface Probed extends EarlierFile {
  readonly end: FileEnd | undefined;
}

function newestOf(files: readonly Probed[]): Probed | undefined {
  const dated = files.filter(({ end }) => end?.newest !== undefined);
  return dated.toSorted((one, other) => (other.end?.newest ?? 0) - (one.end?.newest ?? 0))[0];
}

function lastWritten(files: readonly Probed[]): Probed | undefined {
  return files.toSorted((one, other) => other.writtenAt - one.writtenAt)[0];
}

/** Only the time of change of an unreadable file is known; a file under its own name is always the last one. */
function isLater(unreadable: Probed, readable: Probed): boolean {
  if (unreadable.isMovedAway && !readable.isMovedAway) return false;
  return unreadable.writtenAt > readable.writtenAt;
}

/** In the oldest second that was read, and in that of a file whose end alone was read, earlier rows may be missing. */
function sinceOf(ends: readonly FileEnd[]): number {
  const cut = ends.filter(({ isCut, rows }) => isCut && rows.length > 0).map(({ rows }) => oldest(rows) + 1);
  return Math.max(oldest(ends.flatMap(({ rows }) => rows)) + 1, ...cut);
}

function oldest(rows: readonly TailRow[]): number {
  return rows.reduce((least, { at }) => Math.min(least, at.seconds), Number.POSITIVE_INFINITY);
}

/** Unix seconds of the newest row that is not dated later than `latest`; undefined if there is none. */
function newestSecond(rows: readonly TailRow[], latest: number): number | undefined {
  const seconds = rows.map(({ at }) => at.seconds).filter((second) => second <= latest);
  return seconds.length === 0 ? undefined : seconds.reduce((most, second) => Math.max(most, second));
}

/** The rows of this pool at the end of a file. */
interface FileEnd {
  readonly rows: readonly TailRow[];
  /** Unix seconds; undefined if there is none. */
  readonly newest: number | undefined;
  /** The file has more before them. */
  readonly isCut: boolean;
}

function readRow(shape: RowShape, line: string): TailRow {
  const value: unknown = JSON.parse(line);
  const isIdentified = shape.identity.every((field) => member(value, field) !== undefined);
  if (!isIdentified || typeof value !== "object" || value === null) throw new Error("the line is not a row");
  return readTailRow(shape, line, value);
}

/** Runs for several pools may have used one file. */
function isOf(row: object, pool: string | undefined): boolean {
  const of = member(row, "pool_id");
  return typeof of !== "string" || of.toLowerCase() === pool;
}

/**
 * Where a follow continues after written rows: no row since `from` was written, except `rows`. `latest`: unix seconds; a
 * row that is dated later does not show how far the others go.
 */
export function continuationOf({ rows = [], since }: Pick<WrittenRows, "rows" | "since">, latest: number) {
  const newest = newestSecond(rows, latest);
  if (newest === undefined) return undefined;
  const from = Math.min(newest, Math.max(since, newest - reachSeconds));
  return {
    from: { seconds: from, fraction: "" },
    newest: { seconds: newest, fraction: "" },
    rows: rows.filter(({ at }) => at.seconds >= from),
  };
}
