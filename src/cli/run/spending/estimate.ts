import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { formatDuration } from "../../../api/duration.ts";
import type { LocalRow } from "../../render/renderer.ts";
import type { LocalOutputFlags } from "../flags/shared-flags.ts";
import { beyondPlan, type Target } from "../../../client/target.ts";
import { formatOf, writeRecord } from "../output/local-output.ts";
import type { Report } from "../report.ts";
import { costOf } from "../../../client/meter.ts";
import type { Endpoint, Args, ApiRequest } from "../../../api/endpoint.ts";
import { keyOfArgs } from "../../../client/subject.ts";
import { type Reply, isNumbered } from "../../../api/reply.ts";
import { member } from "../../../base/json/json-scan.ts";
import { plans, type Tier, tiers } from "../../../api/tier.ts";
import { counted, grouped } from "../../../base/text/words.ts";
import type { PullQuery } from "../../../rows/wanted-pages.ts";
import { planBatches } from "../../../client/list-plan.ts";
import {
  candleWindow,
  countOpenings,
  isWithoutMade,
  slicesOf,
  sourceOf,
} from "../../../client/candle-windows.ts";

/** Values that are unknown before the request are undefined. Retries and lookups after a rejection are excluded. */
export interface Estimate {
  readonly requests: number | undefined;
  readonly credits: number | undefined;
  /** Missing if it cannot exceed `credits`. */
  readonly creditsAtMost?: number;
  readonly rows: number | undefined;
  readonly certainty: "exact" | "at most" | "about" | "unknown";
  readonly basis: string;
}

type Counted = Omit<Estimate, "credits">;

/** The query whose response contains the list's length. `networks` may be that query. */
export function requestBefore(
  { endpoint, argSets, limit, list }: PullQuery,
  networks: Endpoint,
): ApiRequest | undefined {
  const [args = new Map()] = argSets;
  if (limit !== undefined || list.kind === "once") return undefined;
  if (isNumbered(endpoint.reply) && argSets.length > 1) return undefined;
  if (isNumbered(endpoint.reply))
    return { endpoint, args: new Map([...args, ["limit", "1"], ["page", "1"]]) };
  return isEveryPool(endpoint, args) ? { endpoint: networks, args: new Map() } : undefined;
}

/** `response` is the response to `requestBefore`. */
export function estimate(wanted: PullQuery, response: unknown): Estimate {
  const { endpoint, argSets, list } = wanted;
  const { reply } = endpoint;
  const count = argSets.length;
  if (list.kind === "once") {
    const credits = argSets.reduce((sum, args) => sum + costOf(endpoint, args), 0);
    return { ...exactly(count), credits, rows: undefined };
  }
  if (reply.kind === "batch") return ofBatches(wanted, reply);
  const figures = ((): Counted => {
    switch (reply.kind) {
      case "single":
        return { ...exactly(new Set(argSets.map(keyOfArgs)).size), rows: count };
      case "list":
      case "groups":
        return { ...exactly(count), rows: wanted.limit && wanted.limit * wanted.groups.length };
      case "candles":
        return ofCandles(wanted, reply.maxLimit);
      case "numbered-pages":
        return ofPages(wanted, { total: totalOf(response), noun: "row" }, reply.handOverAfter !== undefined);
      case "cursor-pages":
        return ofPages(wanted, { total: poolsOf(wanted, response), noun: "pool" }, false);
    }
  })();
  return { ...figures, credits: figures.requests };
}

function exactly(requests: number): Pick<Counted, "requests" | "certainty" | "basis"> {
  const basis = requests === 1 ? "1 request" : "1 request per input";
  return { requests, certainty: "exact", basis };
}

function ofBatches({ list }: PullQuery, reply: Extract<Reply, { kind: "batch" }>): Estimate {
  const subjects = list.kind === "batch" ? list.subjects : [];
  const batches = planBatches(subjects, reply);
  const credits = batches.reduce((sum, { addresses }) => sum + addresses.length, 0);
  const basis = `1 credit per distinct address, up to ${reply.max} addresses per request`;
  return { requests: batches.length, credits, rows: subjects.length, certainty: "exact", basis };
}

/** A slice with this many candles or fewer never needs a second request; see `mayBeCapped` and `createGapJudge`. */
const surelyWhole = 9;
/** The maximum number of requests for finding the newest candles before the time range; see `countBack`. */
const looksBack = 12;

