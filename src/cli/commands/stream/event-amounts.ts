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

/** In milliseconds. Events behind this one must not wait for a service that does not respond. */
const [maxWait, retryAfter] = [10_000, 60_000];

/**
 * Adds to an event what `--amounts tokens` adds to a row; what is unknown is null. The decimals of tokens are requested only
 * for events of the listed pools.
 */
export async function createEventAmounts(
  { context: { clock }, report, onClose }: Pick<Run, "context" | "report" | "onClose">,
  client: Client,
  known: KnownAssets,
  by: FeedKind["by"],
) {
  const { createTokenAmounts } = await loadTrades();
  onClose(known.save);
  const decimalsOn =
    (network: string) =>
    (token: unknown): number | undefined =>
      typeof token === "string" ? known.find(network, token).decimals : undefined;
  /** When the tokens of a pool may be requested again, on the monotonic clock. */
  const due = new Map<string, number>();

  const learn = async (pool: Subject, isUnknown: () => boolean): Promise<void> => {
    const name = nameOf(pool);
    if (!isUnknown() || clock.elapsed() < (due.get(name) ?? 0)) return;
    const waiting = new AbortController();
    const reason = await Promise.race([
      known.requestPool(client, pool.network, pool.address).then((failure) => failure?.message),
      clock.sleep(maxWait, waiting.signal).then(() => `no response for ${maxWait / 1000}s`),
    ]);
    waiting.abort();
    due.set(name, reason === undefined ? Number.POSITIVE_INFINITY : clock.elapsed() + retryAfter);
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
