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
  /** The milliseconds in which any asset was blind, up to this time on the monotonic clock. */
  let [blindFor, countedTo] = [0, Number.NEGATIVE_INFINITY];
  /** A time in which several assets are blind counts once. */
  const count = (from: Moment, to: Moment): void => {
    blindFor += Math.max(0, to.elapsed - Math.max(from.elapsed, countedTo));
    countedTo = Math.max(countedTo, to.elapsed);
  };
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
      const present = momentOf(clock);
      const next = new Map<string, Blind>();
      const back = new Map<string, Blind & { readonly to: Moment }>();
      const lost: { readonly subject: Subject; readonly sight: Sight }[] = [];
      for (const sight of sights)
        for (const subject of sight.subjects) {
          const name = nameOf(subject);
          const before = blind.get(name);
          const isBlind = timeSince(sight.seen, present) >= limit;
          if (before === undefined && isBlind) lost.push({ subject, sight });
          else if (before !== undefined && isBlind) next.set(name, before);
          else if (before !== undefined) back.set(name, { ...before, to: endOf(sight, before) });
        }
      for (const [name, { interval }] of blind) count(interval.from, back.get(name)?.to ?? present);
      for (const [interval, group] of groupBy(back.values(), (each) => each.interval))
        report(group, interval, group.map((each) => each.to).reduce(later));
      const [first] = lost;
      if (first !== undefined) {
        const from = lost.map(({ sight }) => sight.until).reduce(earlier);
        const interval = { from, asset: nameOf(first.subject) };
        for (const { subject, sight } of lost)
          next.set(nameOf(subject), { subject, interval, seen: sight.seen });
        count(from, present);
        report(lost, interval);
      }
      blind = next;
    },
    seconds: () => blindFor / 1000,
  };
}

/** In milliseconds. While the machine is suspended, only the wall clock goes on. */
function timeSince(seen: Moment, present: Moment): number {
  return Math.max(present.elapsed - seen.elapsed, present.now - seen.now);
}
