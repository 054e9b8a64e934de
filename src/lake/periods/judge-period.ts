import { completeAge, settlingTime } from "../coverage.ts";
import type { Contradiction, LostRange } from "../footer.ts";
import type { FileState } from "../layout.ts";

/** What is known about a period after a part of it was read. Times are in Unix seconds. */
export interface Evidence {
  readonly kind: "transactions" | "candles";
  /** `from` is the start of the dataset if it begins in the middle. */
  readonly period: { readonly from: number; readonly to: number };
  /** The service's time at the first response. */
  readonly now: number;
  /** Whether the clocks agree well enough to say that a day is over. */
  readonly isClockSure: boolean;
  /** The file so far; undefined if there is none, or if it cannot be used. */
  readonly held: StoredEvidence | undefined;
  readonly read: ReadEvidence;
  /** Ranges that the plan excludes, or that the service no longer has. */
  readonly lost: readonly LostRange[];
  /**
   * Whether the service has shown a row at or before the start of the period, after its last page: then the period was
   * not cut. Candles that are out of reach are refused, so they need no witness.
   */
  readonly isWitnessed: boolean;
}

export interface StoredEvidence {
  readonly state: FileState;
  /** Where the file begins. */
  readonly from: number;
  readonly rows: number;
  /** The service's own count of the rows, if it was higher than what it returned. */
  readonly total: number | null;
  /** When the period was last read in full; undefined if it never was. */
  readonly readAt: number | undefined;
  readonly contradicted: Contradiction | null;
}

export interface ReadEvidence {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  /** Whether the service's count agrees, if it gives one. */
  readonly isProven: boolean;
  /** Whether all rows belong to this pool and to this time range. */
  readonly isSound: boolean;
  /** Settled rows of the file that were not returned, and the SHA-256 of their keys. */
  readonly absent: { readonly rows: number; readonly sha256: string };
}

/** What happens to the file. */
export type Verdict =
  /** The file stays as it is. */
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
 * Rows are lost only if they were held or counted, or if the plan excludes them.
 */
export function judgePeriod(evidence: Evidence): Verdict {
  const { period, now, held, read, lost, isClockSure } = evidence;
  const { isProven, isSound, absent } = read;
  const lacksRows = isProven && absent.rows > 0;
  const isWitnessed =
    evidence.isWitnessed || evidence.kind === "candles" || (held?.state === "rows" && !lacksRows);
  const means = isWitnessed && isSound && isClockSure;
  const before = held?.contradicted ?? undefined;
  const isRepeated = means && before?.absent_sha256 === absent.sha256;
  const isConfirmed = lacksRows && isRepeated && now - (before?.at ?? now) >= settlingTime;
  const isAgain = isRepeated && !isConfirmed;
  const noted = { at: now, rows: absent.rows, absent_sha256: means && lacksRows ? absent.sha256 : null };
  const contradicted = !lacksRows || isConfirmed ? null : isAgain && before !== undefined ? before : noted;

  const covered = Math.max(period.from, ...lost.map((range) => range.to));
  // The dataset begins earlier now. The file is complete from its own start on, so only rows before it can be lost.
  const isWider = held?.state === "rows" && period.from < held.from && covered <= held.from;
  const isFromStart = read.from <= covered || (isWider && covered === held.from);
  const isInFull = isFromStart && read.to === period.to && now >= period.to;
  const isOver = now >= period.to + completeAge;
  const isEmptyAgain = held?.rows === 0 && held.readAt !== undefined && now - held.readAt >= settlingTime;
  const hasRows = read.rows > 0 || isConfirmed || isEmptyAgain;
  const isWhole = lost.length === 0 || isWider;
  const isComplete = isInFull && isOver && isProven && means && hasRows && contradicted === null && isWhole;
  // Without the note, each run would read the same rows again.
  if (held?.state === "rows" && !isComplete)
    return isProven && means && contradicted === null
      ? { does: "nothing" }
      : { does: "note", contradicted: contradicted ?? noted };
  const hadRows = held !== undefined && (held.rows > 0 || (held.total ?? 0) > held.rows);
  const isRefused = lost.some(({ why }) => why.startsWith("plan "));
  const isLost = isOver && lost.length > 0 && (isRefused || hadRows || read.rows > 0);
  const state = isComplete ? "rows" : isLost ? "lost" : "open";
  return { does: "write", state, dropsAbsent: isConfirmed, contradicted };
}
