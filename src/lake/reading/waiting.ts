import type { partsOf, TimeRange } from "../coverage.ts";
import type { LostRange } from "../footer.ts";
import type { Reach } from "./lake-reach.ts";
import type { StagedRows } from "./pull-range.ts";

export type Part = ReturnType<typeof partsOf>[number];

/** A time range whose rows were read, but which is not yet in the files. */
export interface Waiting {
  readonly staged: StagedRows;
  readonly parts: readonly Part[];
  /** Before its start was moved to what the service still has. */
  readonly wanted: TimeRange;
  readonly reach: Reach | undefined;
  readonly before: readonly LostRange[];
  /** When its last page arrived; see `createWitnesses`. */
  readonly step: number;
}
