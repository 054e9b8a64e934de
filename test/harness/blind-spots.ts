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
  /** When the run asked for the asset, in milliseconds since the epoch: from, and until, exclusively. */
  readonly asked: (asset: string) => { readonly from: number; readonly until: number };
}

/** Events that the file lacks. */
export function lostEvents({ host, delivered, asked }: Heard): readonly DueEvent[] {
  return host.events.filter(({ asset, number, due }) => {
    const { from, until } = asked(asset);
    return !delivered.has(number) && due >= from && due < until;
  });
}

/** Lost events that lie in no gap of their asset. */
export function unreported(heard: Heard): readonly DueEvent[] {
  // The log has whole milliseconds.
  return lostEvents(heard).filter(
    ({ asset, due }) =>
      !heard.gaps.some(({ from, to, names }) => names.includes(asset) && due >= from - 1 && due <= to + 1),
  );
}

/** For each gap with a loss, how many milliseconds it reaches beyond the delivered events around the loss. */
export function excess(heard: Heard): readonly number[] {
  const lost = lostEvents(heard);
  return heard.gaps.flatMap(({ from, to, names }) => {
    const within = lost.filter(({ asset, due }) => names.includes(asset) && due >= from && due <= to);
    const [first, last] = [within[0], within.at(-1)];
    if (first === undefined || last === undefined) return [];
    const kept = heard.host.events.filter(
      ({ asset, number }) => names.includes(asset) && heard.delivered.has(number),
    );
    const before = kept.findLast(({ due }) => due < first.due)?.due ?? from;
    const after = kept.find(({ due }) => due > last.due)?.due ?? to;
    return [before - from, to - after];
  });
}
