import type { Client } from "../../../client/client.ts";
import { isSkipped } from "../../../client/streams/stream-event.ts";
import { type Context, isInterruption } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { Failure, usageFailure } from "../../../base/failure.ts";
import { formatDuration } from "../../../api/duration.ts";
import { connectionsOfPlan, type Feed, type FeedKind } from "../../../api/feed.ts";
import { feeds, feedsTaking, streamCommand } from "../../../api/feeds/all-feeds.ts";
import { readSince } from "../../../api/feeds/ohlcv-feed.ts";
import { hintAtNetworks } from "../../../api/network-aliases.ts";
import { choiceFailure } from "../../../api/read-param.ts";
import { hasFields } from "../../../base/files/file-pattern.ts";
import { refuseUnfinished } from "../../../rows/out-files/open-files.ts";
import { refusePacked } from "../../../rows/out-files/packing.ts";
import { checkOutPattern } from "../../../rows/out-files/rotating-file.ts";
import { formatByName } from "../../render/formats/formats.ts";
import { checkPrefixFields, checkPrefixFormat } from "../../render/formats/row-prefix.ts";
import { checkEventsFile, openEventLog } from "../../run/output/event-log.ts";
import { costOfRun } from "../../run/report.ts";
import { createKnownAssets, type KnownAssets } from "../../run/known-assets.ts";
import { type Run, withRun } from "../../run/with-run.ts";
import { createStops, Stop } from "../../../client/live/ending.ts";
import { type Moment, momentAt } from "../../../client/live/gap.ts";
import { EventOwners } from "../../../client/live/event-owner.ts";
import { createPlaces, eventFields } from "../../../client/live/event-place.ts";
import { watchIdle } from "../../../client/live/idle-connections.ts";
import { defaultSilence } from "../../../client/live/shard.ts";
import { planShards, roomFor, someOf } from "../../../client/live/shards.ts";
import { unpricedAssets } from "../../../client/live/find-invalid.ts";
import type { TailHandlers } from "../../../client/live/shard-handlers.ts";
import { withoutMalformed } from "../../../client/live/malformed.ts";
import { Tail } from "../../../client/live/tail.ts";
import { counted } from "../../../base/text/counted.ts";
import { withoutNames } from "../input/replace-names.ts";
import { readSubjects, streamTaker } from "../input/subjects.ts";
import type { Input } from "../command.ts";
import { costOfTokens, type StreamFlags, type StreamValues } from "./stream-flags.ts";
import { endOfEarlierRun } from "./earlier-run.ts";
import { openDisplays } from "./stream-output.ts";
import { createStreamReport } from "./stream-report.ts";
import { distinctSubjects, titleOf, type Subject } from "../../../client/subject.ts";

const usage = "usage: dexdata stream <network:address…|<network> <address…>|@file|->";

/** In the real market, prices change only every few seconds. One sandbox second shows a minute of the market. */
const sandboxSpeed = 60;

const mebibyte = 1024 * 1024;

export async function stream(input: Input<StreamFlags>, outer: Context): Promise<ExitCode> {
  const { flags } = input;
  const named = await withoutNames(input, outer, () => ({
    command: streamTaker,
    takes: kindOf(feeds[flags.feed], flags.by).by,
    words: "all",
  }));
  const work = async (run: Run) => await streamUntilStopped(await openSession(run, named));
  return await withRun(named, outer, work, { isTail: true });
}

type Session = Awaited<ReturnType<typeof openSession>>;

