import { hash } from "node:crypto";
import type { WrittenRows } from "../../rows/parquet-writer.ts";
import { completeAge, isOfPlan, settlingTime } from "../coverage.ts";
import { candleLength } from "../dataset.ts";
import type { KnownPeriod } from "../files/stored-periods.ts";
import { type Contradiction, type Footer, describeRows, type LostRange } from "../footer.ts";
import type { FileState } from "../layout.ts";
import type { LakeRow, ReadPart } from "./lake-rows.ts";

/** What was read about one period, or that it can no longer be read. */
export interface PeriodUpdate extends KnownPeriod {
  readonly part: ReadPart;
  /** In the order of the list. */
  readonly rows: readonly LakeRow[];
  /** The service's count of the rows of the part; undefined if it gives none. */
  readonly total: number | undefined;
  readonly lost: readonly LostRange[];
  /** Days before the first file that the service does not have. */
  readonly before: readonly LostRange[];
  /**
   * Whether the service has shown a row at or before the start of the period, after its last page: then the period was
   * not cut. Candles that are out of reach are refused, so they need no witness.
   */
  readonly isWitnessed: boolean;
  /** Whether the clocks agree well enough to say that a day is over. */
  readonly isClockSure: boolean;
}

/** The time range of a file, and what of it was read. */
function extentOf({ dataset, period, held, part, lost: unread }: PeriodUpdate) {
  const old = held?.footer;
  const begin = Math.max(period.from, Math.min(dataset.from, old?.period.from ?? dataset.from));
  const end = Math.min(part.to ?? Number.POSITIVE_INFINITY, period.to);
  const newly = held?.state === "rows" ? rangesBefore(unread, old?.period.from ?? begin) : unread;
  const lost = newly.length > 0 || part.from <= begin ? newly : (old?.lost ?? []);
  const covered = Math.max(begin, ...lost.map((range) => range.to));
  const isJoined = held?.state === "rows" && begin < covered && covered === old?.period.from;
  const isInFull = (part.from <= covered || isJoined) && end === period.to && part.present >= period.to;
  return { begin, covered, end, lost, isInFull };
}

/** A complete file has all rows from its own start on. */
function rangesBefore(ranges: readonly LostRange[], limit: number): readonly LostRange[] {
  return ranges
    .filter(({ from }) => from < limit)
    .map((range) => ({ ...range, to: Math.min(range.to, limit) }));
}

type Verdict =
  | { readonly does: "nothing" }
  /** The rows stay, and the footer says that a read lacked some of them, or that it could not confirm them. */
  | { readonly does: "note"; readonly contradicted: Contradiction }
  /** A new file is written. Settled rows that were not returned are dropped only if `dropsAbsent`. */
  | {
      readonly does: "write";
      readonly state: FileState;
      readonly dropsAbsent: boolean;
      readonly contradicted: Contradiction | null;
    };

/**
 * Decides what a period is. A period is complete only by evidence that points at its rows, never by absence:
 *
 * - It was read in full, 24 hours after its end or later, and the service's count agrees.
 * - A witness shows that the service still has the time before it.
 * - No row belongs to another pool.
 * - Every settled row of the file was returned. A row goes only when two reads, an hour apart or more, lack the same rows.
 * - An empty list is believed when a second run finds it empty, too.
 *
 * Rows are lost only if they were held or counted, or if the plan excludes them. `absent` are settled rows of the file that
 * were not returned.
 */
