import { member } from "../../../base/json/raw-json.ts";
import type { PathNames } from "../../../base/files/file-pattern.ts";
import { onlyGroup, rowShape } from "../../../api/endpoint.ts";
import { formatDuration } from "../../../api/duration.ts";
import { failAsService } from "../../../api/error-codes.ts";
import type { Args, Question } from "../../../api/args.ts";
import { plans } from "../../../api/tier.ts";
import { fail, usageFailure } from "../../../base/failure.ts";
import { counted } from "../../../base/text/counted.ts";
import { type FollowCheckpoint, openCheckpoint } from "../../../client/follow/checkpoint.ts";
import { createReadQueue, shortestPollOf } from "../../../client/follow/read-queue.ts";
import { createQuota, createServicePresent } from "../../../client/follow/row-writer.ts";
import { rowNames } from "../../../client/follow/written-rows.ts";
import { createEnding, type Ending } from "../../../client/live/ending.ts";
import { createQuietWatch } from "../../../client/live/quiet-watch.ts";
import { comparableAddress, type Subject, subjectKey, titleOf } from "../../../client/subject.ts";
import type { Clock } from "../../../base/context/context.ts";
import { createRenderer } from "../../render/formats/formats.ts";
import { checkPrefix } from "../../render/formats/row-prefix.ts";
import { checkColumns } from "../../render/table/choose-columns.ts";
import { openEventLog } from "../../run/output/event-log.ts";
import { writeRecord } from "../../run/output/local-output.ts";
import { creditsPerMonth } from "../../run/spending/cost-over-time.ts";
import type { Run } from "../../run/with-run.ts";
import type { Input } from "../command.ts";
import type { FollowedFlags } from "../flags/endpoint-flags.ts";
import type { EndpointGroup } from "../input/positionals.ts";
import { type Questions, readQuestions } from "../input/questions.ts";
import { isList } from "../input/subjects.ts";
import { presentationOf } from "../pull/fetch-and-print.ts";
import { createTableAssets } from "../pull/table-assets.ts";
import { openFollowOutput } from "./follow-output.ts";
import { createBehindReport, pollLine, pollLineOfMany, readsPerHour } from "./follow-report.ts";

/** A pool's transactions, or a search. */
export interface FollowedList {
  /** Equal in every run. */
  readonly name: string;
  readonly question: Question;
  readonly pool: Subject | undefined;
}

/** In milliseconds. */
const pollOfMany = { usual: 60_000, least: 5000, most: 3_600_000 };

/** Its run's signal also aborts when a limit is reached. */
export type Session = Readonly<NonNullable<Awaited<ReturnType<typeof openSession>>>>;

/** Undefined if only the cost was asked for. */
export async function openSession(outer: Run, group: EndpointGroup, input: Input<FollowedFlags>) {
  const { options, report, onClose } = outer;
  const { flags, words } = input;
  const { clock } = outer.context;
  const started = clock.elapsed();
  const read = async (signal: AbortSignal): Promise<Questions> => {
    const file = async (name: string): Promise<string> => await outer.sources.file(name, signal);
    // --from of a pool that is added after weeks is not the time that it was for the others.
    const now = options.now + clock.elapsed() - started;
    return await readQuestions(group, input, { ...options, now }, { ...outer.sources, file });
  };
  const questions = await read(outer.context.signal);
  const { endpoint, walk } = questions;
  const isSearch = endpoint.isGrowing === true;
  const isOfMany = isSearch || questions.asked.length !== 1 || words.some(isList);
  const poll = isOfMany ? readPoll(flags) : flags.poll;
  const lists = listsOf(questions, isSearch);
  if (lists.length === 0) throw usageFailure("no pools to follow: the list is empty");
  checkFollowed(input, isOfMany, questions);
  if (options.columns !== undefined)
    checkColumns(new Map([[onlyGroup, rowShape(endpoint)]]), options.columns);
  checkPrefix(options, questions);
  const log = openEventLog(flags.events, report, clock);
  const ofAll: PathNames = isSearch ? { network: "" } : { network: "", pool: "" };
  const output = await openFollowOutput(
    outer,
    flags.out,
    isOfMany ? ofAll : rowNames(lists[0]?.question.args ?? new Map()),
  );
  const ending = createEnding(clock, outer.context.signal, flags.for);
  onClose(ending.release);
  const run = { ...outer, context: { ...outer.context, signal: ending.signal } };
  const present = createServicePresent(clock);
  const { retry } = options;
  const open = await outer.open({
    context: run.context,
    speed: flags.speed,
    // The queue decides when to ask again, so that an outage is one outage and not that of each list.
    ...(isOfMany && { retry: { ...retry, retries: 0, repeats: retry.retries } }),
    observer: {
      answered: (exchange) => {
        present.heard(exchange.answer?.headers.get("date"));
        report.answered(exchange);
      },
      ...(isOfMany && { waiting: () => undefined }),
    },
  });
  const perMinute = rateOf(run, open.client.target.tier);
  const checkRate = (count: number): void => {
    if (isOfMany && poll !== undefined) checkPoll(count, poll, perMinute, open.client.target.tier);
  };
  checkRate(lists.length);
  const every = readsPerHour(poll ?? 0) * lists.length;
  if (flags.estimate === true) {
    const figures = {
      requests_per_hour: every,
      credits_per_hour: every,
      credits_per_month: creditsPerMonth(every),
    };
    await writeRecord(run.context, flags, figures);
    return undefined;
  }
  const what = isSearch ? endpoint.command : counted(lists.length, "pool");
  if (isOfMany && poll !== undefined)
    report.note(pollLineOfMany(what, lists.length, poll) + withoutOut(flags));
  else if (poll !== undefined) report.note(pollLine(poll));
  const queue =
    isOfMany && poll !== undefined
      ? createReadQueue(run.context, perMinute, retry.retries, createBehindReport(run, log, poll))
      : undefined;
  const assets = createTableAssets(run.context, open.client, options, questions);
  onClose(assets.save);
  let checkpoint: FollowCheckpoint | undefined;
  if (isOfMany && flags.out !== undefined) {
    checkpoint = await openCheckpoint({
      context: run.context,
      out: flags.out,
      service: options.sandbox === undefined ? open.client.target.rest : "the sandbox",
      shape: rowShape(endpoint),
      ownerOf: isSearch ? () => lists[0]?.name ?? "" : ownerOf,
      sync: output.sync,
      failed: ending.end,
    });
  }
  const renderer = await createRenderer({
    ...presentationOf(run.context, options, questions),
    output: output.output,
    isContinued: false,
    // A displayed age would be wrong after a minute, so rows show their time instead.
    hasAges: false,
    findAsset: assets.find,
  });
  // By default, pages are as large as possible, because `--limit` applies to the rows that are written.
  const pageSize = flags["page-size"] === undefined ? 100 : walk.pageSize;
  // The default limits a list. Without --limit, the run goes on.
  const quota = createQuota(input.typed.has("limit") ? flags.limit : undefined);
  const hasFile = words.some((word) => word.startsWith("@"));
  const reread = hasFile
    ? async (): Promise<readonly FollowedList[]> => {
        outer.sources.names.forget();
        const next = listsOf(await read(ending.signal), isSearch);
        if (next.length === 0) throw usageFailure("the list is empty");
        checkRate(next.length);
        return next;
      }
    : undefined;
  const idle = watchRows(clock, flags["idle-exit"], ending);
  const reading = { poll, pageSize, isStrict: walk.isStrict, every: poll === undefined ? undefined : every };
  const parts = {
    lists,
    reread,
    isSearch,
    isOfMany,
    quota,
    log,
    open,
    ending,
    present,
    idle,
    renderer,
    assets,
  };
  return { run, flags, queue, checkpoint, output, ...parts, ...reading };
}

