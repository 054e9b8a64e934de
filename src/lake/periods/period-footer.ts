import type { Dataset } from "../dataset.ts";
import { type LostRange, type Footer, identityOf } from "../footer.ts";
import type { DamagedFile, LakeFileState, ReadFile } from "../files/stored-periods.ts";
import { type LakeRow, type ReadPart, settledTime } from "./lake-rows.ts";
import type { Period } from "../layout.ts";
import { version } from "../../base/version.ts";
import type { WrittenRows } from "../../rows/parquet-writer.ts";
import { completeAge, settlingTime } from "../coverage.ts";
import type { Verdict } from "./judge-period.ts";

/** What was read about one period, or that it can no longer be read. */
export interface PeriodUpdate {
  readonly dataset: Dataset;
  readonly period: Period;
  readonly held: LakeFileState | undefined;
  readonly part: ReadPart;
  /** In the order of the list. */
  readonly rows: readonly LakeRow[];
  /** The service's count of the rows of the part; undefined if it gives none. */
  readonly total: number | undefined;
  readonly lost: readonly LostRange[];
  /** Days before the first file that the service does not have. */
  readonly before: readonly LostRange[];
  /** See `Evidence`. */
  readonly isWitnessed: boolean;
  readonly isSound: boolean;
  readonly isClockSure: boolean;
}

/** Ready to be written. */
export interface ReadUpdate extends PeriodUpdate {
  readonly held: ReadFile | DamagedFile | undefined;
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
  const { rows: count, rows_sha256, first, last, spilled } = summary;
  const old = held?.footer;
  const { begin, covered, end, lost, isInFull } = extentOf(update);
  const before = Math.max(begin, old?.settled_to ?? begin);
  // If the earlier file was damaged, nothing before the part is settled, so the next run reads all of the period.
  const isSettled = part.isProven && part.from <= Math.max(covered, before);
  const settled = isSettled ? settledTime(dataset, part, end, settlingTime) : before;
  const isNow = isInFull && lost.length === 0;
  const isFinal = isNow && verdict.state !== "lost" && part.present >= period.to + completeAge;
  const earlier = update.before.length === 0 ? old?.before : update.before;
  const isSecond = dataset.kind !== "transactions" && held?.state === "rows";
  return {
    ...identityOf(dataset),
    period: { from: begin, to: period.to },
    state: verdict.state,
    settled_to: settled,
    unsettled: rows.filter(({ at }) => at.seconds >= settled).length,
    read_at: isInFull ? part.present : (old?.read_at ?? null),
    total: isNow ? (total ?? null) : null,
    total_at: isNow && total !== undefined ? part.present : null,
    rows: count,
    rows_sha256,
    first: first === null ? null : markOf(update, first),
    last: last === null ? null : markOf(update, last),
    tokens: [...new Set(rows.flatMap(({ tokens }) => tokens))].toSorted(),
    lost: [...lost],
    ...(earlier !== undefined && { before: [...earlier] }),
    ...(verdict.state === "rows" ? { witnessed: true } : isFinal && { witnessed: isWitnessed }),
    ...(isSecond && { reread_at: part.present }),
    ...(verdict.contradicted !== null && { contradicted: verdict.contradicted }),
    spilled: { ...spilled },
    service,
    dexdata: version,
  };
}

/** The time range of a file, and what of it was read. */
export function extentOf({ dataset, period, held, part, lost: unread }: PeriodUpdate) {
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

/** The fields that identify the row, and its time. */
function markOf({ dataset: { kind } }: PeriodUpdate, row: string): unknown {
  const value: unknown = JSON.parse(row);
  const fields = kind === "transactions" ? ["id", "log_index", "created_at"] : ["time_open"];
  return Object.fromEntries(Object.entries(Object(value)).filter(([name]) => fields.includes(name)));
}
