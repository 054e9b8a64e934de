import type { Meter } from "../../../client/meter.ts";
import type { Foreign, StreamEvent } from "../../../client/stream-event.ts";
import { formatDuration } from "../../../api/duration.ts";
import type { Failure } from "../../../base/failure.ts";
import { createBurstLimiter, createRepeatLimiter, createSparseCount } from "../../run/repeat-limiter.ts";
import { costOfRun } from "../../run/report.ts";
import type { Run } from "../../run/with-run.ts";
import { counted, instant, shortened, someOf } from "../../../base/text/words.ts";
import type { StreamLog } from "./stream-flags.ts";
import { nameOf, namesAndLabels, type Subject, titleOf } from "../../../client/subject.ts";
import type { Gap, Connection, LiveHandlers } from "../../../client/stream-options.ts";

type OnGap = LiveHandlers["missedBefore"];

/** Reports to people on stderr, and to programs in the `--events` file. */
export function createStreamReport(run: Run, log: StreamLog, maxEventMebibytes: number, onGap: OnGap) {
  return {
    ...reportOfConnections(run, log, onGap),
    ...reportOfMessages(run, log),
    ...reportOfAssets(run, log, maxEventMebibytes),
  };
}

/** The last line of the run. */
export function closingLine(
  events: number,
  meter: Meter,
  milliseconds: number,
  silent: readonly Subject[],
  file: string | undefined,
): string {
  const added = file === undefined ? "" : ` added to ${file}`;
  const without = silent.length === 0 ? "" : `; no event of ${someOf(silent.map(titleOf), few)}`;
  return `${counted(events, "event")}${added}, ${costOfRun(meter)}, ${formatDuration(milliseconds)}${without}`;
}

function reportOfConnections({ context, options, metrics, report }: Run, log: StreamLog, onGap: OnGap) {
  const { warn, info } = report;
  const isVerbose = options.verbosity > 0;
  const states = new Map<number, "open" | "retrying">();
  const [wereOpen, reasons] = [new Set<number>(), new Map<number, string>()];
  let [gaps, missed, hasClosed] = [0, 0, false];
  const count = (wanted: "open" | "retrying"): number =>
    [...states.values()].filter((state) => state === wanted).length;
  const logGap = (connection: Connection, gap: Gap): void => {
    const { reason, clockJump } = gap;
    const jump = clockJump !== undefined && { clock_jump: Math.round(clockJump) / 1000 };
    log({ event: "gap", ...timesOf(gap), reason, ...jump, ...facts(connection) });
    metrics?.missed(gap.to.elapsed - gap.from.elapsed);
    onGap(connection, gap);
  };
  const tellGap = (connection: Connection, gap: Gap): void => {
    gaps += 1;
    logGap(connection, gap);
    warn(gapLine(connection, gap));
  };
  const timesToTell = createRepeatLimiter(context.clock);

  const handlers: Pick<LiveHandlers, "opened" | "retrying" | "missedBefore" | "missed" | "ended" | "closed"> =
    {
      opened: (connection, at, gap) => {
        log({ event: "open", at: instant(at.now), ...facts(connection) });
        if (gap !== undefined) tellGap(connection, gap);
        else if (isVerbose)
          info(`connection ${connection.number} is open (${assetsOf(connection.subjects)})`);
        states.set(connection.number, "open");
        metrics?.changed();
        wereOpen.add(connection.number);
      },
      retrying: (connection, failure, wait, since) => {
        const from = instant(since.now);
        log({ event: "retry", from, reason: failure.message, wait_ms: wait, ...facts(connection) });
        // Of a series of failures, the first is reported, and each that has another reason. The gap follows at its end.
        const isFirst = states.get(connection.number) !== "retrying";
        const isOther = reasons.get(connection.number) !== failure.message;
        reasons.set(connection.number, failure.message);
        const mayRepeat =
          isOther && timesToTell(`retry ${connection.number} ${failure.message}`) !== undefined;
        if (isVerbose || isFirst || mayRepeat)
          warn(failedLine(connection, failure, wereOpen, (verb) => `${verb} in ${formatDuration(wait)}`));
        states.set(connection.number, "retrying");
        metrics?.changed();
      },
      missedBefore: tellGap,
      missed: (connection, gap, missing) => {
        missed += 1;
        logGap(connection, gap);
        const line = gapLine(connection, gap);
        warn(missing === "lost" ? line : `connection ${connection.number} never opened; ${line}`);
      },
      ended: (connection, failure) =>
        warn(failedLine(connection, failure, wereOpen, (verb) => `not ${verb}`)),
      closed: (connection, why) => {
        hasClosed = true;
        states.delete(connection.number);
        log({ event: "close", reason: why, ...facts(connection) });
      },
    };
  const connections = () => ({ open: count("open"), retrying: count("retrying") });
  return {
    ...handlers,
    connections,
    /** `planned` is the initial number of connections, before any has reported its state. */
    state: (planned = 0) => ({
      wanted: hasClosed ? states.size : Math.max(planned, states.size),
      ...connections(),
      gaps,
      /** The number of connections that were not open at the end. */
      missed,
    }),
  };
}

/**
 * `next` says whether and when dexdata tries again. The assets come last, because the board shows only the start of a
 * long line.
 */
