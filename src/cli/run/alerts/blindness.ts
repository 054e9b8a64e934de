import { groupBy } from "../../../base/group-by.ts";
import type { Clock } from "../../../base/context/context.ts";
import { instant } from "../../../base/text/words.ts";
import { type Moment, momentOf } from "../../../client/stream-options.ts";
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

/** Shared by all assets that became blind at the same time. */
interface Interval {
  readonly from: Moment;
  /** The first of them. Commands for one asset run in order, so "back" follows "blind". */
  readonly asset: string;
}

interface Blind {
  readonly subject: Subject;
  readonly interval: Interval;
  /** The last sign of life before it. */
  readonly seen: Moment;
}

const earlier = (one: Moment, other: Moment): Moment => (one.elapsed < other.elapsed ? one : other);
const later = (one: Moment, other: Moment): Moment => (one.elapsed > other.elapsed ? one : other);

/**
 * Reports assets that have had no data for `limit` milliseconds, and again when data arrives. Assets that become blind
 * or return at the same time are one alert.
 */
export function createBlindness(
  clock: Pick<Clock, "now" | "elapsed">,
  limit: number,
  act: (alert: Alert) => void,
) {
  let blind: ReadonlyMap<string, Blind> = new Map();
  const time = createBlindTime(clock);
  const report = (all: readonly { readonly subject: Subject }[], interval: Interval, to?: Moment): void => {
    const times = { from: instant(interval.from.now), ...(to !== undefined && { to: instant(to.now) }) };
    const named = namesAndLabels(all.map(({ subject }) => subject));
    const kind = to === undefined ? "blind" : "back";
    const alert = { id: idOf([kind, times, named.names]), alert: kind } as const;
    const line = `${JSON.stringify({ ...alert, at: instant(clock.now()), ...times, ...named })}\n`;
    act({ ...alert, condition: "", asset: interval.asset, label: undefined, line });
  };
  /** A new connection ends the interval when it opens, unless it was silent for too long. */
  const endOf = ({ opened, seen }: Sight, before: Blind): Moment => {
    const isNew = opened !== undefined && opened.elapsed > before.seen.elapsed;
    return isNew && seen.elapsed - opened.elapsed < limit ? opened : seen;
  };
  return {
    /** Forgets assets that are no longer listed or that the service has ended: their blind interval would never end. */
    tick: (sights: readonly Sight[]): void => {
      const all = sights.flatMap((sight) =>
        sight.subjects.map((subject) => {
          const isBlind = timeSince(sight.seen, clock) >= limit;
          return { subject, sight, isBlind, before: blind.get(nameOf(subject)) };
        }),
      );
      const still = all.flatMap(({ isBlind, before }) => (isBlind && before ? [before] : []));
      const back = all.flatMap(({ isBlind, before, sight }) =>
        isBlind || before === undefined ? [] : [{ ...before, to: endOf(sight, before) }],
      );
      // The others are no longer listed.
      if (still.length + back.length < blind.size) time.end(momentOf(clock));
      for (const [interval, group] of groupBy(back, (each) => each.interval)) {
        const to = group.map((each) => each.to).reduce(later);
        time.end(to);
        report(group, interval, to);
      }
      const [first, ...others] = all.filter(({ isBlind, before }) => isBlind && before === undefined);
      if (first !== undefined) {
        const from = others.map(({ sight }) => sight.until).reduce(earlier, first.sight.until);
        const interval = { from, asset: nameOf(first.subject) };
        const lost = [first, ...others].map(({ subject, sight }) => ({
          subject,
          interval,
          seen: sight.seen,
        }));
        time.begin(from);
        report(lost, interval);
        still.push(...lost);
      }
      if (still.length === 0) time.over();
      blind = new Map(still.map((each) => [nameOf(each.subject), each]));
    },
    seconds: time.seconds,
  };
}

/** In milliseconds. While the machine is suspended, only the wall clock goes on. */
function timeSince(seen: Moment, clock: Pick<Clock, "now" | "elapsed">): number {
  return Math.max(clock.elapsed() - seen.elapsed, clock.now() - seen.now);
}

/** The time in which any asset was blind. */
function createBlindTime({ elapsed }: Pick<Clock, "elapsed">) {
  let [sum, start, end] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  /** The largest result so far, because a counter must not decrease when the exact end is known. */
  let most = 0;
  return {
    begin: (from: Moment): void => {
      start = Math.min(start, Math.max(from.elapsed, end));
    },
    end: (to: Moment): void => {
      end = Math.max(end, to.elapsed);
    },
    /** No asset is blind. */
    over: (): void => {
      sum += Math.max(0, end - start);
      start = Number.POSITIVE_INFINITY;
    },
    seconds: (): number => {
      most = Math.max(most, sum + Math.max(0, elapsed() - start));
      return most / 1000;
    },
  };
}
