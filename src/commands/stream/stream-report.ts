import type { Subject } from "../../client/pages/page.ts";
import type { StreamEvent } from "../../client/streams/stream-event.ts";
import type { Clock } from "../../context/context.ts";
import type { Failure } from "../../contract/failure.ts";
import type { Gap, Moment, Shard, TailHandlers } from "../../tail/shard-handlers.ts";
import { nameOf, someOf } from "../../tail/shards.ts";
import { shortened } from "../../tail/stream-message.ts";
import type { StreamLog } from "./stream-events.ts";
import { counted, instant } from "../../text/counted.ts";
import { formatDuration } from "../../contract/duration.ts";
import { createRepetitions } from "../../run/output/repetitions.ts";

export type StreamReport = Omit<TailHandlers, "begun" | "events" | "charged"> & {
  /** An event that is no JSON. */
  readonly leftOut: (shard: Shard, event: StreamEvent) => void;
  /** An event that is larger than `--max-event`. */
  readonly skipped: (shard: Shard, event: StreamEvent) => void;
  readonly credits: (events: number, credits: number) => void;
  readonly reloaded: (assets: number) => void;
  readonly reloadRefused: (failure: Failure) => void;
};

export interface Saying {
  readonly warn: (text: string) => void;
  readonly log: StreamLog;
  readonly isVerbose: boolean;
  /** Bytes. */
  readonly largestEvent: number;
}

const mebibyte = 1024 * 1024;

/** Says what becomes of the connections: a line on stderr for people, one in `--events` for programs. */
export function createStreamReport(clock: Pick<Clock, "now" | "elapsed">, saying: Saying): StreamReport {
  const { warn, log, isVerbose } = saying;
  const lost = new Set<number>();
  const wereOpen = new Set<number>();
  /** The line about a connection that is not open. `next`: whether and when the program tries again. */
  const failed = (shard: Shard, { message }: Failure, next: (verb: string) => string): string =>
    wereOpen.has(shard.number)
      ? `${title(shard)} lost: ${message}; ${next("reconnecting")}`
      : `cannot open ${title(shard)}: ${message}; ${next("retrying")}`;
  const timesToTell = createRepetitions(clock);

  return {
    opened: (shard, at, gap) => {
      log({ event: "open", at: instant(at.now), ...facts(shard) });
      if (isVerbose && gap === undefined) warn(`${title(shard)} is open`);
      if (gap !== undefined) {
        log({ event: "gap", ...bounds(gap), reason: gap.reason, ...facts(shard) });
        warn(gapLine(shard, gap));
      }
      lost.delete(shard.number);
      wereOpen.add(shard.number);
    },
    retrying: (shard, failure, wait) => {
      log({ event: "retry", reason: failure.message, wait_ms: wait, ...facts(shard) });
      // Only the first failure of a series is reported. A summary follows when it ends.
      if (isVerbose || !lost.has(shard.number))
        warn(failed(shard, failure, (verb) => `${verb} in ${formatDuration(wait)}`));
      lost.add(shard.number);
    },
    said: (shard, kind, text) => {
      // An error ends its connection; what ends nothing may come a thousand times a second.
      const times = kind === "error" ? 1 : timesToTell(`${kind} ${text}`);
      if (times === undefined) return;
      log({ event: kind, message: text, ...(times > 1 && { times }), ...facts(shard) });
      if (kind === "warning") warn(`the service warns: ${text}`);
      if (kind === "unknown") warn(`events of the unknown kind "${text}" are left out`);
    },
    missed: (shard, gap, missing) => {
      log({ event: "gap", ...bounds(gap), reason: gap.reason, ...facts(shard) });
      const line = gapLine(shard, gap);
      warn(missing === "lost" ? line : `${title(shard)} was never open: ${line}`);
    },
    ended: (shard, failure) => warn(failed(shard, failure, (verb) => `not ${verb}`)),
    closed: (shard, why) => log({ event: "close", reason: why, ...facts(shard) }),
    ...reportOfAssets(saying),
  };
}

/** What becomes of assets, events and lists, whatever the connection. */
function reportOfAssets({
  warn,
  log,
  largestEvent,
}: Saying): Pick<
  StreamReport,
  "moved" | "dropped" | "leftOut" | "skipped" | "credits" | "reloaded" | "reloadRefused"
> {
  const [countBroken, countSkipped] = [createSparseCount(), createSparseCount()];
  return {
    moved: (subjects, connections, failure) => {
      log({
        event: "moved",
        reason: failure.message,
        assets: subjects.length,
        names: subjects.map(nameOf),
        connections,
      });
      const allowed = `the service allows ${counted(connections, "connection")} here`;
      warn(`${allowed}: ${counted(subjects.length, "asset")} of others go on with these`);
    },
    dropped: (subjects, failure) => {
      log({ event: "dropped", reason: failure.message, assets: subjects.map(nameOf) });
      const why = failure.details.why === undefined ? "" : ` (${failure.details.why})`;
      warn(`left out: ${someOf(subjects.map(nameOf))}${why}`);
    },
    leftOut: (shard, { name }) => {
      const broken = countBroken();
      if (broken === undefined) return;
      log({ event: "left_out", name: shortened(name), so_far: broken, ...facts(shard) });
      const what = `an event ${shortened(name)} on connection ${shard.number} that is no JSON`;
      warn(`left out: ${what} (${counted(broken, "event")} so far)`);
    },
    skipped: (shard, { name }) => {
      const skipped = countSkipped();
      if (skipped === undefined) return;
      const reason = `larger than ${largestEvent / mebibyte} MiB`;
      log({ event: "lost", reason, name: shortened(name), so_far: skipped, ...facts(shard) });
      const what = `skipped event ${shortened(name)} on connection ${shard.number}: ${reason} (--max-event)`;
      warn(`${what}; ${counted(skipped, "event")} lost so far`);
    },
    credits: (events, credits) => log({ event: "credits", events, credits }),
    reloaded: (assets) => {
      log({ event: "reload", assets });
      warn(`the list was read again: ${counted(assets, "asset")}`);
    },
    reloadRefused: (failure) => {
      log({ event: "reload_refused", reason: failure.message });
      warn(`the list was read again and is not used: ${failure.message}`);
    },
  };
}

/** Counts, and returns powers of two only: a service that fails for days must not fill the disk of a log. */
function createSparseCount(): () => number | undefined {
  let count = 0;
  return () => {
    count += 1;
    return (count & (count - 1)) === 0 ? count : undefined;
  };
}

function gapLine(shard: Shard, gap: Gap): string {
  const { from, to } = bounds(gap);
  return `${assetsOf(shard.subjects)} may lack events from ${from} to ${to} (${gap.reason})`;
}

function facts({ number, subjects }: Shard): Readonly<Record<string, unknown>> {
  return {
    connection: number,
    assets: subjects.length,
    names: subjects.map(nameOf),
  };
}

const few = 3;

function title(shard: Shard): string {
  return `connection ${shard.number} (${assetsOf(shard.subjects)})`;
}

/** Few by their names, many by their number. */
function assetsOf(subjects: readonly Subject[]): string {
  return subjects.length <= few ? subjects.map(nameOf).join(", ") : counted(subjects.length, "asset");
}

function bounds({ from, to }: Gap): { readonly from: string; readonly to: string } {
  return { from: momentText(from), to: momentText(to) };
}

function momentText({ now }: Moment): string {
  return instant(now);
}
