import { type FieldAtPath, fieldPaths, rowShape } from "../../../api/endpoint.ts";
import { poolTransactions, withTokenAmounts } from "../../../api/endpoints/pool-transactions.ts";
import type { Feed, FeedKind } from "../../../api/feed.ts";
import { isObject, member } from "../../../base/json/json-scan.ts";
import type { Client } from "../../../client/client.ts";
import { textRows } from "../../../client/rows.ts";
import { jsonLine, readRow, type StreamEvent, withText } from "../../../client/stream-event.ts";
import { nameOf, type Subject } from "../../../client/subject.ts";
import { type KnownAssets, loadTrades } from "../pull/known-assets.ts";
import type { Run } from "../../run/with-run.ts";

/**
 * The fields that a condition can test. Transactions also have those that `--amounts tokens` adds to rows; those of a
 * token only the ones that need no request for each of its pools.
 */
export function testableFields({ sends }: Feed, { by, event }: FeedKind): readonly FieldAtPath[] {
  const sent = fieldPaths(event);
  if (sends !== "trades") return sent;
  const others = fieldPaths(rowShape(withTokenAmounts(poolTransactions))).filter(({ isAdded }) => isAdded);
  return [...sent, ...others.filter(({ path }) => by === "pool" || !path.endsWith("_tokens"))];
}

/** In milliseconds. Events must not wait for a service that does not respond, or for the rate limit. */
const [maxWait, retryAfter] = [10_000, 60_000];

/**
 * Adds to an event what `--amounts tokens` adds to a row; what is unknown is null. The decimals of tokens are requested only
 * for events of the listed pools.
 */
export async function createEventAmounts(
  { context: { clock }, report }: Pick<Run, "context" | "report">,
  client: Client,
  known: KnownAssets,
  by: FeedKind["by"],
) {
  const { createTokenAmounts } = await loadTrades();
  const decimalsOn =
    (network: string) =>
    (token: unknown): number | undefined =>
      typeof token === "string" ? known.find(network, token).decimals : undefined;
  /** When the tokens of a pool may be requested again, on the monotonic clock. */
  const due = new Map<string, number>();
  /** Until then, no event of any pool waits, because one has waited in vain. */
  let patientFrom = Number.NEGATIVE_INFINITY;

  const learn = async (pool: Subject, isUnknown: () => boolean): Promise<void> => {
    const name = nameOf(pool);
    if (!isUnknown() || clock.elapsed() < (due.get(name) ?? 0)) return;
    const waiting = new AbortController();
    const wait = clock.elapsed() < patientFrom ? 0 : maxWait;
    const reason = await Promise.race([
      known.requestPool(client, pool.network, pool.address).then((failure) => failure?.message),
      clock.sleep(wait, waiting.signal).then(() => "no response yet"),
    ]);
    waiting.abort();
    const next = clock.elapsed() + retryAfter;
    due.set(name, reason === undefined ? Number.POSITIVE_INFINITY : next);
    if (reason !== undefined && wait > 0) patientFrom = next;
    const retry = reason === undefined ? "" : ` (${reason}; retrying in 1m)`;
    if (isUnknown()) report.warn(`unknown token decimals, so amounts in tokens are null: ${name}${retry}`);
  };
  return async (event: StreamEvent, asset: Subject): Promise<StreamEvent> => {
    const [row, value] = [jsonLine(event), readRow(event)];
    if (row === undefined || !isObject(value)) return event;
    const decimalsOf = decimalsOn(asset.network);
    const tokens = ["token_0", "token_1"].map((name) => member(value, name));
    const isUnknown = (): boolean => tokens.some((token) => decimalsOf(token) === undefined);
    if (by === "pool") await learn(asset, isUnknown);
    const addAmounts = createTokenAmounts(decimalsOf);
    return withText(event, addAmounts(textRows([{ row, value }])).text(0));
  };
}
