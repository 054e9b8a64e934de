import { namesAndLabels } from "../../../client/subject.ts";
import { endCause } from "../../../client/ending.ts";
import { formatDuration } from "../../../api/duration.ts";
import { fail, type Failure } from "../../../base/failure.ts";
import { createRepeatLimiter, createSeries } from "../../run/repeat-limiter.ts";
import { fallbackPollMs } from "../../../client/follow-wake.ts";
import type { Clock } from "../../../base/context/context.ts";
import { compareRows, type FollowedRow } from "../../../client/followed-row.ts";
import type { Gap, Moment } from "../../../client/stream-options.ts";
import { counted, instant } from "../../../base/text/words.ts";
import type { Instant } from "../../../base/time/time.ts";
import type { FollowLog } from "../flags/lasting-flags.ts";
import { type FollowedList, listTitle, pollLine } from "./followed-lists.ts";
import type { Session } from "./open-session.ts";

export type FollowReport = ReturnType<typeof createFollowReport>;

/** Reports everything except rows: to people on stderr, and to programs in the `--events` file. */
export function createFollowReport(session: Session, list: FollowedList) {
  const sinks = createSinks(session, list);
  const holes = createHoles(session.run.context.clock);
  return {
    ...reportOfStream(sinks, holes),
    ...reportOfReads(sinks, holes),
    ...reportOfRows(sinks, session.present),
  };
}

type Sinks = ReturnType<typeof createSinks>;

function createSinks({ run, log, isOfMany, queue }: Session, list: FollowedList) {
  const { context, report, metrics } = run;
  const { clock } = context;
  const names = list.pool && namesAndLabels([list.pool]);
  /** Adds the list, unless it is the only one. */
  const named = (line: string): string => (isOfMany ? `${listTitle(list)}: ${line}` : line);
  const isHostDown = (): boolean => queue?.isDown() === true;
  const logNamed = ((event) => log({ ...event, ...names })) satisfies FollowLog;
  return {
    /** While the host is down, the failures of all lists are already reported as one. */
    warn: (line: string): void => (isHostDown() ? undefined : report.warn(named(line))),
    /** Why a read still waits, although it has not failed yet. */
    outage: (): string | undefined => {
      if (isHostDown()) return "the service failed";
      return isOfMany ? undefined : report.outage();
    },
    info: report.info,
    log: logNamed,
    /** If the wall clock was set, the length differs from the times. */
    logGap: (
      times: Pick<Hole, "from" | "to">,
      reason: string,
      milliseconds = times.to - times.from,
    ): void => {
      metrics?.missed(milliseconds);
      logNamed({ event: "gap", ...timesOf(times), reason });
    },
    isOne: !isOfMany,
    startFlag: list.pool === undefined ? "--created-after" : "--from",
    named,
    clock,
    /** The connection has opened or was lost. */
    changed: metrics?.changed,
    timesToTell: createRepeatLimiter(clock),
  };
}

function reportOfStream(sinks: Sinks, holes: Holes) {
  const { warn, log, logGap, timesToTell, changed } = sinks;
  const lost = createSeries(sinks.clock);
  let [isListening, isPollSaid] = [false, false];
  return {
    /** Whether the stream is currently open and triggers reads. */
    isListening: () => isListening,
    opened: (at: Moment, gap: Gap | undefined): void => {
      isListening = true;
      changed?.();
      lost.end();
      log({ event: "open", at: instant(at.now) });
      if (gap === undefined) return;
      const hole = { from: gap.from.now, to: gap.to.now };
      holes.add({ ...hole, readAfter: at.elapsed });
      logGap(hole, gap.reason, gap.to.elapsed - gap.from.elapsed);
      warn(`stream disconnected ${shown(hole)} (${gap.reason}); backfilling`);
    },
    streamLost: ({ message: reason }: Failure, wait: number): void => {
      const line = `${isListening ? "stream lost" : "cannot open the stream"}: ${reason}`;
      isListening = false;
      changed?.();
      log({ event: "retry", reason, wait_ms: wait });
      const meanwhile = isPollSaid ? "" : `; meanwhile ${pollLine(fallbackPollMs)}`;
      isPollSaid = true;
      if (lost.isNews(line)) warn(`${line}; reconnecting in ${formatDuration(wait)}${meanwhile}`);
    },
    said: (kind: "warning" | "error" | "unknown", text: string): void => {
      const line =
        kind === "unknown"
          ? `ignoring stream events of an unknown kind "${text}"`
          : `stream ${kind}: ${text}`;
      const times = timesToTell(line);
      if (times === undefined) return;
      log({ event: kind, message: text, ...(times > 1 && { times }) });
      warn(line);
    },
  };
}

function reportOfReads(sinks: Sinks, holes: Holes) {
  const { warn, info, log, logGap, isOne, named, startFlag, outage } = sinks;
  const series = createSeries(sinks.clock);
  return {
    readFailed: ({ message: reason }: Failure, wait: number): void => {
      holes.failed();
      log({ event: "read_failed", reason, wait_ms: wait });
      if (series.isNews(reason)) warn(`${reason}; retrying in ${formatDuration(wait)}`);
    },
    caughtUp: (began: number, rows: number): void => {
      series.end();
      for (const hole of holes.filledBy(began)) {
        log({ event: "filled", ...timesOf(hole), rows });
        if (isOne) info(`gap filled ${shown(hole)}: ${counted(rows, "row")}`);
      }
    },
    readOld: holes.old,
    /** Undefined if the last read succeeded, so that no rows are missing at the end. */
    behind: (): Failure | undefined => {
      const hole = holes.unread(outage() !== undefined);
      if (hole === undefined) return undefined;
      const reason = series.reason() ?? outage();
      logGap(hole, reason ?? "no read was complete");
      if (reason === undefined)
        return fail("not_read", named(`no read was complete ${shown(hole)}; rows may be missing`), {
          next: "use a longer --for; with --out, the next run continues",
        });
      return fail("not_read", named(`all reads failed ${shown(hole)}; the last rows may be missing`), {
        next: `run it again with ${startFlag} ${timesOf(hole).from}`,
      });
    },
  };
}

