import type { Clock } from "../../../base/context/context.ts";
import { rowShape } from "../../../api/endpoint.ts";
import { fail } from "../../../base/failure.ts";
import { fillFields, hasNames } from "../../../base/files/file-pattern.ts";
import { recordedService } from "../../run/run-options.ts";
import { counted } from "../../../base/text/words.ts";
import { openCheckpoint } from "./checkpoint.ts";
import { createReadQueue } from "./read-queue.ts";
import { createQuota, createServicePresent } from "./row-writer.ts";
import { createAgeNote, type Freshness } from "../../../client/freshness.ts";
import { createEnding, type Ending } from "../../../client/ending.ts";
import { createQuietWatch } from "../../run/quiet-watch.ts";
import { createRenderer } from "../../render/formats/formats.ts";
import { openEventLog } from "../../run/output/event-log.ts";
import { writeHourlyEstimate } from "../../run/output/write-estimate.ts";
import type { Run } from "../../run/with-run.ts";
import type { Input } from "../command.ts";
import type { FollowedFlags } from "../flags/endpoint-flags.ts";
import type { EndpointGroup } from "../input/positionals.ts";
import { presentationOf } from "../pull/open-output.ts";
import { createTableAssets } from "../pull/table-assets.ts";
import { openRowAlerts, readAlerts } from "./follow-alerts.ts";
import { type FollowOutput, openFollowOutput } from "./follow-output.ts";
import { createBehindReport, pollLine, pollLineOfMany, readsPerHour } from "./follow-report.ts";
import {
  checkPoll,
  ownerOf,
  pathOfUrl,
  rateOf,
  readOptions,
  rowNames,
  type Options,
} from "./followed-lists.ts";

/** Its run's signal also aborts when a limit is reached. */
export type Session = Readonly<NonNullable<Awaited<ReturnType<typeof openSession>>>>;

/** Undefined if only the cost was asked for. */
export async function openSession(outer: Run, group: EndpointGroup, input: Input<FollowedFlags>) {
  const { options, report, onClose } = outer;
  const { flags } = input;
  const { clock } = outer.context;
  const asked = await readOptions(outer, group, input);
  const { plan, lists, poll, pollOfMany } = asked;
  const wanted = readAlerts(input, asked);
  const isOfMany = pollOfMany !== undefined;
  const log = openEventLog(flags.events, report, clock);
  const output = await openFollowOutput(outer, flags.out, asked.names);
  for (const { request } of lists) await output.checkUnused(rowNames(request.args));
  const ending = createEnding(clock, outer.context.signal, flags.for);
  onClose(ending.release);
  const run = { ...outer, context: { ...outer.context, signal: ending.signal } };
  const { open, present, freshness } = await openFollowClient(run, flags.speed, isOfMany);
  const { tier } = open.client.target;
  const perMinute = rateOf(run, tier);
  const checkRate = (count: number): void => {
    if (isOfMany) checkPoll(count, pollOfMany, perMinute, tier);
  };
  checkRate(lists.length);
  const readsAnHour = poll === undefined ? undefined : readsPerHour(poll) * lists.length;
  if (flags.estimate === true) {
    const cost = { requests: readsAnHour ?? 0, credits: readsAnHour ?? 0 };
    await writeHourlyEstimate(run, flags, plan.endpoint, open.client.target, cost);
    return undefined;
  }
  const behind = createBehindReport(run, log, poll ?? 0);
  const queue = isOfMany ? createReadQueue(run.context, perMinute, options.retry.retries, behind) : undefined;
  report.hint(`waiting for new ${asked.isSearch ? "pools" : "transactions"}; press Ctrl-C to stop`);
  if (poll !== undefined) {
    const what = asked.isSearch ? plan.endpoint.command : counted(lists.length, "pool");
    const end = flags.out === undefined ? "; without --out, a restart does not continue" : "";
    report.info(isOfMany ? `${pollLineOfMany(what, lists.length, poll)}${end}` : pollLine(poll));
  }
  const amounts = wanted?.isOfAmounts === true ? "tokens" : plan.amounts;
  // Their requests are retried in the queue as well, or an alert would lack its amounts.
  const reader = queue?.of(open.client).client ?? open.client;
  const assets = createTableAssets(run.context, reader, options, { ...plan, amounts });
  onClose(assets.save);
  const checkpoint = await openOwnCheckpoint(run, asked, {
    ...flags,
    service: recordedService(options, open.client.target),
    output,
    ending,
  });
  const renderer = await createRenderer({
    ...presentationOf(run.context, options, plan),
    output: output.output,
    isContinued: false,
    // A displayed age would be wrong after a minute, so rows show their time instead.
    hasAges: false,
    findAsset: assets.find,
  });
  // By default, pages are as large as possible, because `--limit` applies to the rows that are written.
  const pageSize = flags["page-size"] === undefined ? 100 : plan.list.pageSize;
  // The default limits a list. Without --limit, the run goes on.
  const limit = input.typed.has("limit") ? flags.limit : undefined;
  const quota = createQuota(input.typed.has("when") ? undefined : limit);
  const acting = await openRowAlerts(outer, wanted, flags, { limit, log, ending });
  const idle = watchRows(clock, flags["idle-exit"], ending);
  const reading = { pageSize, isStrict: plan.list.isStrict, readsAnHour, checkRate, isOfMany };
  const parts = {
    log,
    open,
    freshness,
    ending,
    present,
    queue,
    checkpoint,
    output,
    renderer,
    assets,
    quota,
    idle,
    ...acting,
  };
  return { ...asked, ...reading, ...parts, run, flags };
}

