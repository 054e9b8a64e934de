import { createRenderer } from "../../render/formats/formats.ts";
import type { Presentation } from "../../render/renderer.ts";
import type { Report } from "../../run/report.ts";
import { formatInstant } from "../../time/time.ts";
import type { Changes, Round } from "./rounds.ts";

/** The output of the rounds. */
export interface WatchView {
  /** `at`: the time of the round's requests, in milliseconds since the epoch. */
  readonly show: (round: Round, changes: Changes, at: number) => Promise<void>;
  /** This round failed for a reason that may pass. */
  readonly failed: (reason: string) => void;
  /** The next round starts at this time of the monotonic clock. */
  readonly waiting?: (until: number) => void;
  readonly close?: () => Promise<void>;
}

/** Writes all rows of the first round, and then only new and changed rows. */
export async function openWatchLines(report: Report, presentation: Presentation): Promise<WatchView> {
  const renderer = await createRenderer({ ...presentation, hasAges: false });
  return {
    show: async (_, { rows, gone }, at) => {
      for (const group of rows) await renderer.page({ ...group, next: undefined });
      if (gone.length > 0) report.warn(`${instantOf(at)}: ${goneSentence(gone)}`);
    },
    failed: (reason) => report.warn(`${reason}; asking again in the next round`),
  };
}

/** RFC 3339 in whole seconds. */
export function instantOf(milliseconds: number): string {
  return formatInstant({ seconds: Math.floor(milliseconds / 1000), fraction: "" });
}

const mostNamed = 3;

/** Names the first few of the rows that are missing now. */
export function goneSentence(gone: readonly string[]): string {
  const more = gone.length > mostNamed ? ` and ${gone.length - mostNamed} more` : "";
  return `no longer there: ${gone.slice(0, mostNamed).join(", ")}${more}`;
}