async function openSession(run: Run, input: Input<StreamFlags>) {
  const { words, flags } = input;
  const { context, options, report, onClose } = run;
  const { clock, signal } = context;
  if (flags.out === undefined) checkPrefixFormat(options);
  const asked = readStreamOptions(input, options.now);
  const { feed, params } = asked;
  const started = clock.elapsed();
  /** The assets that have had no event by the end. */
  const ending: { silent: readonly Subject[] } = { silent: [] };
  /** Reads the files again each time. The signal cancels a read that blocks. */
  const readAssets = async (until: AbortSignal, malformed: "fail" | "keep"): Promise<readonly Subject[]> => {
    // A name may have been added since the last read.
    run.sources.names.forget();
    const sources = {
      ...run.sources,
      file: async (name: string) => await run.sources.file(name, until),
    };
    const taker = { command: streamTaker, takes: asked.kind.by, malformed, usage };
    const listed = distinctSubjects(await readSubjects(words, sources, taker));
    if (listed.length === 0) throw usageFailure("no assets to stream: the list is empty", usage);
    return listed;
  };
  const isDropping = flags["on-invalid"] === "drop";
  const listed = await readAssets(signal, isDropping ? "keep" : "fail");
  const since = await earlierMoment(flags, context.clock, options.sandbox !== undefined);
  const log = openEventLog(flags.events, report, clock);
  const speed = flags.speed ?? (params.has("since") ? 1 : sandboxSpeed);
  const { limit, for: duration } = flags;
  const remark = options.hasStats ? report.tell : report.remark;
  const open = await run.open({
    speed,
    over: ({ client }) => {
      const time = formatDuration(clock.elapsed() - started);
      const { events } = stops.counts();
      remark(`${counted(events, "event")}, ${costOfRun(client.meter)}, ${time}${withoutEvent(ending)}`);
    },
  });
  const ends = { limit, duration, maxCredits: options.maxCredits };
  const stops = createStops(clock, signal, ends, () => open.client.meter.credits);
  onClose(stops.release);
  const known = createKnownAssets(context, open.client.target, run.sources.names);
  known.name(listed);
  const asking = known.labeled(listed);
  // The connections report those that are skipped.
  const subjects = withoutMalformed(asking, asked.kind.by, isDropping ? () => undefined : "fail");
  const course = createStreamReport(run, log, flags["max-event"]);
  onClose(() => course.credits(stops.counts().events, stops.counts().credits, ending.silent));
  const { isSimulated, tier } = open.client.target;
  const pace = speed === 1 ? "" : `, at ${speed}x speed (--speed 1 for real time)`;
  if (isSimulated) report.remark(`simulated data from the sandbox${pace}`);
  const cap = connectionsOfPlan[tier];
  const planned = planShards(subjects, roomFor(feed, subjects.length, cap)).length;
  const cost = asked.kind.isCostly === true ? `; ${costOfTokens}` : "";
  remark(`${counted(subjects.length, "asset")} on ${counted(planned, "connection")}${cost}`);
  const state = () => ({ ...course.state(planned), ...stops.counts() });
  showMetrics(run, { course, stops, planned, quietest: (assets) => owners.quietest(assets, started) });
  const hasTrades = asked.kind.by === "pool" && feed.shown.some(({ trade }) => trade !== undefined);
  const begun = (): void => {
    // If the credits are limited, none of them are spent on amounts in tokens.
    if (hasTrades && options.maxCredits === undefined) void learnPools(open.client, known, subjects, stops);
  };
  const { kind } = asked;
  const of = createPlaces({ feed, kind, params, isSimulated, warn: report.warn });
  const place = flags.out !== undefined && hasFields(flags.out) ? { pattern: flags.out, of } : undefined;
  const owners = new EventOwners(kind);
  const now = (): number => (isSimulated ? options.now + (clock.elapsed() - started) * speed : clock.now());
  const board = { place, begun, feed: feed.name, by: kind.by, owners, subjects, known, isSimulated, state };
  const displays = await openDisplays(run, flags, board, (shard, event) => {
    stops.leftOut();
    course.leftOut(shard, event);
  });
  const hasFile = words.some((word) => word.startsWith("@"));
  const assets = { asking, subjects, known, readAssets, hasFile, owners };
  return { run, flags, ...asked, ...assets, open, cap, stops, course, displays, now, ending, since };
}

function showMetrics(
  { metrics }: Run,
  {
    course,
    stops,
    planned,
    quietest,
  }: Pick<Session, "course" | "stops"> & {
    readonly planned: number;
    readonly quietest: (assets: readonly Subject[]) => number;
  },
): void {
  metrics?.shows({
    rows: () => stops.counts().events,
    connections: () => course.state(planned),
    gapSeconds: course.gapSeconds,
    oldest: () => Math.min(...course.open().map(({ subjects }) => quietest(subjects))),
  });
}

/** The sandbox has no market between two runs. */
async function earlierMoment(
  flags: StreamValues,
  clock: Context["clock"],
  isSimulated: boolean,
): Promise<Moment | undefined> {
  const end = isSimulated ? undefined : await endOfEarlierRun(flags, clock.now());
  return end === undefined ? undefined : momentAt(clock, end);
}

function withoutEvent({ silent }: Pick<Session["ending"], "silent">): string {
  return silent.length === 0 ? "" : `; no event of ${someOf(silent.map(titleOf))}`;
}

/** Each request costs a credit. With more pools, only those that are already known show amounts in tokens. */
const maxLearned = 25;

