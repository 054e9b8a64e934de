import { expect } from "vitest";
import type { Course } from "./blind-run.ts";
import type { DueEvent, LiveHost } from "./live-host.ts";

export interface ReportedGap {
  /** In milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly names: readonly string[];
  readonly reason: string;
}

/** The gaps in the lines of `--events`. */
export function gapsOf(log: string): readonly ReportedGap[] {
  return log
    .split("\n")
    .filter((line) => line.includes('"event":"gap"'))
    .map((line) => {
      const { from, to, names, reason } = JSON.parse(line);
      return { from: Date.parse(from), to: Date.parse(to), names, reason };
    });
}

/** The numbers of the events in whole lines. */
export function numbersIn(lines: string): ReadonlySet<number> {
  const whole = lines.slice(0, lines.lastIndexOf("\n") + 1).split("\n");
  return new Set(whole.filter(Boolean).map((line): number => JSON.parse(line).number));
}

export interface Heard {
  readonly host: Pick<LiveHost, "events">;
  readonly delivered: ReadonlySet<number>;
  readonly gaps: readonly ReportedGap[];
  /** Whether the run had asked for the asset at this time, in milliseconds since the epoch. */
  readonly isAsked: (asset: string, at: number) => boolean;
}

/** Events that the file lacks. */
export function lostEvents({ host, delivered, isAsked }: Heard): readonly DueEvent[] {
  return host.events.filter(({ asset, number, due }) => !delivered.has(number) && isAsked(asset, due));
}

/** Lost events that lie in no gap of their asset. */
export function unreported(heard: Heard): readonly DueEvent[] {
  // The log has whole milliseconds.
  return lostEvents(heard).filter(
    ({ asset, due }) =>
      !heard.gaps.some(({ from, to, names }) => names.includes(asset) && due >= from - 1 && due <= to + 1),
  );
}

export interface Excess {
  readonly gap: ReportedGap;
  /** In milliseconds, before and after the loss. */
  readonly beyond: number;
}

/** For each gap with a loss, how far it reaches beyond the delivered events around the loss. */
export function excess(heard: Heard): readonly Excess[] {
  const lost = lostEvents(heard);
  return heard.gaps.flatMap((gap) => {
    const { from, to, names } = gap;
    const within = lost.filter(({ asset, due }) => names.includes(asset) && due >= from && due <= to);
    const [first, last] = [within[0], within.at(-1)];
    if (first === undefined || last === undefined) return [];
    const kept = heard.host.events.filter(
      ({ asset, number }) => names.includes(asset) && heard.delivered.has(number),
    );
    const before = kept.findLast(({ due }) => due < first.due)?.due ?? from;
    const after = kept.find(({ due }) => due > last.due)?.due ?? to;
    return [{ gap, beyond: Math.max(before - from, to - after) }];
  });
}

interface Ran {
  readonly host: Pick<LiveHost, "events">;
  readonly course: Course;
  /** With `--envelope`. */
  readonly lines: string;
  readonly log: string;
  /** Events that were due later are not expected. */
  readonly end: number;
}

/** The bars of a run: no loss outside of a gap, narrow gaps, no event under another asset, and credits as many as lines. */
export function checkRun({ host, course, lines, log, end }: Ran): number {
  const rows = lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const misfiled = rows.filter(
    ({ network, address, data }) =>
      network !== undefined && `${network}:${address}` !== `${data.chain}:${data.address}`,
  );
  expect(misfiled).toEqual([]);
  const delivered = new Set<number>(rows.map(({ data }) => data.number));
  const gaps = gapsOf(log);
  for (const { from, to } of gaps) expect(to).toBeGreaterThanOrEqual(from);
  const isAsked = (asset: string, at: number): boolean =>
    at < end && (course.listed.get(asset) ?? []).some(({ from, until }) => at >= from && at < until);
  const heard = { host, delivered, gaps, isAsked };
  expect({ seen: course.done, unreported: unreported(heard) }).toEqual({ seen: course.done, unreported: [] });
  // How much of a backlog still arrived cannot be known.
  const isDoubted = ({ from, to }: ReportedGap): boolean =>
    course.doubts.some((doubt) => from <= doubt.until && to >= doubt.from);
  const wide = excess(heard).filter(({ gap, beyond }) => beyond > 2000 && !isDoubted(gap));
  expect(wide).toEqual([]);
  const last = JSON.parse(log.trim().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ event: "credits", events: rows.length });
  return lostEvents(heard).length;
}
