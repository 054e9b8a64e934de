import type { Meter } from "../client/spending/meter.ts";
import type { Output } from "../context/context.ts";
import type { GrowingFile } from "../files/out/growing-file.ts";
import { countedSink, newHash } from "../files/out/sink.ts";
import { newTally, type Tally } from "./tally.ts";

/** The cost of earlier runs. */
export interface Spent {
  readonly requests: number;
  readonly credits: number;
  readonly inDoubt: number;
  readonly creditsBefore?: string | undefined;
}

export const nothingSpent: Spent = { requests: 0, credits: 0, inDoubt: 0 };

/** The destination of the rows of a pull, together with the progress of the pull. */
export interface Destination extends Omit<GrowingFile, "rowsAt" | "note"> {
  /** Returns the file that currently contains the rows; undefined for stdout. */
  readonly rowsAt: () => string | undefined;
  readonly tally: Tally;
  /** The cost of earlier runs of this pull. */
  readonly before: Spent;
  /** The start of the first run in milliseconds since the epoch; undefined if this is the first run. */
  readonly started: number | undefined;
  /** Records that the rows counted in the tally were written. */
  readonly note: (meter: Meter) => void;
}

const nothing = (): Promise<void> => Promise.resolve();

export function openStdout(stdout: Output, isHashed: boolean): Destination {
  return {
    sink: countedSink(stdout.write, 0, newHash(isHashed)),
    rowsAt: () => undefined,
    tally: newTally(),
    before: nothingSpent,
    started: undefined,
    note: () => undefined,
    finish: nothing,
    forget: () => undefined,
    abandon: nothing,
    canContinue: () => false,
  };
}
