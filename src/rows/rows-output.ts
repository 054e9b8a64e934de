import type { Meter } from "../client/meter.ts";
import type { Output } from "../base/context/context.ts";
import type { GrowingFile } from "./out-files/growing-file.ts";
import { countedSink, newHash } from "./out-files/row-file.ts";
import type { PullCost } from "./checkpoint-lines.ts";

export const noCost: PullCost = { requests: 0, credits: 0, inDoubt: 0 };

/** Where a pull writes its rows. */
export interface RowsOutput extends Omit<GrowingFile, "rowsAt" | "checkpoint" | "abort"> {
  /** The file that currently contains the rows; undefined for stdout. */
  readonly rowsAt: () => string | undefined;
  /** Undefined if all rows belong to one file. */
  readonly split:
    | {
        readonly pattern: string;
        /** The files that have rows from earlier runs. */
        readonly begun: ReadonlySet<string>;
        readonly write: (file: string, rows: number, text: Buffer) => Promise<void>;
      }
    | undefined;
  /** Call this once the rows counted in the totals have been written. */
  readonly checkpoint: (meter: Meter) => Promise<void>;
  /** Call this if the run ends early. A later run counts the requests since the last checkpoint, too. */
  readonly abort: (meter: Meter) => Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

export function openStdout(stdout: Output, isHashed: boolean): RowsOutput {
  return {
    sink: countedSink(stdout.write, 0, newHash(isHashed)),
    rowsAt: () => undefined,
    split: undefined,
    checkpoint: () => Promise.resolve(),
    commit: nothing,
    removeCheckpoint: () => undefined,
    abort: nothing,
    canContinue: () => false,
    files: () => undefined,
  };
}
