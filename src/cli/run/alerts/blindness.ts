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
  /** When the connection was opened, if it is open. */
  readonly opened: Moment | undefined;
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
  const blind = new Map<string, { readonly from: Moment; readonly seen: Moment }>();
  /** `most` is the largest sum so far, because a counter must not decrease when the exact end of an interval is known. */
  let [seconds, most] = [0, 0];
  const secondsSince = (from: Iterable<Moment>): number =>
    [...new Set(from)].reduce((sum, each) => sum + (clock.elapsed() - each.elapsed) / 1000, 0);
  const report = (kind: "blind" | "back", subjects: readonly Subject[], from: Moment, to?: Moment): void => {
    const times = { from: instant(from.now), ...(to !== undefined && { to: instant(to.now) }) };
    const named = namesAndLabels(subjects);
    const alert = { id: idOf([kind, times, named.names]), alert: kind };
    const line = `${JSON.stringify({ ...alert, at: instant(clock.now()), ...times, ...named })}\n`;
    // Commands for one asset run in order, so "back" follows "blind".
    act({ ...alert, condition: "", asset: named.names[0] ?? "", label: undefined, line });
  };
  const see = ({ subjects, until, seen, opened }: Sight, now: number): void => {
    const isBlind = now - seen.elapsed >= limit;
    const lost: Subject[] = [];
    const found = new Map<Moment, { readonly to: Moment; readonly subjects: Subject[] }>();
    for (const subject of subjects) {
      const name = nameOf(subject);
      const before = blind.get(name);
      if (before === undefined && isBlind) {
        blind.set(name, { from: until, seen });
        lost.push(subject);
      } else if (before !== undefined && !isBlind) {
        blind.delete(name);
        const to = opened !== undefined && opened.elapsed > before.seen.elapsed ? opened : seen;
        const group = found.get(before.from) ?? { to, subjects: [] };
        found.set(before.from, group);
        group.subjects.push(subject);
      }
    }
    if (lost.length > 0) report("blind", lost, until);
    for (const [from, group] of found) {
      seconds += (group.to.elapsed - from.elapsed) / 1000;
      report("back", group.subjects, from, group.to);
    }
  };
  /** Assets that are no longer on the list, or that the service has ended, would be blind for ever. */
  const forget = (sights: readonly Sight[]): void => {
    const names = new Set(sights.flatMap(({ subjects }) => subjects.map(nameOf)));
    const left = [...blind].filter(([name]) => !names.has(name));
    for (const [name] of left) blind.delete(name);
    const kept = new Set([...blind.values()].map(({ from }) => from));
    seconds += secondsSince(left.flatMap(([, { from }]) => (kept.has(from) ? [] : [from])));
  };
  return {
    tick: (sights: readonly Sight[]): void => {
      if (blind.size > 0) forget(sights);
      for (const sight of sights) see(sight, clock.elapsed());
    },
    seconds: (): number => {
      most = Math.max(most, seconds + secondsSince([...blind.values()].map(({ from }) => from)));
      return most;
    },
  };
}
