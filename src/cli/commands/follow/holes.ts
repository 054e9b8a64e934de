import type { Clock } from "../../../base/context/context.ts";
import { instant } from "../../../base/text/words.ts";

interface Hole {
  readonly from: number;
  readonly to: number;
  /** On the monotonic clock. A read that began earlier may not include all rows in this range. */
  readonly readAfter: number;
}

export type Holes = ReturnType<typeof createHoles>;

/** Old copies in a row before the end counts as unread. A cache may return one, and a newer copy a second later. */
const maxOldReads = 3;

/** The time ranges whose rows have not been read: gaps in the stream and the time since the last successful read. */
export function createHoles({ now }: Pick<Clock, "now">) {
  const began = now();
  let oldReads = 0;
  let holes: Hole[] = [];
  let lastRead: number | undefined;
  let failedSince: number | undefined;
  return {
    add: (hole: Hole): void => {
      holes.push(hole);
    },
    failed: (): void => {
      failedSince ??= lastRead ?? now();
    },
    old: (): void => {
      oldReads += 1;
    },
    /** Removes and returns the ranges that a successful read has filled. */
    filledBy: (readFrom: number): readonly Hole[] => {
      lastRead = now();
      oldReads = 0;
      if (failedSince !== undefined)
        holes.push({ from: failedSince, to: lastRead, readAfter: Number.NEGATIVE_INFINITY });
      failedSince = undefined;
      const filled = holes.filter(({ readAfter }) => readAfter <= readFrom);
      holes = holes.filter(({ readAfter }) => readAfter > readFrom);
      return filled;
    },
    unread: () => {
      const isCurrent = lastRead !== undefined && oldReads < maxOldReads;
      const from = failedSince ?? (isCurrent ? undefined : (lastRead ?? began));
      return from === undefined ? undefined : { from, to: now() };
    },
  };
}

export function timesOf({ from, to }: Pick<Hole, "from" | "to">): {
  readonly from: string;
  readonly to: string;
} {
  return { from: instant(from), to: instant(to) };
}

export function shown(hole: Pick<Hole, "from" | "to">): string {
  const { from, to } = timesOf(hole);
  return `from ${from} to ${to}`;
}