export function judgePeriod(update: PeriodUpdate, absent: readonly LakeRow[]): Verdict {
  const { dataset, period, held, part, rows, isClockSure } = update;
  const { present: now, isProven } = part;
  const { begin, covered, lost, isInFull } = extentOf(update);
  const footer = held?.footer;
  const wasComplete = footer?.state === "rows";
  const lacksRows = isProven && absent.length > 0;
  const isWitnessed = update.isWitnessed || dataset.kind !== "transactions" || (wasComplete && !lacksRows);
  const means = isWitnessed && isClockSure;
  const before = footer?.contradicted;
  const sha256 = hashOfKeys(absent);
  const isRepeated = means && before?.absent_sha256 === sha256;
  const isConfirmed = lacksRows && isRepeated && now - (before?.at ?? now) >= settlingTime;
  const isAgain = isRepeated && !isConfirmed;
  const noted = { at: now, rows: absent.length, absent_sha256: means && lacksRows ? sha256 : null };
  const contradicted = !lacksRows || isConfirmed ? null : isAgain && before !== undefined ? before : noted;

  // The dataset begins earlier now. The file is complete from its own start on, so only rows before it can be lost.
  const isWider = wasComplete && begin < footer.period.from && covered <= footer.period.from;
  const isOver = now >= period.to + completeAge;
  const isEmptyAgain = footer?.rows === 0 && footer.read_at !== null && now - footer.read_at >= settlingTime;
  const isReturned = rows.some(({ at }) => at.seconds >= period.from && at.seconds < period.to);
  const hasRows = isReturned || isConfirmed || isEmptyAgain;
  const isWhole = lost.length === 0 || isWider;
  const isComplete = isInFull && isOver && isProven && means && hasRows && contradicted === null && isWhole;
  // Without the note, each run would read the same rows again.
  if (wasComplete && !isComplete)
    return isProven && means && contradicted === null
      ? { does: "nothing" }
      : { does: "note", contradicted: contradicted ?? noted };
  const hadRows = footer !== undefined && (footer.rows > 0 || (footer.total ?? 0) > footer.rows);
  const isRefused = lost.some(({ why }) => isOfPlan(why));
  const isLost = isOver && lost.length > 0 && (isRefused || hadRows || isReturned);
  const state = isComplete ? "rows" : isLost ? "lost" : "open";
  return { does: "write", state, dropsAbsent: isConfirmed, contradicted };
}

function hashOfKeys(rows: readonly LakeRow[]): string {
  const keys = rows.map(({ key }) => key).toSorted();
  return hash("sha256", JSON.stringify(keys));
}

interface Written {
  readonly service: string;
  readonly update: PeriodUpdate;
  readonly verdict: Extract<Verdict, { does: "write" }>;
  readonly rows: readonly LakeRow[];
  readonly summary: WrittenRows;
}

/** What a new file says about its rows. */
export function footerOf({ service, update, verdict, rows, summary }: Written): Footer {
  const { dataset, period, held, part, total, isWitnessed } = update;
  const { first, last } = summary;
  const old = held?.footer;
  const { begin, covered, end, lost, isInFull } = extentOf(update);
  const before = Math.max(begin, old?.settled_to ?? begin);
  // If the earlier file was damaged, nothing before the part is settled, so the next run reads all of the period.
  const isSettled = part.isProven && part.from <= Math.max(covered, before);
  const length = candleLength(dataset) ?? 1;
  const latest = Math.floor((part.present - settlingTime) / length) * length;
  const settled = isSettled ? Math.max(part.from, Math.min(end, latest)) : before;
  const isNow = isInFull && lost.length === 0;
  const isFinal = isNow && verdict.state !== "lost" && part.present >= period.to + completeAge;
  const earlier = update.before.length === 0 ? old?.before : update.before;
  const isSecond = dataset.kind !== "transactions" && held?.state === "rows";
  return {
    ...describeRows(dataset, summary, service),
    period: { from: begin, to: period.to },
    state: verdict.state,
    settled_to: settled,
    unsettled: rows.filter(({ at }) => at.seconds >= settled).length,
    read_at: isInFull ? part.present : (old?.read_at ?? null),
    total: isNow ? (total ?? null) : null,
    total_at: isNow && total !== undefined ? part.present : null,
    first: first === null ? null : markOf(update, first),
    last: last === null ? null : markOf(update, last),
    tokens: [...new Set(rows.flatMap(({ tokens }) => tokens))].toSorted(),
    lost: [...lost],
    ...(earlier !== undefined && { before: [...earlier] }),
    ...(verdict.state === "rows" ? { witnessed: true } : isFinal && { witnessed: isWitnessed }),
    ...(isSecond && { reread_at: part.present }),
    ...(verdict.contradicted !== null && { contradicted: verdict.contradicted }),
  };
}

/** The fields that identify the row, and its time. */
function markOf({ dataset: { kind } }: PeriodUpdate, row: string): unknown {
  const value: unknown = JSON.parse(row);
  const fields = kind === "transactions" ? ["id", "log_index", "created_at"] : ["time_open"];
  return Object.fromEntries(Object.entries(Object(value)).filter(([name]) => fields.includes(name)));
}