/** Without the decimals of their tokens, the board would show trades as raw numbers. They are cached for a day. */
async function learnPools(
  client: Client,
  known: KnownAssets,
  subjects: readonly Subject[],
  { signal }: Session["stops"],
): Promise<void> {
  const unknown = subjects.filter((subject) => !known.knowsPool(subject)).slice(0, maxLearned);
  for (const { network, address } of unknown) {
    if (signal.aborted) return;
    // A failure is not an error: the amounts stay raw.
    await known.requestPool(client, network, address).catch(() => undefined);
  }
  known.save();
}

function readStreamOptions(input: Input<StreamFlags>, now: number) {
  const { flags } = input;
  const feed = feeds[flags.feed];
  const options = { feed, kind: kindOf(feed, flags.by), params: readParams(input, feed, now) };
  const { events, out, prefix } = flags;
  checkEventsFile(events, out);
  if (prefix !== undefined)
    checkPrefixFields(prefix, options.kind.event, `list fields: dexdata schema ${options.kind.event.name}`);
  if (out === undefined) return options;
  checkOutPattern(out, now, eventFields(feed, options.kind));
  refusePacked(out, "a stream");
  if (formatByName(out) !== undefined)
    throw usageFailure(`--out "${out}": a stream writes ndjson`, "use the extension .ndjson");
  if (!hasFields(out)) refuseUnfinished(out);
  return options;
}

function kindOf(feed: Feed, by: StreamValues["by"]): FeedKind {
  const kind = feed.kinds.find((each) => by === undefined || each.by === by);
  if (kind !== undefined) return kind;
  const known = feed.kinds.map((each) => each.by);
  throw choiceFailure(`--by ${by} with --feed ${feed.name}`, by ?? "", known);
}

function readParams(
  { flags: { interval, since }, typed }: Input<StreamFlags>,
  feed: Feed,
  now: number,
): ReadonlyMap<string, string> {
  for (const name of ["interval", "since"] as const) {
    if (!typed.has(name) || feed.params.includes(name)) continue;
    const others = `--feed ${feedsTaking(name)}`;
    throw usageFailure(`--${name} requires ${others}`, `remove --${name}, or add ${others}`);
  }
  const params = new Map<string, string>();
  // The service has the same default.
  if (typed.has("interval")) params.set("interval", interval);
  if (since !== undefined) params.set("since", String(readSince("--since", since, now)));
  return params;
}

async function streamUntilStopped(session: Session): Promise<ExitCode> {
  const { run, asking, subjects, hasFile, stops } = session;
  const tail = createTail(session);
  run.onClose(countCredits(session));
  if (hasFile) run.onClose(listenForReload(session, tail));
  try {
    return await tail.run(asking, stops.signal);
  } catch (cause) {
    if (!(cause instanceof Stop && cause.by === "limit"))
      session.ending.silent = tail.assets().filter((subject) => !session.owners.hasHeard(subject));
    const unwritten = await countUnwritten(session);
    // A stop is not a failure, but the result is incomplete if a connection was still missing when --for ended the
    // stream, or if the reader did not accept all lines.
    const isIncomplete = session.course.state().missed > 0 || unwritten > 0;
    if (cause instanceof Stop) return cause.by === "time" && isIncomplete ? 8 : 0;
    throw withNetworkHint(cause, subjects);
  }
}

/** Only whole lines count as events. A reader that has closed the pipe wants no more of them. */
async function countUnwritten({ run, displays, stops, course }: Session): Promise<number> {
  const { reason } = stops.signal;
  if (isInterruption(reason) && reason.cause === "closed-pipe") return 0;
  let unwritten = 0;
  for (const display of displays) unwritten += (await display.unwritten?.()) ?? 0;
  if (unwritten === 0) return 0;
  stops.leftOut(unwritten);
  course.unwritten(unwritten);
  run.context.stopWaitingForReader();
  return unwritten;
}

function createTail(session: Session): Tail {
  const { run, flags, feed, kind, params, open, cap, stops } = session;
  const { context, options } = run;
  const { "streaming-url": streaming, "max-reconnects": maxReconnects } = flags;
  const largestEvent = flags["max-event"] * mebibyte;
  // If the credits are limited, none of them are spent on an optional search.
  const isSearching = kind.by === "token" && options.maxCredits === undefined;
  return new Tail(
    {
      target: { ...open.client.target, ...(streaming !== undefined && { streaming, tierSource: undefined }) },
      context,
      pace: open.pace,
      ledger: open.client.ledger,
      timeout: options.timeout,
      now: session.now,
      command: streamCommand(feed),
      counted: open.client.notePlan,
      requiredPlan: options.requiredPlan,
      feed,
      kind,
      params,
      cap,
      since: session.since,
      onInvalid: flags["on-invalid"],
      limits: {
        now: session.now,
        feed,
        silence: defaultSilence,
        maxReconnects,
        largestEvent,
        fields: options.prefix,
      },
      hasHeard: (subject) => session.owners.hasHeard(subject),
      suspects: isSearching ? unpricedAssets(open.client) : undefined,
    },
    watchIdle(context.clock, flags["idle-exit"], stops, handlersOf(session)),
  );
}

