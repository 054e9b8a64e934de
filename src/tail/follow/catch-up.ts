import { compareInstants, type Instant } from "../../time/time.ts";
import type { KnownRows } from "./known-rows.ts";
import type { TakeLook } from "./look.ts";
import type { TailRow } from "./tail-row.ts";

/** New rows, oldest first, and after all that came before. */
export interface Found {
  readonly rows: readonly TailRow[];
  /** Up to the service's present: rows indexed a little late may still come before the last of these. */
  readonly isPresent: boolean;
}

/** Rows held at once: the service lists the newest first, so a slice of time is read whole before it is written. */
const mostRows = 3000;
/** A slice is made to hold about so many. */
const aimedRows = 2000;

/**
 * Everything new, up to the present. The service is asked newest first; what is too much to hold is read in slices of
 * time, from the oldest on. Slices share their edge: whether the service counts a bound as inside or not, no row is
 * lost, and none comes twice, as it is known the second time. The consumer adds to `known` what it takes. `latest`: unix
 * seconds; rows that are dated later come with the last slice.
 */
export async function* catchUp(
  take: TakeLook,
  known: KnownRows,
  latest: () => number,
): AsyncGenerator<Found> {
  let start = known.from();
  let width: number | undefined;
  for (;;) {
    const present = await take({ from: known.from() }, mostRows);
    if (present.kind === "rows") {
      yield { rows: present.rows, isPresent: true };
      return;
    }
    const end = { seconds: Math.min(present.newest.seconds, latest()), fraction: "" };
    if (compareInstants(start, end) >= 0) {
      // All in one second: there is no smaller slice.
      const all = await take({ from: known.from() }, Number.POSITIVE_INFINITY);
      if (all.kind === "rows") yield { rows: all.rows, isPresent: true };
      return;
    }
    width ??= fitted(end.seconds - start.seconds, present.rows);
    while (compareInstants(start, end) < 0) {
      const to: Instant = { seconds: Math.min(start.seconds + width, end.seconds), fraction: "" };
      const taken = to.seconds - start.seconds;
      const slice = await take({ from: start, to }, taken > 1 ? mostRows : Number.POSITIVE_INFINITY);
      if (slice.kind === "too-many") {
        width = Math.min(fitted(taken, slice.rows), Math.floor(taken / 2));
        continue;
      }
      yield { rows: slice.rows, isPresent: false };
      start = to;
      width = Math.min(fitted(taken, slice.rows.length), taken * 2);
    }
  }
}

/** Seconds in which about as many rows are to be expected as are aimed at, by what so many seconds held. */
function fitted(seconds: number, rows: number): number {
  return Math.max(1, Math.floor((seconds * aimedRows) / Math.max(1, rows)));
}
