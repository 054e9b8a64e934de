import { plainList } from "../../../client/list-plan.ts";
import type { Client } from "../../../client/client.ts";
import { readPages } from "../../../client/read-pages.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { partsOf } from "../../../lake/coverage.ts";
import {
  candleLength,
  type Dataset,
  type DatasetKind,
  factsOfKind,
  isPoolList,
  nameOfDataset,
  type PoolList,
  argsOf,
  type TimeRange,
} from "../../../lake/dataset.ts";
import { isMonthly } from "../../../lake/layout.ts";
import { countNewTokens, type LakePlan } from "../../../lake/sync-lake.ts";
import type { Lake } from "../../../lake/lake.ts";
import { plans } from "../../../api/tier.ts";
import type { LocalOutputFlags } from "../../run/flags/shared-flags.ts";
import { exactNumber } from "../../run/output/local-output.ts";
import { costOverTime, creditsLast, monthlyFigures, writeEstimate } from "../../run/spending/estimate.ts";
import { counted } from "../../../base/text/words.ts";
import type { Run } from "../../run/with-run.ts";
import { beyondPlan } from "../../../client/target.ts";
import { slicesOf } from "../../../client/candle-windows.ts";

/** Sends one request per dataset of transactions with missing rows, and none for candles and tokens. */
export async function estimateSync(
  { context, options, report }: Run,
  flags: LocalOutputFlags,
  { client, root }: Pick<Lake, "client" | "root">,
  plan: LakePlan,
): Promise<ExitCode> {
  const { tasks, present, files, closed } = plan;
  for (const [dataset, { message }] of closed) report.warn(`${nameOfDataset(dataset)}: ${message}`);
  const ranges = new Map<Dataset, TimeRange[]>();
  let [requests, rows, days, months] = [await countNewTokens(root, plan), 0, 0, 0];
  for (const { what, range } of tasks) {
    const { dataset } = range;
    if (isPoolList(dataset)) {
      requests += costOf(dataset).requests;
      rows += costOf(dataset).rows;
    } else if (what === "read") ranges.set(dataset, [...(ranges.get(dataset) ?? []), range]);
    else requests += 1;
    const periods = partsOf(range, present).length;
    if (isMonthly(dataset)) months += periods;
    else days += periods;
  }
  let isKnown = true;
  for (const [dataset, own] of ranges) {
    const found =
      dataset.kind === "transactions" ? await ofRows(client, own, present) : ofCandles(own, present);
    if (found === undefined) isKnown = false;
    else {
      requests += found.requests;
      rows += found.rows;
    }
  }
  const lists = [...files.keys()].filter(isPoolList);
  const isOfLists = lists.length === files.size;
  const kinds = new Set([...ranges.keys()].map((dataset) => dataset.kind));
  for (const kind of kinds) {
    const beyond = beyondPlan(`--kind ${kind}`, factsOfKind(kind).endpoint.plan, client.target);
    if (beyond !== undefined) report.warn(beyond);
  }
  const perMinute = options.rpm.value ?? plans[client.target.tier].requestsPerMinute;
  return await writeEstimate(context, flags, {
    datasets: ranges.size + lists.length,
    days: days === 0 && months > 0 ? undefined : days,
    months: months === 0 ? undefined : months,
    requests: isKnown ? requests : null,
    credits: isKnown ? requests : null,
    ...(lists.length > 0 &&
      monthlyFigures(isOfLists ? creditsPerHour(lists) : undefined, client.target.tier)),
    rows_at_most: isKnown ? rows : null,
    certainty: isKnown ? "about" : "unknown",
    basis: isKnown ? basisOf(kinds, lists.length, isOfLists) : "the service does not count one of the lists",
    requests_per_minute: perMinute,
    seconds: isKnown && typeof perMinute === "number" ? Math.ceil((requests * 60) / perMinute) : null,
    credits_left: exactNumber(client.meter.creditsLeft) ?? null,
    estimate_requests: client.meter.requests,
    estimate_credits: client.meter.credits + client.meter.creditsInDoubt,
  });
}

function basisOf(kinds: ReadonlySet<DatasetKind>, lists: number, isOfLists: boolean): string {
  const isOfCandles = kinds.has("ohlcv") || kinds.has("token-ohlcv");
  const isOfRows = kinds.has("transactions") || !(isOfCandles || lists > 0);
  const parts = [
    isOfRows && "the service's current number of rows; days with many rows are read one by one",
    isOfCandles && "one candle per interval, up to 1,000 candles per request",
    kinds.has("token-ohlcv") && "1 request per new token",
    kinds.has("transactions") && "each new token of transactions costs 1 more (not counted)",
    lists > 0 &&
      "1 request per 100 rows of a search, or per listed pool; each pool that left the search in the last 24h costs 1 more (not counted)",
    !isOfLists && lists > 0 && "no monthly figures, because other datasets vary",
  ];
  return parts.filter((part) => part !== false).join("; ");
}

/** The first line of `--watch`. Returns a function for the time when the service has said what is left. */
export function reportWatchCost({ report }: Run, { meter, target }: Client, datasets: readonly Dataset[]) {
  const lists = datasets.filter(isPoolList);
  const perHour = creditsPerHour(lists);
  const others = lists.length === datasets.length ? "" : ", and more for transactions and candles";
  report.info(`recording ${counted(lists.length, "list")}: about ${costOverTime(perHour)}${others}`);
  return (): void => {
    const lasting = others === "" ? creditsLast(meter.creditsLeft, perHour, target.tier) : undefined;
    if (lasting !== undefined) report.info(lasting);
  };
}

/** Without the pools that have left a search. */
function creditsPerHour(lists: readonly PoolList[]): number {
  return lists.reduce((sum, list) => sum + (costOf(list).requests * 3600) / list.every, 0);
}

/** Of one period. Pools that have left the search are read for a day, one by one. */
function costOf({ source }: PoolList) {
  if ("pools" in source) return { requests: source.pools.length, rows: source.pools.length };
  return { requests: Math.ceil(source.limit / 100), rows: source.limit };
}

/** Undefined if the service gives no total. The rows of several time ranges are counted together. */
async function ofRows(client: Client, ranges: readonly TimeRange[], present: number) {
  const [first] = ranges;
  if (first === undefined) return { requests: 0, rows: 0 };
  const { endpoint } = factsOfKind(first.dataset.kind);
  const args = argsOf({ ...first, to: ranges.at(-1)?.to }, present);
  for await (const { rows, left } of readPages(client, endpoint, args, plainList(1))) {
    if (left === undefined) return undefined;
    const total = rows.length + left;
    const periods = ranges.reduce((sum, each) => sum + partsOf(each, present).length, 0);
    return { requests: Math.floor(total / 100) + (total > 1000 ? periods + 1 : 1), rows: total };
  }
  return { requests: 1, rows: 0 };
}

function ofCandles(ranges: readonly TimeRange[], present: number) {
  let [requests, rows] = [0, 0];
  for (const { dataset, from, to } of ranges) {
    const window = { start: String(from), end: String(to ?? present), interval: candleLength(dataset) ?? 1 };
    for (const { opening } of slicesOf(window, 1000)) {
      requests += 1;
      rows += opening;
    }
  }
  return { requests, rows };
}
