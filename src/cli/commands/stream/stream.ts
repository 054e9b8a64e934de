import { Foreign } from "../../../client/stream-event.ts";
import { type Context, isInterruption } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { Failure } from "../../../base/failure.ts";
import { feeds, streamCommand } from "../../../api/feeds.ts";
import { hintAtNetworks } from "../../../api/known-networks.ts";
import { endless, type Run, withRun } from "../../run/with-run.ts";
import { StopReason } from "../../../client/ending.ts";
import { watchIdle } from "./stops.ts";
import { LiveStream } from "../../../client/stream.ts";
import { currentCost } from "../../run/spending/estimate.ts";
import { withoutNames } from "../input/targets.ts";
import { createReload } from "../../run/reload.ts";
import { streamTaker } from "../input/subjects.ts";
import type { Input } from "../command.ts";
import type { StreamFlags } from "./stream-flags.ts";
import { readWanted } from "../../run/alerts/open-alerts.ts";
import { alertFields } from "./stream-alerts.ts";
import { testableFields } from "./event-amounts.ts";
import { openSession, type Session } from "./open-session.ts";
import { kindOf } from "./stream-options.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { defaultLimits, type LiveHandlers } from "../../../client/stream-options.ts";
import { unpricedAssets } from "./unpriced-assets.ts";

const mebibyte = 1024 * 1024;

export async function runStream(input: Input<StreamFlags>, outer: Context): Promise<ExitCode> {
  const { flags, typed } = input;
  const feed = feeds[flags.feed];
  const kind = kindOf(feed, flags.by);
  const wanted = readWanted(typed, testableFields(feed, kind), feed.sends === "values");
  const named = await withoutNames(input, outer, () => ({
    command: streamTaker,
    takes: kind.by,
    words: "all",
  }));
  const work = async (run: Run) => await streamUntilStopped(await openSession(run, named, wanted));
  return await withRun(named, outer, work, endless);
}

async function streamUntilStopped(session: Session): Promise<ExitCode> {
  const { run, requested, subjects, hasFile, stops } = session;
  const stream = createLiveStream(session);
  session.alerts?.watch(() => stream.sights());
  const { elapsed } = run.context.clock;
  run.metrics?.shows({
    oldest_asset_age_seconds: () => {
      const now = elapsed();
      return (now - stream.owners.quietest(stream.assets(), now)) / 1000;
    },
  });
  run.onClose(countCredits(session));
  if (hasFile) run.onClose(listenForReload(session, stream));
  try {
    return await stream.run(requested, stops.signal);
  } catch (cause) {
    if (!(cause instanceof StopReason && cause.by === "limit"))
      session.ending.silent = stream.assets().filter((subject) => !stream.owners.hasHeard(subject));
    const unwritten = await countUnwritten(session);
    // A stop is not a failure, but the result is incomplete if a connection was still missing when --for ended the
    // stream, or if the reader did not accept all lines.
    const isIncomplete = session.course.state().missed > 0 || unwritten > 0;
    const exit = session.alerts?.exitAfter(cause);
    if (exit !== undefined) return unwritten > 0 ? 8 : exit;
    if (cause instanceof StopReason) return cause.by === "time" && isIncomplete ? 8 : 0;
    throw withNetworkHint(cause, subjects);
  }
}

/** Only whole lines count as events. A reader that has closed the pipe wants no more of them. */
async function countUnwritten({ run, output, stops, course }: Session): Promise<number> {
  const { reason } = stops.signal;
  if (isInterruption(reason) && reason.cause === "closed-pipe") return 0;
  const unwritten = await output.unwritten();
  if (unwritten === 0) return 0;
  stops.leftOut(unwritten);
  course.unwritten(unwritten);
  run.context.stopWaitingForReader();
  return unwritten;
}

