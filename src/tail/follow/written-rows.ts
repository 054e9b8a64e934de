import { type FileHandle, open } from "node:fs/promises";
import type { Question } from "../../contract/args.ts";
import { type RowShape, rowShape } from "../../contract/endpoint.ts";
import { member } from "../../json/own-member.ts";
import type { Instant } from "../../time/time.ts";
import { type EarlierFile, earlierFiles } from "../../files/earlier-files.ts";
import { readTailRow, type TailRow } from "./tail-row.ts";

/** What earlier runs wrote last. */
export interface WrittenRows {
  /** The file that has the newest row. */
  readonly file: string;
  /** Of this pool. Undefined where lines do not say which rows they are, as with `--fields`. */
  readonly rows: readonly TailRow[] | undefined;
  /** Unix seconds: every row that the files hold from there on is in `rows`. */
  readonly since: number;
}

/** Bytes at the end of each file that are read to find the newest one: tens of rows. */
const probeBytes = 32 * 1024;
/** Bytes at the end of the newest files that are read: a few thousand rows each. */
const endBytes = 2 * 1024 * 1024;
/** Rows that came late stand behind newer ones: so many seconds before the newest are looked at once more. */
const reachSeconds = 600;
/** Files in which the rows of other pools hide those of this one, before the search for them ends. */
const maxDeepReads = 20;

/**
 * The rows at the end of a tail's files; undefined where there is nothing yet. The newest file is found by its rows: a
 * clock that was set back gives newer rows an older name, and an older time of change. `latest`: unix seconds; a row that
 * is dated later does not say how far its file goes.
 */
export async function readWrittenRows(
  pattern: string,
  { endpoint, args }: Question,
  latest: number,
): Promise<WrittenRows | undefined> {
  const reader = { shape: rowShape(endpoint), pool: args.get("pool_address")?.toLowerCase(), latest };
  const probed: Probed[] = [];
  let deepReads = 0;
  for (const earlier of earlierFiles(pattern)) {
    let end = await readEnd(reader, earlier.file, probeBytes);
    if (end?.newest === undefined && end?.isCut === true && deepReads < maxDeepReads) {
      deepReads += 1;
      end = await readEnd(reader, earlier.file, endBytes);
    }
    probed.push({ ...earlier, end });
  }
  const newest = newestOf(probed);
  const unreadable = lastWritten(probed.filter(({ end }) => end === undefined));
  if (newest === undefined) {
    const other = unreadable ?? lastWritten(probed);
    if (other === undefined) return undefined;
    return { file: other.file, rows: unreadable === undefined ? [] : undefined, since: latest };
  }
  if (unreadable !== undefined && isLater(unreadable, newest))
    return { file: unreadable.file, rows: undefined, since: latest };
  const ends: FileEnd[] = [];
  // A file whose newest row is out of reach has none in it.
  for (const { file, end } of probed) {
    if ((end?.newest ?? Number.NEGATIVE_INFINITY) < (newest.end?.newest ?? 0) - reachSeconds) continue;
    const whole = await readEnd(reader, file, endBytes);
    if (whole !== undefined) ends.push(whole);
  }
  return { file: newest.file, rows: ends.flatMap(({ rows }) => rows), since: sinceOf(ends) };
}

interface Probed extends EarlierFile {
  readonly end: FileEnd | undefined;
}

function newestOf(files: readonly Probed[]): Probed | undefined {
  return files.reduce<Probed | undefined>((best, each) => {
    const second = each.end?.newest;
    return second !== undefined && second > (best?.end?.newest ?? Number.NEGATIVE_INFINITY) ? each : best;
  }, undefined);
}

function lastWritten(files: readonly Probed[]): Probed | undefined {
  return files.toSorted((one, other) => other.writtenAt - one.writtenAt)[0];
}

/** Of a file that cannot be read only the time of its last change is known; under its own name it is the last anyway. */
function isLater(unreadable: Probed, readable: Probed): boolean {
  if (unreadable.isMovedAway && !readable.isMovedAway) return false;
  return unreadable.writtenAt > readable.writtenAt;
}