function listsOf({ endpoint, asked, named }: Questions, isSearch: boolean): readonly FollowedList[] {
  return asked.map((args, index) => {
    const question = { endpoint, args };
    if (isSearch) return { name: nameOfSearch(endpoint.command, args), question, pool: undefined };
    const { label } = named[index] ?? {};
    const pool = { network: args.get("network") ?? "", address: args.get("pool_address") ?? "", label };
    return { name: poolName(pool), question, pool };
  });
}

const poolName = ({ network, address }: Subject): string =>
  subjectKey({ network, address: comparableAddress(address) });

/** Without the start, which may be relative to the present. */
function nameOfSearch(command: string, args: Args): string {
  const words = [...args].flatMap(([name, value]) => (name === "created_after" ? [] : [`${name}=${value}`]));
  return [command, ...words].join(" ");
}

function ownerOf(row: object): string {
  const [network, address] = [member(row, "chain"), member(row, "pool_id")];
  if (typeof network !== "string" || typeof address !== "string") return "";
  return poolName({ network, address });
}

/** For `--events`. */
export const poolsOf = (lists: readonly FollowedList[]): readonly Subject[] =>
  lists.flatMap(({ pool }) => pool ?? []);

/** For people: the list that a message is about. */
export function listTitle({ pool, name }: FollowedList): string {
  return pool === undefined ? name : titleOf(pool);
}

function readPoll({ poll = pollOfMany.usual }: { readonly poll: number | undefined }): number {
  const { least, most } = pollOfMany;
  if (poll >= least && poll <= most) return poll;
  throw usageFailure(
    `--poll ${formatDuration(poll)}: several pools and searches are read every ${formatDuration(least)} to ${formatDuration(most)}`,
  );
}

/** Without these fields, a restart could not tell which rows are already written. */
function checkFollowed({ flags }: Input<FollowedFlags>, isOfMany: boolean, { endpoint }: Questions): void {
  if (flags.estimate === true && !isOfMany && flags.poll === undefined)
    throw usageFailure(
      "--estimate cannot be used with --follow: the cost depends on how many new rows arrive",
      "limit it with --max-credits, or use --poll",
    );
  if (!isOfMany) return;
  if (flags["streaming-url"] !== undefined)
    throw usageFailure("--streaming-url cannot be used with several pools: no stream is opened", "remove it");
  const needed = [...rowShape(endpoint).identity, "created_at"];
  const fields = flags.fields ?? needed;
  const missing = fields.includes("*") ? [] : needed.filter((name) => !fields.includes(name));
  if (flags.out !== undefined && missing.length > 0)
    throw usageFailure(
      `--fields: with --out, the rows need ${needed.join(", ")}, so that a restart can continue`,
      `add ${missing.join(",")}`,
    );
}

const withoutOut = ({ out }: { readonly out: string | undefined }): string =>
  out === undefined ? "; a restart cannot continue without --out" : "";

function rateOf({ options: { rpm } }: Run, tier: keyof typeof plans): number | undefined {
  if (rpm.value === "unlimited") return undefined;
  return rpm.value ?? plans[tier].requestsPerMinute;
}

function checkPoll(count: number, poll: number, perMinute: number | undefined, tier: string): void {
  const shortest = shortestPollOf(count, perMinute);
  if (shortest <= poll) return;
  const problem = `${counted(count, "pool")} every ${formatDuration(poll)} are more than 90% of ${perMinute} requests/min (${tier} plan)`;
  const fits =
    shortest <= pollOfMany.most
      ? `use --poll ${formatDuration(shortest)}, or follow fewer pools`
      : "follow fewer pools";
  throw failAsService("rate_limited", problem, { next: fits });
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