function createLiveStream(session: Session): LiveStream {
  const { run, flags, feed, kind, params, open, cap, stops } = session;
  const { context, options } = run;
  const { "streaming-url": streaming, "max-reconnects": maxReconnects, "idle-exit": idle } = flags;
  // If the credits are limited, none of them are spent on an optional search.
  const isSearching = kind.by === "token" && options.maxCredits === undefined;
  const { opening } = open.client;
  const stream: LiveStream = new LiveStream(
    {
      ...opening,
      ...defaultLimits,
      target: { ...opening.target, ...(streaming !== undefined && { streaming, tierSource: undefined }) },
      now: session.now,
      command: streamCommand(feed),
      feed,
      kind,
      params,
      cap,
      since: session.since,
      onInvalid: flags["on-invalid"],
      maxReconnects,
      largestEvent: flags["max-event"] * mebibyte,
      fields: [...(options.prefix ?? []), ...(session.alerts ? alertFields(session.alerts) : [])],
      suspects: isSearching ? unpricedAssets(open.client) : undefined,
    },
    watchIdle(context.clock, idle, stops, () => stream.connections(), handlersOf(session)),
  );
  return stream;
}

function handlersOf(session: Session): LiveHandlers {
  const { stops, course, output, alerts, alert, open } = session;
  const { ledger } = open.client;
  return {
    ...course,
    missed: (connection, gap, missing) => {
      // A connection that is still opening for the first time has not missed anything when a limit is reached or the
      // user interrupts the run.
      const { reason } = stops.signal;
      const isOverEarly = isInterruption(reason) || (reason instanceof StopReason && reason.by === "limit");
      if (missing === "opening" && isOverEarly) return;
      course.missed(connection, gap, missing);
    },
    dropped: (subjects, failure) => {
      course.dropped(subjects, failure);
      output.board?.drop(subjects);
    },
    events: async (connection, events, at) => {
      for (const { owner } of events) if (owner instanceof Foreign) course.foreign(connection, owner);
      let rest = events;
      let wanted: number;
      do {
        wanted = stops.take(rest.length);
        // Copies of large batches would keep the garbage collector busy.
        const taken = wanted < rest.length ? rest.slice(0, wanted) : rest;
        rest = rest.slice(wanted);
        // Before the events are written, because a killed run reports those that were not as a gap.
        await alert?.(taken, connection, at);
        await output.show(connection, taken, at).catch((cause: unknown) => {
          // Events that could not be written, for example because the disk is full, do not count.
          stops.leftOut(taken.length);
          throw cause;
        });
        // Paid events are written before the stream ends for lack of credits.
        stops.written(await ledger.recorded());
        if (alerts?.isOver() === true) stops.end(new StopReason("limit"));
        // Each event that is not written leaves room for another one.
      } while (wanted > 0 && rest.length > 0 && !stops.signal.aborted);
    },
  };
}

/** Unknown networks and unknown assets are rejected alike. Only the message differs. */
function withNetworkHint(cause: unknown, subjects: readonly Subject[]): unknown {
  if (!(cause instanceof Failure)) return cause;
  const { message, details } = cause;
  if (!/\bunsupported (?:chain|network)\b/iu.test(details.why ?? "")) return cause;
  const networks = subjects.map(({ network }) => network);
  return new Failure(message, {
    ...details,
    next: hintAtNetworks(networks, "list all networks: dexdata networks"),
  });
}

/** Reads `@file` again on SIGHUP. If the new list is invalid, the stream does not change. */
function listenForReload(
  { run, known, readAssets, course, output, stops, alerts }: Session,
  stream: LiveStream,
): () => void {
  const reload = async (): Promise<void> => {
    const listed = await readAssets(stops.signal, "keep");
    stops.signal.throwIfAborted();
    stream.checkSize(listed);
    known.name(listed);
    const subjects = await stream.reload(known.labeled(listed), stops.signal);
    alerts?.keepOnly(new Set(stream.assets().map(nameOf)), run.context.clock.elapsed());
    output.board?.watch(subjects);
    course.reloaded(subjects);
  };
  return run.context.onReload(createReload(stops, reload, course.reloadRefused));
}

/** Logs the credits once a minute if they have changed. After the first minute with events, shows what they cost. */
function countCredits({ run, stops, course, open }: Session): () => void {
  const { meter, target } = open.client;
  const { credits: first } = stops.counts();
  let before = first;
  return run.context.clock.every(60_000, () => {
    const { events, credits } = stops.counts();
    if (credits !== before) course.credits(events, credits);
    if (before === first && credits > first)
      run.report.info(currentCost(60 * (credits - first), meter.creditsLeft, target.tier));
    before = credits;
  });
}
