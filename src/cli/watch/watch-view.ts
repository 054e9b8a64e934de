import type { Changes } from "./compare-rounds.ts";
import type { Round } from "./round.ts";

/** Where the rounds of a watch are shown. */
export interface WatchView {
  /** `at`: the instant the round was asked for, in milliseconds since the epoch. */
  readonly show: (round: Round, changes: Changes, at: number) => Promise<void>;
  /** This round brought nothing, for a reason that may pass. */
  readonly failed: (reason: string) => void;
  /** The next round begins at this reading of the clock that only grows. */
  readonly waiting: (until: number) => void;
  readonly close: () => Promise<void>;
}

/** Names of rows that did not come again, the first few of them. */
export function goneSentence(gone: readonly string[]): string {
  const more = gone.length > mostNamed ? ` and ${gone.length - mostNamed} more` : "";
  return `no longer there: ${gone.slice(0, mostNamed).join(", ")}${more}`;
}

const mostNamed = 3;
