import type { Clock } from "../../../base/context/context.ts";
import { fail } from "../../../base/failure.ts";
import { formatDuration } from "../../../api/duration.ts";
import { recordedService } from "../../run/run-options.ts";
import { counted } from "../../../base/text/words.ts";
import { openCheckpoint, openFollowFiles } from "./follow-files.ts";
import { createBehindReport, createReadQueue } from "./read-queue.ts";
import { createQueue } from "../../../base/concurrent.ts";
import { createAgeNote, createServicePresent } from "../../../client/freshness.ts";
import { createEnding, type Ending, StopReason } from "../../../client/ending.ts";
import { createQuietWatch } from "../../run/quiet-watch.ts";
import { createRenderer } from "../../render/formats/formats.ts";
import { openEventLog } from "../../run/output/event-log.ts";
import { costOverTime, writeHourlyEstimate } from "../../run/spending/estimate.ts";
import type { Run } from "../../run/with-run.ts";
import type { EndpointGroup, Input } from "../command.ts";
import type { FollowedFlags } from "../flags/endpoint-flags.ts";
import type { FollowLog } from "../flags/lasting-flags.ts";
import { createTableAssets } from "../pull/known-assets.ts";
import { presentationOf } from "../pull/pull.ts";
import { createRowAlerts, openAlerts } from "../../run/alerts/open-alerts.ts";
import type { FollowState } from "../../../client/followed-row.ts";
import { checkPoll, pollLine, rateOf, readOptions, rowNames, type Options } from "./followed-lists.ts";

/** Its run's signal also aborts when a limit is reached. */
export type Session = Readonly<NonNullable<Awaited<ReturnType<typeof openSession>>>>;

/** Undefined if only the cost was asked for. */
export async function openSession(outer: Run, group: EndpointGroup, input: Input<FollowedFlags>) {
  const { options, report, onClose } = outer;
  const { flags, typed } = input;
  const { clock } = outer.context;
  const asked = await readOptions(outer, group, input);
  const { plan, lists, wanted } = asked;
  const log = openEventLog(flags.events, report, clock);
  const files = flags.out === undefined ? undefined : await openFollowFiles(outer, flags.out, asked.names);
  for (const { request } of lists) await files?.checkUnused(rowNames(request.args));
  const ending = createEnding(clock, outer.context.signal, flags.for);
  onClose(ending.release);
  const run = { ...outer, context: { ...outer.context, signal: ending.signal } };
  const reading = await openReading(run, flags.speed, asked, log);
  const { open, client } = reading;
  if (flags.estimate === true) {
    const cost = { requests: asked.readsAnHour, credits: asked.readsAnHour };
    await writeHourlyEstimate(run, flags, plan.endpoint, open.client.target, cost);
    return undefined;
  }
  tellStart(run, asked, flags.out);
  const amounts = wanted?.needsAdded === true ? "tokens" : plan.amounts;
  // Their requests are retried in the queue as well, or an alert would lack its amounts.
  const assets = createTableAssets(run, client, { ...plan, amounts });
  onClose(assets.save);
  const service = recordedService(options, open.client.target);
  const checkpoint = files && (await openCheckpoint(run, asked, files, service, ending.end));
  const renderer = await createRenderer({
    ...presentationOf(run.context, options, plan),
    output: files?.output ?? run.context.stdout,
    isContinued: false,
    // A displayed age would be wrong after a minute, so rows show their time instead.
    hasAges: false,
    findAsset: assets.find,
  });
  // The default limits a list. Without --limit, the run goes on.
  const limit = typed.has("limit") ? flags.limit : undefined;
  const onLimit = (): void => ending.end(new StopReason("limit"));
  const opening = { by: "row", onLimit, write: outer.context.stdout.write, limit, log } as const;
  const alerts = wanted && (await openAlerts(outer, wanted, flags, opening));
  const see = alerts && createRowAlerts(alerts, flags.envelope === true ? ["row"] : []);
  // Alerts on stdout take the place of rows.
  const isSilent = wanted?.command.length === 0 && flags.out === undefined;
  const idle = watchRows(clock, flags["idle-exit"], ending);
  /** The rows of all lists. One list writes at a time. */
  const quota = { limit: typed.has("when") ? undefined : limit, count: 0, inTurn: createQueue() };
  const said = new Set<string>();
  /** Whether this has not been said in this run, for any list. */
  const isFirst = (what: "cost" | "fields"): boolean => {
    const isNew = !said.has(what);
    said.add(what);
    return isNew;
  };
  /** When a list was last read, on the monotonic clock. */
  const reads = { last: Number.NEGATIVE_INFINITY };
  const writing = { files, renderer, assets, idle, quota, isFirst, reads, alerts, see, onLimit, isSilent };
  /** Without a checkpoint, where lists that a reload removed have ended. They may come back. */
  const ends = new Map<string, FollowState>();
  return { ...asked, ...reading, ...writing, run, flags, log, ending, checkpoint, ends };
}

/** The client of all lists. For several, its requests wait in a queue. */
async function openReading(run: Run, speed: number, { lists, isOfMany, poll }: Options, log: FollowLog) {
  const { context, report, options } = run;
  const { retry } = options;
  const present = createServicePresent(context.clock);
  const noteAge = createAgeNote(report.info);
  const open = await run.open({
    context,
    speed,
    // The queue decides when to ask again, so that an outage is one outage and not that of each list.
    ...(isOfMany && { retry: { ...retry, retries: 0, repeats: retry.retries } }),
    observer: {
      answered: ({ answer, age }) => {
        present.record(answer?.headers.get("date"));
        noteAge(age);
      },
      ...(isOfMany && { waiting: () => undefined }),
    },
  });
  const { tier } = open.client.target;
  const perMinute = rateOf(run, tier);
  const checkRate = (count: number): void => {
    if (isOfMany && poll !== undefined) checkPoll(count, poll, perMinute, tier);
  };
  checkRate(lists.length);
  const behind = createBehindReport(run, log, poll ?? 0);
  const queue = isOfMany
    ? createReadQueue(context, open.client, perMinute, retry.retries, behind)
    : undefined;
  return { open, present, checkRate, queue, client: queue?.client ?? open.client };
}

function tellStart({ report }: Run, asked: Options, out: string | undefined): void {
  const { plan, lists, isSearch, isOfMany, poll, readsAnHour } = asked;
  report.hint(`waiting for new ${isSearch ? "pools" : "transactions"}; press Ctrl-C to stop`);
  if (poll === undefined) return;
  const what = isSearch ? plan.endpoint.command : counted(lists.length, "pool");
  const cost = `${what} every ${formatDuration(poll)}: about ${costOverTime(readsAnHour)}`;
  const end = out === undefined ? "; without --out, each restart begins from scratch" : "";
  report.info(isOfMany ? `${cost}${end}` : pollLine(poll));
}

/** `idle` is in milliseconds. Time spent waiting for the reader of the output does not count. */
function watchRows(clock: Clock, idle: number | undefined, { signal, end }: Ending) {
  if (idle === undefined) return undefined;
  const next = "check that the pool has trades: dexdata pool <network> <pool>";
  const failure = fail("idle", `no new row for ${idle / 1000}s (--idle-exit)`, { next });
  return createQuietWatch(
    clock,
    idle,
    signal,
    () => ["rows"],
    () => end(failure),
  );
}