function ofCandles({ argSets, list }: PullQuery, maxLimit: number): Counted {
  const windowOf = (args: Args) => candleWindow(args, list.start?.value);
  const slices = argSets.flatMap((args) => {
    if (isWithoutMade(args)) return [];
    const source = sourceOf(args, maxLimit);
    return [...slicesOf(windowOf(source.args), source.maxLimit)];
  });
  const requests = slices.length;
  const rows = argSets.reduce((sum, args) => sum + countOpenings(windowOf(args)), 0);
  const doubtful = slices.filter(({ touched }) => touched > surelyWhole).length;
  const isCountedBack = argSets.some((args) => args.has("count_back"));
  if (doubtful === 0 && !isCountedBack) return { ...exactly(requests), rows };
  return {
    requests,
    creditsAtMost: requests + doubtful * (isCountedBack ? 2 : 1) + (isCountedBack ? looksBack : 0),
    rows,
    certainty: "about",
    basis: `up to ${grouped(String(maxLimit))} candles per request; a response with gaps may need another request`,
  };
}

/** `isHeld` means that the list can shift, so a few extra requests may keep it complete; see `readNumberedPages`. */
function ofPages(
  { argSets, limit, list }: PullQuery,
  service: { readonly total: number | undefined; readonly noun: string },
  isHeld: boolean,
): Counted {
  const { pageSize, start } = list;
  if (list.kind === "pools") {
    const most = Math.max(list.tokens.length, Math.floor(list.maxRowsRead / pageSize));
    const basis = `up to ${grouped(String(list.maxRowsRead))} rows read in pages of ${pageSize}`;
    return { requests: most, rows: limit, certainty: "at most", basis };
  }
  const total = limit ?? service.total;
  if (total === undefined)
    return argSets.length > 1 ? { ...unknown, basis: "the service counts one list per request" } : unknown;
  const before = limit === undefined && start?.flag === "page" ? (Number(start.value) - 1) * pageSize : 0;
  const rows = Math.max(0, total - before);
  // If the last page of a list is full, an empty page follows it, unless a limit ends the list.
  const requests = limit === undefined ? Math.floor(rows / pageSize) + 1 : Math.ceil(rows / pageSize);
  const source =
    limit === undefined
      ? `the service currently reports ${counted(total, service.noun)}; `
      : `--limit ${limit} in `;
  const basis = `${source}pages of ${pageSize}${argSets.length > 1 ? ", for each input" : ""}`;
  const [all, allRows] = [requests * argSets.length, rows * argSets.length];
  if (!isHeld || requests < 2) return { requests: all, rows: allRows, certainty: "at most", basis };
  return {
    requests: all,
    creditsAtMost: all + argSets.length * (3 + Math.ceil(requests / 10)),
    rows: allRows,
    certainty: "about",
    basis: `${basis}; a few pages are fetched again if the list changes`,
  };
}

const unknown: Counted = {
  requests: undefined,
  rows: undefined,
  certainty: "unknown",
  basis: "the service does not count this list",
};

/** These parameters do not filter out any rows. */
const harmless: ReadonlySet<string> = new Set(["network", "chains", "order_by", "sort", "detailed"]);

function isEveryPool(endpoint: Endpoint, args: Args): boolean {
  return endpoint.lists === "pools" && [...args.keys()].every((name) => harmless.has(name));
}

/** Undefined if a count is missing, as has been observed with the public service. */
function poolsOf(
  { endpoint, argSets: [args = new Map()] }: PullQuery,
  response: unknown,
): number | undefined {
  if (!isEveryPool(endpoint, args)) return undefined;
  const rows: readonly unknown[] = Array.isArray(response) ? response : [];
  const counts = new Map(rows.map((row) => [member(row, "id"), member(row, "pools_count")]));
  const chosen = args.get("network") ?? args.get("chains");
  const ids = chosen?.split(",") ?? [...counts.keys()];
  let sum = 0;
  for (const id of ids) {
    const count = counts.get(id);
    if (typeof count !== "number") return undefined;
    sum += count;
  }
  return ids.length === 0 ? undefined : sum;
}

/** Ignores a total of zero if there are rows, as has been observed with the public service. */
function totalOf(response: unknown): number | undefined {
  const total = member(member(response, "page_info"), "total_items");
  if (typeof total !== "number") return undefined;
  const hasRows = Object.values(response ?? {}).some((value) => Array.isArray(value) && value.length > 0);
  return total === 0 && hasRows ? undefined : total;
}