function reportOfRows({ warn, log, logGap, clock, isOne }: Sinks, { latest }: Session["present"]) {
  let isAheadSaid = false;
  let last: FollowedRow | undefined;
  let unlistedLine: string | undefined;
  /** `at` is the time of the first row that is later than the service's current time. */
  const tellAhead = (rows: number, at: Instant): void => {
    const first = instant(at.seconds * 1000);
    log({ event: "ahead", rows, first });
    const line = `dated after the service's current time (first: ${first}); written, but ignored when choosing where to resume`;
    if (!isAheadSaid) warn(`${counted(rows, "row")} ${line}`);
    isAheadSaid = true;
  };
  return {
    unwritten: (rows: number): void => {
      log({ event: "unwritten", rows });
      const line = "may be missing at the end: the program reading the output did not accept them";
      warn(`${counted(rows, "row")} ${line}`);
    },
    /** Rows that are older than one already written were indexed too late, and those of the future have a wrong date. */
    written: (rows: readonly FollowedRow[]): void => {
      const present = latest();
      const ahead = rows.filter(({ at }) => at.seconds > present);
      if (ahead[0] !== undefined) tellAhead(ahead.length, ahead[0].at);
      let [late, seconds] = [0, 0];
      for (const row of rows.filter(({ at }) => at.seconds <= present)) {
        if (last !== undefined && compareRows(row, last) < 0) {
          late += 1;
          seconds = Math.max(seconds, last.at.seconds - row.at.seconds);
        } else last = row;
      }
      if (late === 0) return;
      log({ event: "late", rows: late, seconds });
      const older = `up to ${formatDuration(seconds * 1000)} older than rows already written`;
      // Of a hundred pools, one almost always has a late row.
      if (isOne) warn(`${counted(late, "late row")}, ${older}`);
    },
    unlisted: (rows: number): void => {
      const line = `the service reports ${counted(rows, "more row")} than it returns; they may be missing`;
      if (line !== unlistedLine) warn(line);
      unlistedLine = line;
    },
    forgotten: (rows: number): void =>
      warn(`${counted(rows, "row")} left out: they may have been written more than a day ago`),
    unproved: (from: Instant): void => {
      const times = { from: from.seconds * 1000, to: clock.now() };
      logGap(times, "the service's lists were incomplete");
      warn(`rows since ${instant(times.from)} may be missing: the service's lists were incomplete`);
    },
  };
}

interface Hole {
  readonly from: number;
  readonly to: number;
  /** On the monotonic clock. A read that began earlier may not include all rows in this range. */
  readonly readAfter: number;
}

type Holes = ReturnType<typeof createHoles>;

/** Old copies in a row before the end counts as unread. A cache may return one, and a newer copy a second later. */
const maxOldReads = 3;

/** The time ranges whose rows have not been read: gaps in the stream and the time since the last complete read. */
function createHoles({ now }: Pick<Clock, "now">) {
  let holes: readonly Hole[] = [];
  /** The start, or the end of the last complete read. */
  let readTo = now();
  /** Since then. At the start, nothing was read. */
  let [hasFailed, oldReads] = [false, maxOldReads];
  return {
    add: (hole: Hole): void => void (holes = [...holes, hole]),
    failed: (): void => void (hasFailed = true),
    old: (): void => void (oldReads += 1),
    /** Removes and returns the ranges that a complete read has filled. */
    filledBy: (readFrom: number): readonly Hole[] => {
      const failed = { from: readTo, to: now(), readAfter: Number.NEGATIVE_INFINITY };
      const all = hasFailed ? [...holes, failed] : holes;
      holes = all.filter(({ readAfter }) => readAfter > readFrom);
      [readTo, hasFailed, oldReads] = [failed.to, false, 0];
      return all.filter((hole) => !holes.includes(hole));
    },
    unread: (isWaiting: boolean) =>
      isWaiting || hasFailed || oldReads >= maxOldReads ? { from: readTo, to: now() } : undefined,
  };
}

const timesOf = ({ from, to }: Pick<Hole, "from" | "to">) => ({ from: instant(from), to: instant(to) });

function shown(hole: Pick<Hole, "from" | "to">): string {
  const { from, to } = timesOf(hole);
  return `from ${from} to ${to}`;
}

/** Reports the end of the run, for all lists that were followed until then. */
export function reportEnd(
  { run, flags, log, ending, quota, open }: Session,
  lists: readonly Pick<FollowedList, "pool">[],
): void {
  const { options, report } = run;
  const pools = lists.flatMap(({ pool }) => pool ?? []);
  const names = pools.length > 0 && namesAndLabels(pools);
  const { count: rows } = quota;
  const { requests, events, credits, creditsInDoubt: in_doubt } = open.client.meter;
  log({ event: "close", reason: endCause(ending.signal.reason), ...names });
  log({ event: "credits", rows, requests, events, credits, in_doubt, ...names });
  const say = options.hasStats ? report.print : report.hint;
  const number = counted(rows, pools.length === 0 ? "new pool" : "row");
  say(flags.out === undefined ? `followed ${number}` : `${number} added to ${flags.out}`);
}
