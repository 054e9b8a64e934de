import type { Dataset } from "../dataset.ts";
import type { LostRange } from "../footer.ts";
import type { DamagedFile, LakeFileState, ReadFile } from "../files/stored-periods.ts";
import type { LakeRow } from "./lake-row.ts";
import type { Period } from "../layout.ts";
import type { ReadPart } from "./merge-rows.ts";

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
