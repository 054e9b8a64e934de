import type { Context } from "../../../base/context/context.ts";
import { usageFailure } from "../../../base/failure.ts";
import { formatDuration } from "../../../api/duration.ts";
import { connectionsOfPlan, type Feed, type FeedKind } from "../../../api/feed.ts";
import { feeds, feedsTaking } from "../../../api/feeds/all-feeds.ts";
import { readSince } from "../../../api/feeds/ohlcv-feed.ts";
import { choiceFailure } from "../../../api/read-param.ts";
import { hasFields } from "../../../base/files/file-pattern.ts";
import { refuseUnfinished } from "../../../rows/out-files/open-files.ts";
import { refusePacked } from "../../../rows/out-files/packing.ts";
import { checkOutPattern } from "../../../rows/out-files/rotating-file.ts";
import { formatByName } from "../../render/formats/formats.ts";
import { checkPrefixFields, checkPrefixFormat } from "../../render/formats/row-prefix.ts";
import { checkEventsFile, openEventLog } from "../../run/output/event-log.ts";
import { costOfRun } from "../../run/report.ts";
import { createKnownAssets } from "../../run/known-assets.ts";
import type { Run } from "../../run/with-run.ts";
import { createStops, Stop } from "../../../client/live/ending.ts";
import { type Moment, momentAt } from "../../../client/live/gap.ts";
import { EventOwners } from "../../../client/live/event-owner.ts";
import { createPlaces, eventFields } from "../../../client/live/event-place.ts";
import type { Shard } from "../../../client/live/shard-handlers.ts";
import type { StreamEvent } from "../../../client/streams/stream-event.ts";
import { planShards, roomFor, someOf } from "../../../client/live/shards.ts";
import { withoutMalformed } from "../../../client/live/malformed.ts";
import { counted } from "../../../base/text/counted.ts";
import { readSubjects, streamTaker } from "../input/subjects.ts";
import type { Input } from "../command.ts";
import { costOfTokens, type StreamFlags, type StreamValues } from "./stream-flags.ts";
import { endOfEarlierRun } from "./earlier-run.ts";
import { learnPools } from "./learn-pools.ts";
import { openAlerts, type Wanted } from "../../run/alerts/open-alerts.ts";
import { createEventAlerts } from "./stream-alerts.ts";
import { createPendingLines } from "./pending-lines.ts";
import { openDisplays } from "./stream-output.ts";
import { createStreamReport } from "./stream-report.ts";
import { distinctSubjects, titleOf, type Subject } from "../../../client/subject.ts";

const usage = "usage: dexdata stream <network:address…|<network> <address…>|@file|->";

/** In the real market, prices change only every few seconds. One sandbox second shows a minute of the market. */
const sandboxSpeed = 60;

export type Session = Awaited<ReturnType<typeof openSession>>;

export async function openSession(run: Run, input: Input<StreamFlags>, wanted: Wanted | undefined) {
  const { words, flags } = input;
  const { context, options, report, onClose } = run;
  const { clock, signal } = context;
  if (flags.out === undefined) checkPrefixFormat(options);
  const asked = readStreamOptions(input, options.now);
  const { feed, params } = asked;
  const started = clock.elapsed();
  /** The assets that have had no event by the end. */
  const ending: { silent: readonly Subject[] } = { silent: [] };
  const readAssets = assetReader(run, words, asked.kind.by);
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
  const ends = { limit: wanted === undefined ? limit : undefined, duration, maxCredits: options.maxCredits };
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
    if (hasTrades && options.maxCredits === undefined)
      void learnPools(open.client, known, subjects, stops.signal);
  };
  const { kind } = asked;
  const of = createPlaces({ feed, kind, params, isSimulated, warn: report.warn });
  const place = flags.out !== undefined && hasFields(flags.out) ? { pattern: flags.out, of } : undefined;
  const owners = new EventOwners(kind);
  const now = (): number => (isSimulated ? options.now + (clock.elapsed() - started) * speed : clock.now());
  // Then alerts take the place of events on stdout.
  const lines = wanted?.command.length === 0 ? createPendingLines(context.stdout) : undefined;
  const leaveOut = (shard: Shard, event: StreamEvent): void => {
    stops.leftOut();
    course.leftOut(shard, event);
  };
  const by = feed.isSeries ? ("crossing" as const) : ("row" as const);
  const over = (): void => stops.end(new Stop("limit"));
  const write = async (text: Buffer): Promise<void> => await lines?.write(text);
  const { cooldown, state: file, blind } = flags;
  const opening = { cooldown, state: file, blind, limit, by, log, write, over };
  const alerts = wanted && (await openAlerts(run, { wanted, ...opening }));
  const facts = { place, begun, feed: feed.name, by: kind.by, owners, subjects, known, isSimulated, state };
  const board = { ...facts, isOn: by === "crossing" ? alerts?.isOn : undefined };
  const displays = await openDisplays(run, { ...flags, lines }, board, leaveOut);
  const hasFile = words.some((word) => word.startsWith("@"));
  const assets = { asking, subjects, known, readAssets, hasFile, owners };
  const broken = lines !== undefined && flags.out === undefined ? leaveOut : () => undefined;
  const reading = { owners, isLocated: options.prefix === undefined, now, broken };
  const alert = alerts && createEventAlerts(alerts, reading);
  const running = { open, cap, stops, course, displays, now, ending, since };
  return { run, flags, ...asked, ...assets, ...running, alerts, alert };
}

/** Reads the files again each time. The signal cancels a read that blocks. */
function assetReader({ sources }: Run, words: readonly string[], takes: FeedKind["by"]) {
  return async (until: AbortSignal, malformed: "fail" | "keep"): Promise<readonly Subject[]> => {
    // A name may have been added since the last read.
    sources.names.forget();
    const file = async (name: string) => await sources.file(name, until);
    const taker = { command: streamTaker, takes, malformed, usage };
    const listed = distinctSubjects(await readSubjects(words, { ...sources, file }, taker));
    if (listed.length === 0) throw usageFailure("no assets to stream: the list is empty", usage);
    return listed;
  };
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

export function kindOf(feed: Feed, by: StreamValues["by"]): FeedKind {
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
