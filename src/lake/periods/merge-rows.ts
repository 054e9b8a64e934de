import { candleLength, type Dataset } from "../dataset.ts";
import { type LakeRow, sortRows } from "./lake-row.ts";

/** A part of a period that was read. `to` is undefined if it reaches the service's present time. */
export interface ReadPart {
  readonly from: number;
  readonly to: number | undefined;
  /** The service's time at the first response, in Unix seconds. */
  readonly present: number;
  /** Whether the list is complete. Otherwise, earlier rows that it lacks are kept. */
  readonly isProven: boolean;
}

export interface Merged {
  /** Oldest first, without the absent ones. */
  readonly rows: readonly LakeRow[];
  /** Settled rows of the file in the part that was read, which the service did not return. */
  readonly absent: readonly LakeRow[];
  /** Earlier rows in the part that was read. */
  readonly reread: readonly LakeRow[];
  /** New rows with the same ID and log index as another new row, but with other content. */
  readonly twins: number;
}

/** In seconds. Block producers may set times a few seconds ahead; rows that are further ahead wait for a later run. */
const tolerance = 60;

/**
 * Puts what was read in the place of what the file has there. `staged` is in the order of the list. Earlier rows before
 * `settled` do not disappear here: they are absent.
 */
export function mergeRows(
  dataset: Pick<Dataset, "kind" | "interval">,
  period: { readonly from: number; readonly to: number },
  before: readonly LakeRow[],
  staged: readonly LakeRow[],
  part: ReadPart,
  settled = Number.NEGATIVE_INFINITY,
): Merged {
  const length = candleLength(dataset) ?? 0;
  const end = Math.min(part.to ?? Number.POSITIVE_INFINITY, period.to);
  const latest = length === 0 ? part.present + tolerance : part.present;
  const isInPart = ({ at }: LakeRow): boolean => at.seconds >= part.from && at.seconds < end;
  const read = staged.filter((row) => isInPart(row) && row.at.seconds + length <= latest);
  // Transactions are listed from newest to oldest.
  const fresh = withoutCopies(dataset.kind === "transactions" ? read.toReversed() : read);
  const keys = new Set(fresh.map(({ key }) => key));
  const kept = before.filter((row) => (isInPart(row) ? !part.isProven && !keys.has(row.key) : true));
  const isMissing = (row: LakeRow): boolean => part.isProven && isInPart(row) && !keys.has(row.key);
  return {
    rows: sortRows([...kept, ...fresh]),
    absent: before.filter((row) => isMissing(row) && row.at.seconds < settled),
    reread: before.filter(isInPart),
    twins: fresh.length - keys.size,
  };
}

/** A pull that was interrupted may have the rows of a page twice. */
function withoutCopies(rows: readonly LakeRow[]): readonly LakeRow[] {
  const seen = new Set<string>();
  return rows.filter(({ text }) => {
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
}

/** The time up to which rows need not be read again. */
export function settledTime(
  dataset: Pick<Dataset, "kind" | "interval">,
  part: ReadPart,
  end: number,
  settling: number,
): number {
  const length = candleLength(dataset) ?? 1;
  const settled = Math.floor((part.present - settling) / length) * length;
  return Math.max(part.from, Math.min(end, settled));
}
