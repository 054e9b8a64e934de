import { connectionsOfPlan } from "../../../api/feed.ts";
import { hasFields } from "../../../base/files/file-pattern.ts";
import { openEventLog } from "../../run/output/event-log.ts";
import { createKnownAssets } from "../pull/known-assets.ts";
import type { Run } from "../../run/with-run.ts";
import { createEnding, StopReason } from "../../../client/ending.ts";
import { createPlaces } from "./event-place.ts";
import { endOfEarlierRun } from "./earlier-run.ts";
import type { StreamEvent } from "../../../client/stream-event.ts";
import { planConnections, roomFor, withoutMalformed } from "../../../client/plan-connections.ts";
import { counted } from "../../../base/text/words.ts";
import type { Input } from "../command.ts";
import { costOfTokens, type StreamFlags } from "./stream-flags.ts";
import { assetReader, readStreamOptions } from "./stream-options.ts";
import { openAlerts, type WantedAlerts } from "../../run/alerts/open-alerts.ts";
import { createEventAlerts } from "./stream-alerts.ts";
import { createEventAmounts } from "./event-amounts.ts";
import { learnPools } from "./stream-board.ts";
import { createPendingLines, openStreamOutput } from "./stream-output.ts";
import { closingLine, createStreamReport } from "./stream-report.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { createStops } from "./stops.ts";
import type { Connection } from "../../../client/stream-options.ts";

/** In the real market, prices change only every few seconds. One sandbox second shows a minute of the market. */
const sandboxSpeed = 60;

export type Session = Awaited<ReturnType<typeof openSession>>;

export async function openSession(run: Run, input: Input<StreamFlags>, wanted: WantedAlerts | undefined) {
  const { words, flags } = input;
  const { context, options, report, onClose } = run;
  const { clock, signal } = context;
  const asked = readStreamOptions(input, options);
  const { feed, kind, params } = asked;
  const started = clock.elapsed();
  /** The assets that have had no event by the end. */
  const ending: { silent: readonly Subject[] } = { silent: [] };
  const readAssets = assetReader(run, words, feed, kind.by);
  const isDropping = flags["on-invalid"] === "drop";
  const listed = await readAssets(signal, isDropping ? "keep" : "fail");
  // The sandbox has no market between two runs.
  const since = options.sandbox === undefined ? await endOfEarlierRun(flags, clock) : () => undefined;
  const log = openEventLog(flags.events, report, clock);
  const speed = flags.speed ?? (params.has("since") ? 1 : sandboxSpeed);
  const { limit, for: duration } = flags;
  const hint = options.hasStats ? report.print : report.hint;
  const open = await run.open({
    speed,
    onClosed: ({ client: { meter } }) =>
      hint(closingLine(stops.counts().events, meter, clock.elapsed() - started, ending.silent, flags.out)),
  });
  const until = createEnding(clock, signal, duration);
  const mostEvents = wanted === undefined ? limit : undefined;
  const stops = createStops(until, () => open.client.meter.credits, mostEvents, options.maxCredits);
  onClose(stops.release);
  const known = createKnownAssets(context, open.client.target, run.sources.names);
  onClose(known.save);
  known.name(listed);
  const requested = known.labeled(listed);
  // The connections report those that are skipped.
  const subjects = withoutMalformed(requested, kind.by, isDropping ? () => undefined : "fail");
  const course = createStreamReport(run, log, flags["max-event"], ({ subjects: own }, { from, to }) =>
    alerts?.missed(own.map(nameOf), (to.now - from.now) * speed),
  );
  onClose(() => course.credits(stops.counts().events, stops.counts().credits, ending.silent));
  const { isSimulated, tier } = open.client.target;
  const pace = speed === 1 ? "" : `, at ${speed}x speed (--speed 1 for real time)`;
  if (isSimulated) report.hint(`simulated data from the sandbox${pace}`);
  const cap = connectionsOfPlan[tier];
  const planned = planConnections(subjects, roomFor(feed, subjects.length, cap)).length;
  const cost = kind.isCostly === true ? `; ${costOfTokens}` : "";
  hint(`${counted(subjects.length, "asset")} on ${counted(planned, "connection")}${cost}`);
  const state = () => ({ ...course.state(planned), ...stops.counts() });
  const hasTrades = kind.by === "pool" && feed.shown.some(({ shows }) => shows !== undefined);
  const of = createPlaces(asked, isSimulated, report.warn);
  const place = flags.out !== undefined && hasFields(flags.out) ? { pattern: flags.out, of } : undefined;
  const now = (): number => (isSimulated ? options.now + (clock.elapsed() - started) * speed : clock.now());
  // Then alerts take the place of events on stdout.
  const alertLines = wanted?.command.length === 0 ? createPendingLines(context.stdout) : undefined;
  const leaveOut = (connection: Connection, event: StreamEvent): void => {
    stops.leftOut();
    course.leftOut(connection, event);
  };
  const by = feed.sends === "values" ? ("crossing" as const) : ("row" as const);
  const onLimit = (): void => stops.end(new StopReason("limit"));
  const write = async (text: Buffer): Promise<void> => await alertLines?.write(text);
  const alerts = wanted && (await openAlerts(run, wanted, flags, { limit, by, log, write, onLimit }));
  const facts = { place, feed: feed.name, by: kind.by, subjects, known, isSimulated, state };
  run.metrics?.shows({
    rows_total: () => (flags.out === undefined ? alerts?.written() : undefined) ?? stops.counts().events,
    connections: course.connections,
  });
  const isOn = by === "crossing" ? alerts?.isOn : undefined;
  const output = await openStreamOutput(run, flags, { ...facts, isOn, alertLines, broken: leaveOut });
  // If the credits are limited, none of them are spent on amounts in tokens.
  if (output.board !== undefined && hasTrades && options.maxCredits === undefined)
    void learnPools(open.client, known, subjects, stops.signal);
  const hasFile = words.some((word) => word.startsWith("@"));
  const assets = { requested, subjects, known, readAssets, hasFile };
  const broken = alertLines !== undefined && flags.out === undefined ? leaveOut : () => undefined;
  const others = options.prefix?.length ?? 0;
  const complete =
    wanted?.needsAdded === true ? await createEventAmounts(run, open.client, known, kind.by) : undefined;
  const alert = alerts && createEventAlerts(alerts, { others, now, broken, complete });
  const running = { open, cap, stops, course, output, now, ending, since };
  return { run, flags, ...asked, ...assets, ...running, alerts, alert };
}