function handlersOf(session: Session): TailHandlers {
  const { stops, course, displays, owners, open } = session;
  const { ledger } = open.client;
  return {
    ...course,
    begun: () => undefined,
    missed: (shard, gap, missing) => {
      // A connection that is still opening for the first time has not missed anything when a limit is reached or the
      // user interrupts the run.
      const { reason } = stops.signal;
      const isOverEarly = isInterruption(reason) || (reason instanceof Stop && reason.by === "limit");
      if (missing === "opening" && isOverEarly) return;
      course.missed(shard, gap, missing);
    },
    dropped: (subjects, failure) => {
      course.dropped(subjects, failure);
      for (const display of displays) display.drop?.(subjects);
    },
    charged: ledger.delivered,
    events: async (shard, events, at) => {
      for (const event of events) if (isSkipped(event)) course.skipped(shard, event);
      // Copies of large batches would keep the garbage collector busy.
      let rest = events.some(isSkipped) ? events.filter((event) => !isSkipped(event)) : events;
      owners.findForeign(rest, shard.subjects, at.elapsed, (owner) => course.foreign(shard, owner));
      let wanted: number;
      do {
        wanted = stops.take(rest.length);
        const taken = wanted < rest.length ? rest.slice(0, wanted) : rest;
        rest = rest.slice(wanted);
        await showAll(displays, taken.length, stops, (display) => display.show(shard, taken, at));
        // Paid events are written before the stream ends for lack of credits.
        stops.written(await ledger.recorded());
        // Each event that is not written leaves room for another one.
      } while (wanted > 0 && rest.length > 0 && !stops.signal.aborted);
    },
  };
}

/** Events that could not be written, for example because the disk is full, do not count. */
async function showAll(
  displays: Session["displays"],
  events: number,
  { leftOut }: Session["stops"],
  show: (display: Session["displays"][number]) => Promise<void>,
): Promise<void> {
  try {
    for (const display of displays) await show(display);
  } catch (cause) {
    leftOut(events);
    throw cause;
  }
}

/** Unknown networks and unknown assets are rejected alike. Only the message differs. */
function withNetworkHint(cause: unknown, subjects: readonly Subject[]): unknown {
  if (!(cause instanceof Failure)) return cause;
  const { message, details } = cause;
  if (!/\bunsupported (?:chain|network)\b/iu.test(details.why ?? "")) return cause;
  return new Failure(message, { ...details, next: hintAtNetworks(subjects.map(({ network }) => network)) });
}

/** Reads `@file` again on SIGHUP. If the new list is invalid, the stream does not change. */
function listenForReload(
  { run, known, readAssets, course, displays, stops }: Session,
  tail: Tail,
): () => void {
  const reload = async (): Promise<void> => {
    try {
      const listed = await readAssets(stops.signal, "keep");
      // After a long list, the events that have arrived meanwhile come first.
      await new Promise((resolve) => setImmediate(resolve));
      stops.signal.throwIfAborted();
      known.name(listed);
      const subjects = await tail.reload(known.labeled(listed), stops.signal);
      for (const display of displays) display.watch?.(subjects);
      course.reloaded(subjects);
    } catch (cause) {
      // The run ended while the list was being read, for example from a pipe without a writer.
      if (stops.signal.aborted) return;
      if (cause instanceof Failure) course.reloadRefused(cause);
      else stops.end(cause);
    }
  };
  return run.context.onReload(() => void reload());
}

/** Logs the credits once a minute if they have changed. After the first minute with events, says what they cost. */
function countCredits({ run, stops, course, open }: Session): () => void {
  let before = 0;
  return run.context.clock.every(60_000, () => {
    const { events, credits } = stops.counts();
    if (credits !== before) course.credits(events, credits);
    if (before === 0 && credits > 0) course.costs(60 * credits, open.client.meter.creditsLeft);
    before = credits;
  });
}