/** `freshness` has an entry for each list. */
async function openFollowClient(run: Run, speed: number, isOfMany: boolean) {
  const { context, report } = run;
  const { retry } = run.options;
  const present = createServicePresent(context.clock);
  const freshness = new Map<string, Freshness>();
  const noteAge = createAgeNote(report.info);
  const open = await run.open({
    context,
    speed,
    // The queue decides when to ask again, so that an outage is one outage and not that of each list.
    ...(isOfMany && { retry: { ...retry, retries: 0, repeats: retry.retries } }),
    observer: {
      answered: (exchange) => {
        present.record(exchange.answer?.headers.get("date"));
        freshness.get(pathOfUrl(exchange.url))?.record(exchange.url, exchange.age);
        noteAge(exchange.age);
      },
      ...(isOfMany && { waiting: () => undefined }),
    },
  });
  return { open, present, freshness };
}

interface CheckpointParts {
  readonly out: string | undefined;
  readonly service: string;
  readonly output: FollowOutput;
  readonly ending: Ending;
}

async function openOwnCheckpoint(
  { context, report }: Run,
  { plan: { endpoint }, names, isSearch, pollOfMany, lists: [first] }: Options,
  { out, service, output: { sync }, ending }: CheckpointParts,
) {
  if (out === undefined) return undefined;
  return await openCheckpoint({
    context,
    // One run for each pool may use the same pattern.
    named: pollOfMany === undefined && hasNames(out) ? fillFields(out, names) : out,
    service,
    shape: rowShape(endpoint),
    ownerOf: isSearch ? () => first?.name ?? "" : ownerOf,
    isOfMany: pollOfMany !== undefined,
    sync,
    report,
    failed: ending.end,
  });
}

/** `idle` is in milliseconds. Time spent waiting for the reader of the output does not count. */
function watchRows(clock: Clock, idle: number | undefined, { signal, end }: Ending) {
  if (idle === undefined) return undefined;
  const quiet = createQuietWatch<"rows">(clock, idle, signal, () => {
    end(
      fail("idle", `no new row for ${idle / 1000}s (--idle-exit)`, {
        next: "check that the pool has trades: dexdata pool <network> <pool>",
      }),
    );
  });
  quiet.expect("rows");
  return quiet;
}
