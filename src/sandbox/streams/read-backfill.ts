import type { Query } from "../query.ts";
import { invalidParam } from "../refusal.ts";

const REACH_SECONDS = 15 * 60;

/**
 * Wire-facts 5.2: from which candle on a stream of candles begins, inclusive. `since` wins over `Last-Event-ID`; too
 * old, the one is refused and the other moved up to 15 minutes ago. Undefined: with the next candle.
 */
export function readBackfill(
  query: Query,
  headers: Readonly<Record<string, string | undefined>>,
  at: number,
): number | undefined {
  const since = query.integer("since", 0, 99_999_999_999);
  if (since !== undefined) {
    if (since < at - REACH_SECONDS) throw invalidParam("since", "must be at most 15 minutes ago");
    return since;
  }
  const last = headers["last-event-id"] ?? "";
  // One that is no candle's is ignored; so is one of the future, from which on there are none.
  if (!/^\d{1,11}$/.test(last)) return undefined;
  return Math.max(Number(last), at - REACH_SECONDS);
}
