import { plainList } from "../../client/list-plan.ts";
import type { Client } from "../../client/client.ts";
import { readPages, readRecord } from "../../client/read-pages.ts";
import { pool as poolEndpoint } from "../../api/endpoints/pool-and-token.ts";
import { affectsOneInput, Failure } from "../../base/failure.ts";
import { candleReach, type Tier } from "../../api/tier.ts";
import { member } from "../../base/json/json-scan.ts";
import { parseRfc3339 } from "../../base/time/time.ts";
import { transactionReach } from "../../api/endpoints/pool-transactions.ts";
import { candleLength, type Dataset, factsOfKind, argsOf } from "../dataset.ts";
import type { Footer, LostRange } from "../footer.ts";
import { isOfDataset, readLakeRow } from "../periods/lake-rows.ts";

export interface Reach {
  /** In seconds. */
  readonly length: number;
  readonly why: string;
}

const hour = 3600;

/**
 * The public service returns transactions of the last 7 days only, and says nothing about older ones. One request for an
 * older row shows whether this service has more. Undefined means that it does.
 */
export async function probeReach(
  client: Client,
  dataset: Dataset,
  present: number,
): Promise<Reach | undefined> {
  const older = await newestRow(client, dataset, present - transactionReach - hour);
  return older === undefined ? { length: transactionReach, why: "reach" } : undefined;
}

/** In Unix seconds. The time of the newest row at or before `to`, or of the candle there. One request. */
export async function newestRow(client: Client, dataset: Dataset, to: number): Promise<number | undefined> {
  const { endpoint } = factsOfKind(dataset.kind);
  const length = candleLength(dataset);
  const args = argsOf({ dataset, from: length === undefined ? undefined : to - length, to }, to);
  for await (const { rows } of readPages(client, endpoint, args, plainList(1))) {
    const [text] = rows.texts();
    const row = text === undefined ? undefined : readLakeRow(dataset.kind, text);
    return row !== undefined && row.at.seconds <= to && isOfDataset(dataset, row)
      ? row.at.seconds
      : undefined;
  }
  return undefined;
}

/** When the pool was created, in Unix seconds; undefined if the service does not say. One request. */
export async function creationOf(client: Client, { network, address }: Dataset): Promise<number | undefined> {
  const args = new Map(Object.entries({ network, pool_address: address }));
  try {
    const created = member(await readRecord(client, poolEndpoint, args), "created_at");
    return typeof created === "string" ? parseRfc3339(created)?.seconds : undefined;
  } catch (cause) {
    if (cause instanceof Failure && affectsOneInput(cause)) return undefined;
    throw cause;
  }
}

/**
 * In seconds. The plan counts from when a request arrives: after a wait for the rate limit, and later than what the
 * responses of the keyless and free plans are from.
 */
const arrival = 300;

/** Undefined if the failure cannot be about how far the plan's candles reach back. A 403 may have only a message. */
export function reachOfPlan(cause: unknown, tier: Tier): Reach | undefined {
  const plan = candleReach[tier];
  const length = plan === undefined ? undefined : plan - arrival;
  if (!(cause instanceof Failure) || cause.status !== 403 || length === undefined) return undefined;
  const isOfStart = cause.code === "plan_required" && cause.param === "start";
  const isBare = cause.body?.has("message") === true && !cause.body.has("error");
  return isOfStart || isBare ? { length, why: planMark(tier) } : undefined;
}

/** Whether candles within the reach are returned: then the refusal was about the start. One request. */
export async function isWithinReach(client: Client, dataset: Dataset, reach: Reach, present: number) {
  const from = present - reach.length + (candleLength(dataset) ?? 0);
  try {
    await client.ask(factsOfKind(dataset.kind).endpoint, argsOf({ dataset, from, to: undefined }, present));
    return true;
  } catch (cause) {
    if (cause instanceof Failure && cause.status === 403) return false;
    throw cause;
  }
}

/** The reason that a footer gives for rows that another plan may get. */
export const planMark = (tier: Tier): string => `plan ${tier}`;

/** The part of a period before `limit`, which can no longer be read or compared. Times are in Unix seconds. */
export function lostRange(
  { begin, limit, present }: { readonly begin: number; readonly limit: number; readonly present: number },
  footer: Footer | undefined,
  why: string,
): LostRange {
  const isUsable = footer !== undefined && footer.state !== "rows" && footer.period.from <= begin;
  const unread = footer?.lost.find((range) => range.why !== "unconfirmed");
  const settled = isUsable ? Math.min(footer.settled_to, unread?.from ?? footer.settled_to) : begin;
  const isRead = isUsable && settled >= limit;
  const from = isRead ? begin : Math.max(begin, settled);
  return { from, to: limit, why: isRead ? "unconfirmed" : why, seen_at: present };
}
