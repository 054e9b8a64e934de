import type { Question } from "../../api/args.ts";
import { onlyGroup, type RowShape, rowShape } from "../../api/endpoint.ts";
import { createOwnershipCheck } from "../response/ownership.ts";
import { type EarlierFile, earlierFiles, type PathNames } from "../../base/files/file-pattern.ts";
import { readLastLines, withoutPrefix } from "../../base/files/last-lines.ts";
import { member } from "../../base/json/raw-json.ts";
import { readTailRow, type TailRow } from "./tail-row.ts";

export interface WrittenRows {
  /** The file that contains the newest row. */
  readonly file: string;
  /** This pool's rows; undefined if a line does not identify its row, e.g. because of `--fields`. */
  readonly rows: readonly TailRow[] | undefined;
  /** In Unix seconds. From this time on, `rows` contains every row in the files. */
  readonly since: number;
}

/**
 * A run reads again this much of what earlier runs wrote. Before a kill, reads may have been incomplete for as long, so
 * that older rows are missing among the written ones.
 */
const resumeSeconds = 3600;
/** Bytes read from the end of each file to find the newest file; enough for tens of rows. */
const probeBytes = 32 * 1024;
/** Bytes read from the end of the newest files; enough for a few thousand rows each. */
const endBytes = 2 * 1024 * 1024;
/** Maximum number of files read farther back because other pools' rows fill their ends. */
const maxDeepReads = 20;

/**
 * Undefined if there are no files yet. The newest file is determined by its rows, because its name and modification
 * time may be older if the clock was set back. `latest` is in Unix seconds; rows with a later time are ignored when
 * comparing files.
 */
export async function readWrittenRows(
  pattern: string,
  { endpoint, args }: Question,
  latest: number,
): Promise<WrittenRows | undefined> {
  const shape = rowShape(endpoint);
  const findForeign = createOwnershipCheck(endpoint, args, onlyGroup);
  /** Runs for several pools may have used the same file. */
  const isOwn = (row: object): boolean => findForeign?.((field) => [member(row, field)]) === undefined;
  /** Returns undefined if a line does not identify its row. */
  const readEnd = async (file: string, bytes: number): Promise<FileEnd | undefined> => {
    try {
      const { lines, isCut } = await readLastLines(file, bytes);
      const rows = lines.map((line) => readRow(shape, line)).filter(({ value }) => isOwn(value));
      return { rows, newest: newestSecond(rows, latest), isCut };
    } catch {
      return undefined;
    }
  };
  const probed: Probed[] = [];
  let deepReads = 0;
  for (const earlier of earlierFiles(pattern, rowNames(args))) {
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
  // If a file's newest row is too old to matter, so are all its other rows.
  for (const { file, end } of probed) {
    if ((end?.newest ?? Number.NEGATIVE_INFINITY) < (newest.end?.newest ?? 0) - resumeSeconds) continue;
    const whole = await readEnd(file, endBytes);
    if (whole !== undefined) ends.push(whole);
  }
  return { file: newest.file, rows: ends.flatMap(({ rows }) => rows), since: sinceOf(ends) };
}

/** The fields in paths, except the times, that all rows of a pool have. */
export function rowNames(args: Question["args"]): PathNames {
  return { network: args.get("network"), pool: args.get("pool_address") };
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

/**
 * Compares modification times, because nothing else is known about an unreadable file. A file that still has its
 * original name is always the last one.
 */
function isLater(unreadable: Probed, readable: Probed): boolean {
  if (unreadable.isMovedAway && !readable.isMovedAway) return false;
  return unreadable.writtenAt > readable.writtenAt;
}

/** The oldest second read may be incomplete, as may that of any file not read from its start. */
function sinceOf(ends: readonly FileEnd[]): number {
  const cut = ends.filter(({ isCut, rows }) => isCut && rows.length > 0).map(({ rows }) => oldest(rows) + 1);
  return Math.max(oldest(ends.flatMap(({ rows }) => rows)) + 1, ...cut);
}

function oldest(rows: readonly TailRow[]): number {
  return rows.reduce((least, { at }) => Math.min(least, at.seconds), Number.POSITIVE_INFINITY);
}

/** Ignores rows after `latest`, which, like the result, is in Unix seconds. */
function newestSecond(rows: readonly TailRow[], latest: number): number | undefined {
  const seconds = rows.map(({ at }) => at.seconds).filter((second) => second <= latest);
  return seconds.length === 0 ? undefined : seconds.reduce((most, second) => Math.max(most, second));
}

interface FileEnd {
  readonly rows: readonly TailRow[];
  /** In Unix seconds; undefined if there are no rows. */
  readonly newest: number | undefined;
  /** The file has earlier content that was not read. */
  readonly isCut: boolean;
}

function readRow(shape: RowShape, written: string): TailRow {
  const line = withoutPrefix(written);
  const value: unknown = JSON.parse(line);
  const isIdentified = shape.identity.every((field) => member(value, field) !== undefined);
  if (!isIdentified || typeof value !== "object" || value === null) throw new Error("the line is not a row");
  return readTailRow(shape, line, value);
}

/**
 * Except for `rows`, no row since `since` was written. `latest` is in Unix seconds; rows with a later time do not show
 * how far the other rows extend.
 */
export function continuationOf({ rows = [], since }: Pick<WrittenRows, "rows" | "since">, latest: number) {
  const newest = newestSecond(rows, latest);
  if (newest === undefined) return undefined;
  const from = Math.min(newest, Math.max(since, newest - resumeSeconds));
  return {
    from: { seconds: from, fraction: "" },
    newest: { seconds: newest, fraction: "" },
    rows,
    since,
  };
}
