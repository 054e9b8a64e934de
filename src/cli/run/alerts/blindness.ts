import { groupBy } from "../../../base/group-by.ts";
import type { Clock } from "../../../base/context/context.ts";
import { instant } from "../../../base/text/words.ts";
import type { Moment } from "../../../client/gap.ts";
import { nameOf, namesAndLabels, type Subject } from "../../../client/subject.ts";
import { type Alert, idOf } from "./alerts.ts";

/** What a run knows about assets that share a connection or a list. */
export interface Sight {
  readonly subjects: readonly Subject[];
  /** Nothing can be missing up to here. */
  readonly until: Moment;
  /** When data or a ping last arrived. */
  readonly seen: Moment;
  /** When the connection was opened, if it is open and data or a ping has arrived on it. */
  readonly opened: Moment | undefined;
}

interface Interval {
  readonly from: Moment;
  /** The last sign of life before it. */
  readonly seen: Moment;
}

/**
 * Reports assets that have had no data for `limit` milliseconds, and again when data arrives.
 * Assets that lost their connection at the same time are one alert.
 */
export function createBlindness(
  clock: Pick<Clock, "now" | "elapsed">,
  limit: number,
  act: (alert: Alert) => void,
) {
  /** Assets that became blind together share the interval. */
  let blind: ReadonlyMap<string, Interval> = new Map();
  /** `most` is the largest sum so far, because a counter must not decrease when the exact end of an interval is known. */
  let [seconds, most] = [0, 0];
  const secondsOf = ({ from }: Interval, to = clock.elapsed()): number => (to - from.elapsed) / 1000;
  const report = (kind: "blind" | "back", subjects: readonly Subject[], from: Moment, to?: Moment): void => {
    const times = { from: instant(from.now), ...(to !== undefined && { to: instant(to.now) }) };
    const named = namesAndLabels(subjects);
    const alert = { id: idOf([kind, times, named.names]), alert: kind };
    const line = `${JSON.stringify({ ...alert, at: instant(clock.now()), ...times, ...named })}\n`;
    // Commands for one asset run in order, so "back" follows "blind".
    act({ ...alert, condition: "", asset: named.names[0] ?? "", label: undefined, line });
  };
  return {
    /** Forgets assets that are no longer listed or that the service has ended: their blind interval would never end. */
    tick: (sights: readonly Sight[]): void => {
      const still = new Map<string, Interval>();
      const ends = new Map<Interval, number>();
      for (const { subjects, until, seen, opened } of sights) {
        const isBlind = clock.elapsed() - seen.elapsed >= limit;
        for (const [before, group] of groupBy(subjects, (subject) => blind.get(nameOf(subject)))) {
          if (isBlind) {
            const interval = before ?? { from: until, seen };
            for (const subject of group) still.set(nameOf(subject), interval);
            if (before === undefined) report("blind", group, until);
          } else if (before !== undefined) {
            const isNew = opened !== undefined && opened.elapsed > before.seen.elapsed;
            // A new connection that was silent for too long was no end of the interval.
            const to = isNew && seen.elapsed - opened.elapsed < limit ? opened : seen;
            ends.set(before, to.elapsed);
            report("back", group, before.from, to);
          }
        }
      }
      const left = new Set(still.values());
      for (const each of new Set(blind.values()))
        if (!left.has(each)) seconds += secondsOf(each, ends.get(each));
      blind = still;
    },
    seconds: (): number => {
      most = Math.max(
        most,
        [...new Set(blind.values())].reduce((sum, each) => sum + secondsOf(each), seconds),
      );
      return most;
    },
  };
}
