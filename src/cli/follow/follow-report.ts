import type { Meter } from "../../client/spending/meter.ts";
import type { Clock } from "../../context/context.ts";
import { fail, type Failure } from "../../contract/failure.ts";
import { formatDuration } from "../../contract/duration.ts";
import { compareInstants, type Instant } from "../../time/time.ts";
import { substituteGap } from "../../tail/follow/schedule.ts";
import { continuationOf, type WrittenRows } from "../../tail/follow/written-rows.ts";
import type { Gap, Moment } from "../../tail/shard.ts";
import type { FollowLog } from "./follow-events.ts";
import { counted } from "../../text/counted.ts";
import { type Notices } from "../notices.ts";
import { instant, seconds } from "../output/times-said.ts";
import { createRepetitions } from "../output/repetitions.ts";

/** Says what becomes of a tail besides its rows: a line on stderr for people, one in `--events` for programs. */
export interface FollowReport {
  readonly opened: (at: Moment, gap: Gap | undefined) => void;
  /** So many events cost as many credits. */
  readonly charged: (events: number) => void;
  readonly streamLost: (failure: Failure, waitMilliseconds: number) => void;
  readonly said: (kind: "warning" | "error" | "unknown", text: string) => void;
  readonly readFailed: (failure: Failure, waitMilliseconds: number) => void;
  /** A read that began then has brought everything; so many rows were new. */
  readonly caughtUp: (began: number, rows: number) => void;
  readonly late: (rows: number, seconds: number) => void;
  /** So many rows are dated ahead of the service's own present, the first of them at that instant. */
  readonly ahead: (rows: number, first: Instant) => void;
  /** The file holds rows of earlier runs. `from`: where it was told to begin. */
  readonly continued: (written: WrittenRows, from: Instant | undefined, latest: number) => void;
  /** At the end so many rows had been read that whoever reads the output did not take. */
  readonly unwritten: (rows: number) => void;
  /** What it was, at the end: so many rows, and what REST cost. */
  readonly ended: (rows: number, meter: Meter) => void;
  /** At a stop that was asked for: why what was written is not whole; undefined where the last read succeeded. */
  readonly behind: () => Failure | undefined;
  /** Whether the stream calls for reads just now. */
  readonly isListening: () => boolean;
}

interface Hole {
  readonly from: number;
  readonly to: number;
  /** A read that began before this instant, on the clock that cannot jump, may lack some of it. */
  readonly readAfter: number;
}