/** In the oldest second that was read, and in that of a file of which only the end was, there may be rows in front. */
function sinceOf(ends: readonly FileEnd[]): number {
  const cut = ends.filter(({ isCut, rows }) => isCut && rows.length > 0).map(({ rows }) => oldest(rows) + 1);
  return Math.max(oldest(ends.flatMap(({ rows }) => rows)) + 1, ...cut);
}

function oldest(rows: readonly TailRow[]): number {
  return rows.reduce((least, { at }) => Math.min(least, at.seconds), Number.POSITIVE_INFINITY);
}

/** The rows of this pool at the end of a file. */
interface FileEnd {
  readonly rows: readonly TailRow[];
  /** Unix seconds; undefined where there is none. */
  readonly newest: number | undefined;
  /** There is more in front of them. */
  readonly isCut: boolean;
}

interface RowReader {
  readonly shape: RowShape;
  readonly pool: string | undefined;
  readonly latest: number;
}

/** Undefined where a line does not say which row it is. */
async function readEnd(
  { shape, pool, latest }: RowReader,
  file: string,
  bytes: number,
): Promise<FileEnd | undefined> {
  try {
    const { lines, isCut } = await readLastLines(file, bytes);
    const rows = lines.map((line) => readRow(shape, line)).filter(({ value }) => isOf(value, pool));
    const seconds = rows.map(({ at }) => at.seconds).filter((second) => second <= latest);
    const newest = seconds.reduce<number | undefined>(
      (most, each) => Math.max(most ?? each, each),
      undefined,
    );
    return { rows, newest, isCut };
  } catch {
    return undefined;
  }
}

function readRow(shape: RowShape, line: string): TailRow {
  const value: unknown = JSON.parse(line);
  const isTold = shape.identity.every((field) => member(value, field) !== undefined);
  if (!isTold || typeof value !== "object" || value === null) throw new Error("the line is no row");
  return readTailRow(shape, line, value);
}

/** Several tails may have used a file. */
function isOf(row: object, pool: string | undefined): boolean {
  const of = member(row, "pool_id");
  return typeof of !== "string" || of.toLowerCase() === pool;
}

/**
 * Complete lines. One that lacks nothing but its end is complete: a run that was killed left it, and the next run that
 * adds to this file ends it.
 */
async function readLastLines(
  file: string,
  bytes: number,
): Promise<{ readonly lines: readonly string[]; readonly isCut: boolean }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const { size } = await handle.stat();
    const end = Buffer.alloc(Math.min(size, bytes));
    const { bytesRead } = await handle.read(end, 0, end.length, size - end.length);
    const lines = end.subarray(0, bytesRead).toString("utf8").split("\n");
    const last = lines.pop() ?? "";
    if (isJson(last)) lines.push(last);
    const isCut = size > end.length;
    return { lines: isCut ? lines.slice(1) : lines, isCut };
  } finally {
    await handle?.close();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where a tail goes on behind rows that were written: nothing since `from` was, but for `rows`. */
export interface Continuation {
  readonly from: Instant;
  readonly newest: Instant;
  readonly rows: readonly TailRow[];
}

/** `latest`: unix seconds; a row that is dated later does not say how far the others go. */
export function continuationOf(
  { rows = [], since }: Pick<WrittenRows, "rows" | "since">,
  latest: number,
): Continuation | undefined {
  const seconds = rows.map(({ at }) => at.seconds).filter((second) => second <= latest);
  if (seconds.length === 0) return undefined;
  const newest = seconds.reduce((most, second) => Math.max(most, second));
  const from = Math.min(newest, Math.max(since, newest - reachSeconds));
  return {
    from: { seconds: from, fraction: "" },
    newest: { seconds: newest, fraction: "" },
    rows: rows.filter(({ at }) => at.seconds >= from),
  };
}