/** Keyless and free credits return after 30 days. Billing periods are about as long. */
const hoursPerMonth = 30 * 24;
const hour = 3_600_000;

/** Takes a fraction, because a request every six hours is 120 a month, not 720. */
export function creditsPerMonth(creditsPerHour: number): number {
  return Math.round(creditsPerHour * hoursPerMonth);
}

export function costOverTime(creditsPerHour: number): string {
  const perMonth = grouped(String(creditsPerMonth(creditsPerHour)));
  return `${counted(Math.ceil(creditsPerHour), "credit")}/hour, ${perMonth} a month`;
}

/**
 * `left` has only digits. If the service does not say it, as for users without a key, the plan's monthly credits count.
 * Undefined if they last longer than a month.
 */
export function creditsLast(
  left: string | undefined,
  creditsPerHour: number,
  tier: Tier,
): string | undefined {
  const credits = left === undefined ? (plans[tier].creditsPerMonth ?? 0) : Number(left);
  if (credits === 0 || creditsPerHour === 0) return undefined;
  const hours = credits / creditsPerHour;
  // They are renewed before they are used up.
  if (hours > hoursPerMonth) return undefined;
  const lasting = `last ${formatDuration(roughly(hours * hour))}`;
  return left === undefined
    ? `the ${tier} plan's ${grouped(String(credits))} monthly credits ${lasting}`
    : `your ${grouped(left)} credits ${lasting}`;
}

/** For runs whose cost depends on what happens. */
export function currentCost(creditsPerHour: number, left: string | undefined, tier: Tier): string {
  const lasting = creditsLast(left, creditsPerHour, tier);
  const cost = `at the current rate, ${costOverTime(creditsPerHour)}`;
  return lasting === undefined ? cost : `${cost}; ${lasting}`;
}

/** Asking for the credits that are left would cost a request, so these are the plan's. Null without a known cost or plan. */
export function monthlyFigures(creditsPerHour: number | undefined, tier: Tier) {
  const perMonth = creditsPerHour === undefined ? null : creditsPerMonth(creditsPerHour);
  const own = plans[tier].creditsPerMonth;
  const days = own !== undefined && creditsPerHour ? own / creditsPerHour / 24 : null;
  return {
    credits_per_month: perMonth,
    fits_plan: perMonth && tiers.find((each) => (plans[each].creditsPerMonth ?? perMonth) >= perMonth),
    plan_credits: own ?? null,
    plan_credits_last_days: days && Math.floor(days * 100) / 100,
  };
}

/** In whole minutes, and from two hours on in whole hours, because the cost is not exact either. */
function roughly(milliseconds: number): number {
  const unit = milliseconds < 2 * hour ? hour / 60 : hour;
  return Math.max(hour / 60, Math.floor(milliseconds / unit) * unit);
}

type Figures = LocalRow & { readonly certainty: string; readonly basis: string };

/** In a table, a sentence replaces the figures that are unknown. Programs get every field. */
export async function writeEstimate(
  context: Context,
  flags: LocalOutputFlags,
  figures: Figures,
): Promise<ExitCode> {
  if (figures.certainty !== "unknown" || formatOf(context, flags) !== "table")
    return await writeRecord(context, flags, figures);
  const { certainty, basis, ...others } = figures;
  await context.stdout.write(`${certainty}: ${basis}; --max-credits sets a limit\n`);
  const known = Object.entries(others).filter(([, value]) => value !== null);
  return await writeRecord(context, flags, Object.fromEntries(known));
}

/** For commands that run without an end. */
export async function writeHourlyEstimate(
  { context, report }: { readonly context: Context; readonly report: Pick<Report, "warn"> },
  flags: LocalOutputFlags,
  { command, plan }: Endpoint,
  target: Target,
  { requests, credits }: { readonly requests: number; readonly credits: number },
): Promise<ExitCode> {
  const beyond = beyondPlan(command, plan, target);
  if (beyond !== undefined) report.warn(beyond);
  return await writeRecord(context, flags, {
    requests_per_hour: Math.ceil(requests),
    credits_per_hour: Math.ceil(credits),
    ...monthlyFigures(credits, target.tier),
  });
}