function failedLine(
  { number, subjects }: Connection,
  { message }: Failure,
  wereOpen: ReadonlySet<number>,
  next: (verb: string) => string,
): string {
  const what = wereOpen.has(number)
    ? `connection ${number} lost: ${message}; ${next("reconnecting")}`
    : `cannot open connection ${number}: ${message}; ${next("retrying")}`;
  return `${what} (${assetsOf(subjects)})`;
}

function reportOfMessages({ context, report: { warn } }: Run, log: StreamLog): Pick<LiveHandlers, "said"> {
  const timesToTell = createRepeatLimiter(context.clock);
  const mayTell = createBurstLimiter(context.clock);
  return {
    said: (connection, kind, text) => {
      // An error ends its connection. The other kinds may be repeated a thousand times per second.
      const times = kind === "error" ? 1 : timesToTell(`${kind} ${text}`);
      if (times === undefined) return;
      const held = kind === "error" ? 0 : mayTell(`${kind} ${connection.number}`);
      if (held === undefined) return;
      const more = { ...(times > 1 && { times }), ...(held > 0 && { others: held }) };
      log({ event: kind, message: text, ...more, ...facts(connection) });
      if (kind === "warning") warn(`message from the service: ${text}`);
      if (kind === "unknown") warn(`ignoring events of an unknown kind "${text}"`);
    },
  };
}

function reportOfAssets({ report: { warn, info } }: Run, log: StreamLog, maxEventMebibytes: number) {
  const [countBroken, countSkipped] = [createSparseCount(), createSparseCount()];
  const countForeign = createSparseCount();
  let [strayLines, nextStray] = [0, 1];
  return {
    dropped: (subjects: readonly Subject[], failure: Failure): void => {
      const names = subjects.map(titleOf);
      log({ event: "dropped", reason: failure.message, ...namesAndLabels(subjects) });
      const { why: said, problem } = failure.details;
      const why = said === undefined && problem === undefined ? "" : ` (${said ?? problem})`;
      warn(`skipped ${names.length === 1 ? "asset" : "assets"} ${someOf(names)}${why}`);
    },
    leftOut: (connection: Connection, event: StreamEvent): void => {
      const so_far = countBroken();
      if (so_far === undefined) return;
      log({ event: "left_out", name: shortened(event.name), so_far, ...facts(connection) });
      warn(`${skippedEvent(connection, event)}: invalid JSON; ${counted(so_far, "event")} skipped so far`);
    },
    skipped: (connection: Connection, event: StreamEvent): void => {
      const so_far = countSkipped();
      if (so_far === undefined) return;
      const reason = `larger than ${maxEventMebibytes} MiB`;
      log({ event: "lost", reason, name: shortened(event.name), so_far, ...facts(connection) });
      const what = `${skippedEvent(connection, event)}: ${reason} (--max-event)`;
      warn(`${what}; ${counted(so_far, "event")} lost so far`);
    },
    foreign: (connection: Connection, { name }: Foreign): void => {
      const foreign = countForeign();
      if (foreign === undefined) return;
      const asset = shortened(name);
      log({ event: "foreign", asset, so_far: foreign, ...facts(connection) });
      warn(
        `connection ${connection.number} sent an event of ${asset}, which was not requested; ${counted(foreign, "such event")} so far`,
      );
    },
    unwritten: (rows: number): void => {
      log({ event: "unwritten", rows });
      const lines = counted(rows, "event");
      warn(`${lines} may be missing at the end: the program reading the output did not accept them`);
    },
    stray: (connection: Connection, lines: number): void => {
      strayLines += lines;
      if (strayLines < nextStray) return;
      nextStray = 2 * strayLines;
      log({ event: "stray", so_far: strayLines, ...facts(connection) });
      const what = `connection ${connection.number} sent lines that are not part of an event stream`;
      warn(`${what}; ${counted(strayLines, "line")} skipped so far`);
    },
    credits: (events: number, credits: number, silent: readonly Subject[] = []): void =>
      log({
        event: "credits",
        events,
        credits,
        ...(silent.length > 0 && { assets_without_event: silent.map(nameOf) }),
      }),
    reloaded: (subjects: readonly Subject[]): void => {
      log({ event: "reload", ...namesAndLabels(subjects) });
      info(`asset list reloaded: ${counted(subjects.length, "asset")}`);
    },
    reloadRefused: ({ message: reason }: Failure): void => {
      log({ event: "reload_refused", reason });
      warn(`new asset list ignored: ${reason}`);
    },
  };
}

const skippedEvent = ({ number }: Connection, { name }: StreamEvent): string =>
  `skipped event ${shortened(name)} on connection ${number}`;

function gapLine(connection: Connection, gap: Gap): string {
  const { from, to } = timesOf(gap);
  return `gap: ${assetsOf(connection.subjects)} may be missing events from ${from} to ${to} (${gap.reason})`;
}

function timesOf({ from, to }: Gap): { readonly from: string; readonly to: string } {
  return { from: instant(from.now), to: instant(to.now) };
}

function facts({ number, subjects }: Connection): Readonly<Record<string, unknown>> {
  return { connection: number, ...namesAndLabels(subjects) };
}

const few = 3;

/** Returns only the number of assets if there are too many to name. */
function assetsOf(subjects: readonly Subject[]): string {
  return subjects.length <= few ? subjects.map(titleOf).join(", ") : counted(subjects.length, "asset");
}
