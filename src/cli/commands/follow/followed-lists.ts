import { exactDuration, formatDuration } from "../../../api/duration.ts";
import { withTokenAmounts } from "../../../api/endpoints/pool-transactions.ts";
import { type ApiRequest, type Args, fieldPaths, rowShape } from "../../../api/endpoint.ts";
import { idlePollMs } from "../../../client/follow-wake.ts";
import { failAsService } from "../../../api/service-errors.ts";
import { plans } from "../../../api/tier.ts";
import { usageFailure } from "../../../base/failure.ts";
import type { PathNames } from "../../../base/files/file-pattern.ts";
import { member } from "../../../base/json/json-scan.ts";
import { letHeapGrow } from "../../../base/heap-room.ts";
import { counted } from "../../../base/text/words.ts";
import { usedRate } from "./read-queue.ts";
import { comparableAddress, type Subject, subjectKey, titleOf } from "../../../client/subject.ts";
import { checkBlind, readWanted } from "../../run/alerts/open-alerts.ts";
import type { NameFinder } from "../../run/asset-names.ts";
import { costOverTime } from "../../run/spending/estimate.ts";
import type { Run } from "../../run/with-run.ts";
import type { EndpointGroup, Input } from "../command.ts";
import type { FollowedFlags } from "../flags/endpoint-flags.ts";
import { shortestPollOfLists } from "../flags/lasting-flags.ts";
import { checkShown, type PullPlan, readPlan } from "../input/pull-plan.ts";
import { isList } from "../input/subjects.ts";
import { runningClock } from "../../run/run-options.ts";

/** A pool's transactions, or a search. */
export interface FollowedList {
  /** Equal in every run. */
  readonly name: string;
  readonly request: ApiRequest;
  readonly pool: Subject | undefined;
}

/** In milliseconds. */
const pollOfLists = { default: 60_000, min: shortestPollOfLists, max: 3_600_000 };

/** Fewer lists fit into the small heap of a run. */
const manyLists = 5000;

export type Options = Awaited<ReturnType<typeof readOptions>>;

/** What the command line asks for. Nothing has been sent yet. */
export async function readOptions(run: Run, group: EndpointGroup, input: Input<FollowedFlags>) {
  const { options, sources, context } = run;
  const { flags, words } = input;
  const nowOf = runningClock(options, context.clock);
  const read = async (signal: AbortSignal, checkCount = sources.checkCount): Promise<PullPlan> => {
    const fresh = { ...sources, checkCount, read: async (word: string) => await sources.read(word, signal) };
    // --from of a pool that is added after weeks is not the time that it was for the others.
    return await readPlan(group, input, { ...options, now: nowOf() }, fresh);
  };
  const plan = await read(context.signal);
  const { endpoint, argSets } = plan;
  const isSearch = endpoint.lists === "pools";
  const isOfMany = isSearch || argSets.length !== 1 || words.some(isList);
  const poll = isOfMany ? readPoll(flags) : flags.poll;
  if (flags.estimate === true && poll === undefined)
    throw usageFailure(
      "--estimate cannot be used with --follow: the cost depends on how many new rows arrive",
      "limit it with --max-credits, or use --poll",
    );
  const wanted = readAlerts(input, plan, poll);
  const tested = wanted?.conditions.flatMap(({ tests }) => tests.map(({ field }) => field)) ?? [];
  if (isSearch && (argSets[0]?.has("liquidity_usd_min") === true || tested.includes("liquidity_usd")))
    run.report.warn(
      "liquidity_usd is 0 for pools younger than about a week; use --volume-usd-24h-min or --txns-24h-min, and for reserves: dexdata stream --feed reserves",
    );
  if (isOfMany && flags["streaming-url"] !== undefined)
    throw usageFailure("--streaming-url cannot be used with several pools: no stream is opened", "remove it");
  checkShown(options, plan);
  const lists = listsOf(plan, sources.names);
  return {
    plan,
    lists,
    isSearch,
    /** Several pools, even if the list has one pool at the moment, or a search: they are only polled. */
    isOfMany,
    /** Milliseconds between reads; undefined if a stream says when to read. */
    poll,
    /** At most one credit each; 0 with a stream. */
    readsAnHour: poll === undefined ? 0 : readsPerHour(poll) * lists.length,
    /** By default, pages are as large as possible, because `--limit` applies to the rows that are written. */
    pageSize: flags["page-size"] === undefined ? 100 : plan.list.pageSize,
    /** Equal for a list and its rows; empty for a row that does not show it. */
    ownerOf: isSearch ? () => lists[0]?.name ?? "" : poolOf,
    wanted,
    /** The fields in paths, with their values if all rows have the same. */
    names: isOfMany ? { network: "", ...(!isSearch && { pool: "" }) } : rowNames(argSets[0] ?? new Map()),
    /** Whether the list is in a file, which SIGHUP reads again. */
    isReloaded: words.some((word) => word.startsWith("@")),
    reread: async (
      signal: AbortSignal,
      checkCount: (count: number) => void,
    ): Promise<readonly FollowedList[]> => {
      sources.names.forget();
      return listsOf(await read(signal, checkCount), sources.names);
    },
  };
}

