import { open } from "node:fs/promises";
import type { Question } from "../../model/args.ts";
import { type RowShape, rowShape } from "../../model/endpoint.ts";
import { member } from "../../model/json/own-member.ts";
import type { Instant } from "../../model/time/time.ts";
import { newestFile } from "./earlier-files.ts";
import { readTailRow, type TailRow } from "./tail-row.ts";

/** What earlier runs wrote last. */
export interface WrittenRows {
  readonly file: string;
  /** Of this pool. Undefined where lines do not say which rows they are, as with `--fields`. */
  readonly rows: readonly TailRow[] | undefined;
}

/** Bytes at the end of a file that are looked at: a few thousand rows. */
const longestEnd = 2 * 1024 * 1024;
/** Rows that came late stand behind newer ones: so many seconds before the newest are looked at once more. */
const reachSeconds = 600;

/** The rows at the end of the newest of a tail's files; undefined where there is nothing yet. */
export async function readWrittenRows(
  pattern: string,
  { endpoint, args }: Question,
  now: number,
): Promise<WrittenRows | undefined> {
  const file = newestFile(pattern, now);
  if (file === undefined) return undefined;
  const shape = rowShape(endpoint);
  const pool = args.get("pool_address")?.toLowerCase();
  try {
    const rows = (await readLastLines(file)).map((line) => readRow(shape, line));
    return { file, rows: rows.filter(({ value }) => isOf(value, pool)) };
  } catch {
    return { file, rows: undefined };
  }
}

function readRow(shape: RowShape, line: string): TailRow {
  const value: unknown = JSON.parse(line);
  const isTold = shape.identity.every((field) => member(value, field) !== undefined);
  if (!isTold || typeof value !== "object" || value === null) throw new Error("the line is no row");
  return readTailRow(shape, line, value);
}

/** Several tails may share a file. */
function isOf(row: object, pool: string | undefined): boolean {
  const of = member(row, "pool_id");
  return typeof of !== "string" || of.toLowerCase() === pool;
}

/** Whole lines. */
async function readLastLines(file: string): Promise<readonly string[]> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const end = Buffer.alloc(Math.min(size, longestEnd));
    const { bytesRead } = await handle.read(end, 0, end.length, size - end.length);
    const lines = end.subarray(0, bytesRead).toString("utf8").split("\n").slice(0, -1);
    return size > end.length ? lines.slice(1) : lines;
  } finally {
    await handle.close();
  }
}

/** Where a tail goes on behind rows that were written: nothing since `from` was, but for `rows`. */
export interface Continuation {
  readonly from: Instant;
  readonly newest: Instant;
  readonly rows: readonly TailRow[];
}

/** `latest`: unix seconds; a row that is dated later does not say how far the others go. */
export function continuationOf(written: readonly TailRow[], latest: number): Continuation | undefined {
  const seconds = written.map(({ at }) => at.seconds).filter((second) => second <= latest);
  if (seconds.length === 0) return undefined;
  const newest = seconds.reduce((most, second) => Math.max(most, second));
  const oldest = seconds.reduce((least, second) => Math.min(least, second));
  // Of the oldest second there may be rows in front of those that were read.
  const from = Math.min(newest, Math.max(oldest + 1, newest - reachSeconds));
  return {
    from: { seconds: from, fraction: "" },
    newest: { seconds: newest, fraction: "" },
    rows: written.filter(({ at }) => at.seconds >= from),
  };
}
