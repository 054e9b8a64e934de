import type { StreamReport } from "./stream-report.ts";

/** How many connections there are, by what they are doing. */
export interface ConnectionTally {
  readonly state: () => {
    readonly wanted: number;
    readonly open: number;
    readonly retrying: number;
    readonly gaps: number;
    /** Not open when all of it ended. */
    readonly missed: number;
  };
  /** So many at the start, before any of them says a word. */
  readonly plan: (connections: number) => number;
  /** The same report, counted on its way. */
  readonly counting: (report: StreamReport) => StreamReport;
}

export function createTally(): ConnectionTally {
  let planned = 0;
  const states = new Map<number, "open" | "retrying">();
  let gaps = 0;
  let missed = 0;
  let hasChanged = false;
  const count = (wanted: "open" | "retrying"): number =>
    [...states.values()].filter((state) => state === wanted).length;
  return {
    plan: (connections) => {
      planned = connections;
      return connections;
    },
    state: () => ({
      wanted: hasChanged ? states.size : Math.max(planned, states.size),
      open: count("open"),
      retrying: count("retrying"),
      gaps,
      missed,
    }),
    counting: (report) => ({
      ...report,
      opened: (shard, at, gap) => {
        states.set(shard.number, "open");
        if (gap !== undefined) gaps += 1;
        report.opened(shard, at, gap);
      },
      retrying: (shard, failure, wait) => {
        states.set(shard.number, "retrying");
        report.retrying(shard, failure, wait);
      },
      missed: (shard, gap, missing) => {
        missed += 1;
        report.missed(shard, gap, missing);
      },
      closed: (shard, why) => {
        hasChanged = true;
        states.delete(shard.number);
        report.closed(shard, why);
      },
    }),
  };
}
