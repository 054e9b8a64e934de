import type { Meter } from "../../client/spending/meter.ts";
import type { Output } from "../../context/context.ts";
import { newTally, type Tally } from "../../pull/progress.ts";
import { countedSink, newHash, type Sink } from "../../files/out/sink.ts";

/** What the runs before have cost. */
export interface Spent {
  readonly requests: number;
  readonly credits: number;
  readonly inDoubt: number;
  readonly creditsBefore?: string | undefined;
}

export const nothingSpent: Spent = { requests: 0, credits: 0, inDoubt: 0 };

/** Where the rows go, and how far the pull is that brings them. */
export interface Destination {
  readonly sink: Sink;
  /** The file that has the rows now; undefined for stdout. */
  readonly rowsAt: () => string | undefined;
  readonly tally: Tally;
  /** Of the runs before. */
  readonly before: Spent;
  /** Milliseconds since the epoch: when the first of them began; undefined where this is the first. */
  readonly started: number | undefined;
  /** The rows counted in the tally have been written. */
  readonly note: (meter: Meter) => void;
  readonly finish: () => Promise<void>;
  /** The run has succeeded, also its receipt: there is nothing to continue. */
  readonly forget: () => void;
  /** The run ends before its output is complete. */
  readonly abandon: () => Promise<void>;
  /** Whether the same command with --resume continues after that. */
  readonly canContinue: () => boolean;
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