export function createFollowReport(
  { warn, remark }: Pick<Notices, "warn" | "remark">,
  clock: Pick<Clock, "now" | "elapsed">,
  log: FollowLog,
  asset: string,
): FollowReport {
  const named = { assets: 1, names: [asset] };
  let isListening = false;
  const timesToTell = createRepetitions(clock);
  let isPollSaid = false;
  let isAheadSaid = false;
  let events = 0;
  let holes: Hole[] = [];
  let lastRead: number | undefined;
  let failedSince: number | undefined;
  /** Why the last read failed, and the last try for the stream: until one succeeds. */
  let [failedBy, lostBy]: [string?, string?] = [];
  const at = (): string => instant(clock.now());

  /** Of a row of failures the first, and one that has another reason: what it came to is said when it is over. */
  const sayFailure = (before: string | undefined, words: string, text: string): string => {
    if (words !== before && timesToTell(words) !== undefined) warn(text);
    return words;
  };

  return {
    isListening: () => isListening,
    opened: (moment, gap) => {
      [isListening, lostBy] = [true, undefined];
      log({ event: "open", at: instant(moment.now), ...named });
      if (gap === undefined) return;
      const hole = { from: gap.from.now, to: gap.to.now };
      holes.push({ ...hole, readAfter: moment.elapsed });
      log({ event: "gap", ...bounds(hole), reason: gap.reason, ...named });
      warn(`dexdata: the stream was interrupted ${shown(hole)} (${gap.reason}); reading what came meanwhile`);
    },
    charged: (more) => {
      events += more;
    },
    continued: (written, from, latest) => warn(`dexdata: ${continuedLine(written, from, latest)}`),
    unwritten: (rows) => {
      log({ event: "unwritten", at: at(), rows });
      warn(
        `dexdata: ${counted(rows, "row")} may be missing at the end: the reader of the output did not take them`,
      );
    },
    ended: (rows, meter) => {
      const { requests, creditsInDoubt } = meter;
      const credits = meter.credits + events;
      log({ event: "credits", at: at(), rows, requests, events, credits, in_doubt: creditsInDoubt });
      const ofStream = events === 0 ? "" : `; the stream's events cost ${counted(events, "credit")} more`;
      remark(`dexdata: followed ${counted(rows, "row")}${ofStream}`);
    },
    streamLost: (failure, wait) => {
      const begin = isListening ? "the stream is gone" : "no stream";
      isListening = false;
      log({ event: "retry", at: at(), reason: failure.message, wait_ms: wait, ...named });
      const meanwhile = isPollSaid ? "" : `; meanwhile ${pollLine(substituteGap)}`;
      isPollSaid = true;
      const lost = `dexdata: ${begin}: ${failure.message}`;
      lostBy = sayFailure(lostBy, lost, `${lost}; reconnecting in ${formatDuration(wait)}${meanwhile}`);
    },
    said: (kind, text) => {
      const words = `dexdata: the stream says (${kind}): ${text}`;
      const times = timesToTell(words);
      if (times === undefined) return;
      log({ event: kind, at: at(), message: text, ...(times > 1 && { times }) });
      warn(words);
    },
    readFailed: (failure, wait) => {
      failedSince ??= lastRead ?? clock.now();
      log({ event: "read_failed", at: at(), reason: failure.message, wait_ms: wait });
      const failed = `dexdata: ${failure.message}`;
      failedBy = sayFailure(failedBy, failed, `${failed}; retrying in ${formatDuration(wait)}`);
    },
    caughtUp: (began, rows) => {
      lastRead = clock.now();
      if (failedSince !== undefined)
        holes.push({ from: failedSince, to: lastRead, readAfter: Number.NEGATIVE_INFINITY });
      [failedSince, failedBy] = [undefined, undefined];
      const filled = holes.filter(({ readAfter }) => readAfter <= began);
      holes = holes.filter(({ readAfter }) => readAfter > began);
      for (const hole of filled) {
        log({ event: "filled", ...bounds(hole), rows, ...named });
        warn(`dexdata: nothing is missing ${shown(hole)}; ${counted(rows, "row")} came with the last read`);
      }
    },
    behind: () => {
      if (failedSince === undefined) return undefined;
      const hole = { from: failedSince, to: clock.now() };
      log({ event: "gap", ...bounds(hole), reason: failedBy?.replace("dexdata: ", ""), ...named });
      return fail("not_read", `no read succeeded ${shown(hole)}: rows may be missing at the end`);
    },
    late: (rows, behind) => {
      log({ event: "late", at: at(), rows, seconds: behind });
      warn(
        `dexdata: ${counted(rows, "row")} came late: up to ${seconds(behind * 1000)} older than what was written before`,
      );
    },
    ahead: (rows, first) => {
      const time = instant(first.seconds * 1000);
      log({ event: "ahead", at: at(), rows, first: time });
      if (isAheadSaid) return;
      isAheadSaid = true;
      warn(
        `dexdata: ${counted(rows, "row")} dated ahead of the service's time (${time}): written, and not followed from`,
      );
    },
  };
}

function continuedLine(written: WrittenRows, from: Instant | undefined, latest: number): string {
  const { file } = written;
  const newest = continuationOf(written, latest)?.newest;
  if (newest === undefined)
    return from === undefined
      ? `${file}: where its rows end cannot be told; those from there until now are not read (--from reads them)`
      : `${file}: where its rows end cannot be told; those that it holds since --from are written again`;
  const end = `${file} ends at ${instant(newest.seconds * 1000)}`;
  if (from === undefined) return `${end}; going on from there`;
  return compareInstants(from, newest) > 0
    ? `${end}; rows from there to --from are not read`
    : `${end}; what it holds since --from is written again (without --from it goes on from its end)`;
}

/** What reading by the clock costs: a credit a read, and one more where rows came, to see that none came before them. */
export function pollLine(milliseconds: number): string {
  const reads = Math.ceil(3_600_000 / milliseconds);
  return `reading every ${milliseconds / 1000} s: ${counted(reads, "credit")} an hour, up to twice as many while rows come`;
}

function bounds({ from, to }: Pick<Hole, "from" | "to">): { readonly from: string; readonly to: string } {
  return { from: instant(from), to: instant(to) };
}

function shown(hole: Pick<Hole, "from" | "to">): string {
  const { from, to } = bounds(hole);
  return `from ${from} to ${to}`;
}