/** Undefined without alerts. */
function readAlerts(
  { typed, flags: { blind } }: Input<FollowedFlags>,
  { endpoint }: PullPlan,
  poll = idlePollMs,
) {
  checkBlind(blind, poll);
  const all = fieldPaths(rowShape(endpoint.lists === "trades" ? withTokenAmounts(endpoint) : endpoint));
  return readWanted(typed, all);
}

function listsOf({ endpoint, argSets, named }: PullPlan, names: NameFinder): readonly FollowedList[] {
  if (argSets.length === 0) throw usageFailure("no pools to follow: the list is empty");
  // Otherwise, collecting garbage while 100,000 lists start would block signals for minutes.
  if (argSets.length > manyLists) letHeapGrow();
  return argSets.map((args, index) => {
    const request = { endpoint, args };
    if (endpoint.lists === "pools")
      return { name: nameOfSearch(endpoint.command, args), request, pool: undefined };
    const asset = { network: args.get("network") ?? "", address: args.get("pool_address") ?? "" };
    const pool = { ...asset, label: names.labelOf(asset) ?? named[index]?.label };
    return { name: subjectKey(pool), request, pool };
  });
}

/** Without the start, which may be relative to the present. */
function nameOfSearch(command: string, args: Args): string {
  const words = [...args].flatMap(([name, value]) => (name === "created_after" ? [] : [`${name}=${value}`]));
  return [command, ...words].join(" ");
}

/** The address, because rows do not name the network. */
function poolOf(of: string | object): string {
  if (typeof of === "string") return of.slice(of.indexOf(":") + 1);
  const address = member(of, "pool_id");
  return typeof address === "string" ? comparableAddress(address) : "";
}

/** The fields in paths, except the times, that all rows of a pool have. */
export function rowNames(args: Args): PathNames {
  return { network: args.get("network"), pool: args.get("pool_address") };
}

/** For people: the list that a message is about. */
export function listTitle({ pool, request }: FollowedList): string {
  return pool === undefined ? request.endpoint.command : titleOf(pool);
}

function readPoll({ poll = pollOfLists.default }: { readonly poll: number | undefined }): number {
  const { min, max } = pollOfLists;
  if (poll >= min && poll <= max) return poll;
  throw usageFailure(
    `--poll ${formatDuration(poll)}: several pools and searches are read every ${formatDuration(min)} to ${formatDuration(max)}`,
  );
}

export const readsPerHour = (milliseconds: number): number => 3_600_000 / milliseconds;

/** Each read costs a credit, and a read with new rows is followed by another one to prove that none are missing. */
export function pollLine(milliseconds: number): string {
  const cost = costOverTime(readsPerHour(milliseconds));
  return `reading every ${formatDuration(milliseconds)}: ${cost}, up to twice as many while new rows arrive`;
}

/** Requests per minute; undefined without a limit. */
export function rateOf({ options: { rpm } }: Run, tier: keyof typeof plans): number | undefined {
  if (rpm.value === "unlimited") return undefined;
  return rpm.value ?? plans[tier].requestsPerMinute;
}

/** Throws if each of `count` lists cannot be read as often. */
export function checkPoll(count: number, poll: number, perMinute: number | undefined, tier: string): void {
  const shortest = Math.ceil((count * 60) / usedRate(perMinute)) * 1000;
  if (shortest <= poll) return;
  const needed = Math.ceil((count * 60_000) / poll);
  const need = `reading ${counted(count, "pool")} every ${formatDuration(poll)} needs ${counted(needed, "request")}/min`;
  const problem =
    perMinute === undefined
      ? `${need}, but at most ${counted(usedRate(), "request")}/min are sent`
      : `${need}, but at most 90% of ${perMinute} requests/min (${tier} plan) are used`;
  const fits =
    shortest <= pollOfLists.max
      ? `use --poll ${exactDuration(shortest)}, or follow fewer pools`
      : "follow fewer pools";
  // Waiting does not help.
  throw failAsService("rate_limited", problem, { next: fits, retryable: false });
}
