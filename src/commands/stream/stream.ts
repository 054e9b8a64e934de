import type { Subject } from "../../client/pages/page.ts";
import type { Context } from "../../context/context.ts";
import type { ExitCode } from "../../contract/exit-codes.ts";
import { Failure, usageFailure } from "../../contract/failure.ts";
import { connectionsOfPlan, type FeedKind } from "../../contract/feed.ts";
import { hintAtNetworks } from "../../contract/network-aliases.ts";
import type { Values } from "../../run/flags/flag.ts";
import type { ListSources } from "../../run/list-sources.ts";
import { openEventLog } from "../../run/output/event-log.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { Stop } from "../../tail/ending.ts";
import { distinct, planShards, roomFor } from "../../tail/shards.ts";
import { createStops } from "../../tail/stream-stops.ts";
import type { Tail } from "../../tail/tail.ts";
import { counted } from "../../text/counted.ts";
import { readSubjects, streamTaker } from "../asking/subjects.ts";
import type { Input } from "../command.ts";
import type { StreamFlags } from "./stream-flags.ts";
import { readStreamOptions } from "./stream-options.ts";
import { openDisplays } from "./stream-output.ts";
import { createStreamReport } from "./stream-report.ts";
import { createSessionTail, type Session } from "./stream-session.ts";

/** A price changes every few seconds at best. At this speed, a second of trying shows a minute of the market. */
const sandboxSpeed = 60;

/** Streams the events of any number of assets until a limit is reached. */
export async function stream({ words, flags }: Input<StreamFlags>, outer: Context): Promise<ExitCode> {
  return await withRun(flags, outer, async (run) => await streamUntilStopped(run, words, flags), {
    isTail: true,
  });
}

async function streamUntilStopped(
  run: Run,
  words: readonly string[],
  flags: Values<StreamFlags>,
): Promise<ExitCode> {
  const { context, options, report, onClose } = run;
  const { clock, signal } = context;
  const wishes = readStreamOptions(flags, options.now);
  const started = clock.elapsed();
  const read = subjectReader(words, wishes.kind, run.sources);
  const subjects = await read(signal);
  const log = openEventLog(wishes.eventsFile, report, clock);
  const speed = options.sandbox?.speed ?? (wishes.params.has("since") ? 1 : sandboxSpeed);
  const stops = createStops(clock, signal, { ...wishes, maxCredits: options.maxCredits });
  onClose(stops.release);
  const open = await run.open({
    speed,
    over: () => {
      const { events, credits } = stops.counts();
      const time = `${((clock.elapsed() - started) / 1000).toFixed(1)} s`;
      const remark = options.hasStats ? report.tell : report.remark;
      remark(`${counted(events, "event")}, ${counted(credits, "credit")}, ${time}`);
    },
  });
  const course = createStreamReport(clock, {
    warn: report.warn,
    log,
    isVerbose: options.verbosity > 0,
    largestEvent: wishes.largestEvent,
  });
  onClose(() => course.credits(stops.counts().events, stops.counts().credits));
  const { isSimulated, tier } = open.client.target;
  if (isSimulated) report.remark(simulated(speed));
  const cap = connectionsOfPlan[tier];
  const planned = planShards(subjects, roomFor(wishes.feed, subjects.length, cap)).length;
  const note = options.hasStats ? report.warn : report.note;
  note(`${counted(subjects.length, "asset")} on ${counted(planned, "connection")}`);
  const state = () => ({ ...course.state(planned), ...stops.counts() });
  const board = { feed: wishes.feed.name, subjects, isSimulated, state };
  const displays = await openDisplays(run, wishes, board, (shard, event) => {
    stops.leftOut();
    course.leftOut(shard, event);
  });
  const session = { run, wishes, open, stops, course, displays };
  const tail = createSessionTail(session, cap);
  if (wishes.eventsFile !== undefined) onClose(logCredits(session));
  if (words.some((word) => word.startsWith("@"))) onClose(listenForReload(session, tail, read));
  try {
    return await tail.run(subjects, stops.signal);
  } catch (cause) {
    // A stop is not a failure. If a connection was missing when the time was over, the result is incomplete.
    if (cause instanceof Stop) return cause.by === "time" && course.state().missed > 0 ? 8 : 0;
    throw withNetworkHint(cause, subjects);
  }
}

const usage = "usage: dexdata stream <network:address…|<network> <address…>|@file|->";

/** Reads the assets that the words name, and files as they are at that time. The signal ends a read that waits. */
type SubjectReader = (signal: AbortSignal) => Promise<readonly Subject[]>;

function subjectReader(words: readonly string[], { by }: FeedKind, sources: ListSources): SubjectReader {
  return async (signal) => {
    const taker = { command: streamTaker, takes: by, checksForms: false, usage };
    const current = { ...sources, file: async (name: string) => await sources.file(name, signal) };
    const subjects = distinct(await readSubjects(words, current, taker));
    if (subjects.length === 0) throw usageFailure("no assets to stream: the list is empty", usage);
    return subjects;
  };
}

function simulated(speed: number): string {
  const pace = speed === 1 ? "" : `, at ${speed} times its own speed (--speed 1 for that)`;
  return `simulated data: the sandbox's made-up market, not the real one${pace}`;
}

/** The service rejects an asset of an unknown network like an unknown asset. Only its message tells the difference. */
function withNetworkHint(cause: unknown, subjects: readonly Subject[]): unknown {
  if (!(cause instanceof Failure)) return cause;
  const { message, details } = cause;
  if (!/\bunsupported (?:chain|network)\b/iu.test(details.why ?? "")) return cause;
  return new Failure(message, { ...details, next: hintAtNetworks(subjects.map(({ network }) => network)) });
}

/** SIGHUP reads `@file` again. A list that cannot be used changes nothing. */
function listenForReload(
  { run, course, displays, stops }: Session,
  tail: Tail,
  read: SubjectReader,
): () => void {
  const reload = async (): Promise<void> => {
    try {
      const listed = await read(stops.signal);
      stops.signal.throwIfAborted();
      const subjects = tail.reload(listed);
      for (const display of displays) display.watch?.(subjects);
      course.reloaded(subjects.length);
    } catch (cause) {
      // The run ended while the list was read, e.g. from a pipe without a writer.
      if (stops.signal.aborted) return;
      if (cause instanceof Failure) course.reloadRefused(cause);
      else stops.end(cause);
    }
  };
  return run.context.onReload(() => void reload());
}

/** Writes the credits to `--events` once a minute if they have changed. */
function logCredits({ run, stops, course }: Session): () => void {
  const done = new AbortController();
  const tick = async (): Promise<void> => {
    for (let before = 0; ;) {
      await run.context.clock.sleep(60_000, done.signal);
      const { events, credits } = stops.counts();
      if (credits !== before) course.credits(events, credits);
      before = credits;
    }
  };
  tick().catch(() => undefined);
  return () => done.abort();
}
