import type { StreamInterval } from "../../api/feeds.ts";
import { groupBy } from "../../base/group-by.ts";
import { belowAt, hash, hashText } from "../market/hash.ts";
import type { Token } from "../market/pool.ts";
import type { Market } from "../market/market.ts";
import type { PricedSwap } from "../market/types.ts";
import { type EventSource, makeEvent, type StreamEvent } from "./served-stream.ts";

/** Wire-facts 5.6: how many seconds to wait after a candle ends, so that it is complete. */
const timing: Readonly<Record<StreamInterval, { readonly seconds: number; readonly sealing: number }>> = {
  "1s": { seconds: 1, sealing: 1 },
  "5s": { seconds: 5, sealing: 2 },
  "60s": { seconds: 60, sealing: 3 },
};

// One in this many candles is sent before its last swap is known, then sent again with that swap.
const LATE_ONE_IN = 8;
const LONGEST_DELAY = 30;

/**
 * Some candles are sent twice with the same timestamp: first without the last swap, then, up to 30 s later, with it.
 * The seed determines which ones and when. With market faults, a candle is also sent again when its swaps change. The
 * last version sent always equals the candle from `/ohlcv`.
 */
export function candleSource(market: Market, token: Token, interval: StreamInterval): EventSource {
  const { seconds, sealing } = timing[interval];
  const key = hashText(market.seed, `late ${token.network.id} ${token.address} ${interval}`);
  return (from, to) => {
    // The earliest candle that may still need to be sent, and the end of the last one.
    const first = Math.ceil((from + 1 - seconds - sealing - LONGEST_DELAY) / seconds) * seconds;
    const end = Math.floor((to - sealing) / seconds) * seconds;
    const events: StreamEvent[] = [];
    const groups = [...groupSwaps(market, token, first, end, seconds)];
    const revised = market.poolsOfToken(token, to).flatMap((pool) => market.revised(pool, from, to));
    for (const timestamp of new Set(revised.map((time) => Math.floor(time / seconds) * seconds))) {
      if (timestamp >= first) continue;
      groups.push(...groupSwaps(market, token, timestamp, timestamp + seconds, seconds));
    }
    for (const [timestamp, group] of groups) {
      const sent = timestamp + seconds + sealing;
      const slot = timestamp / seconds;
      const again = sent + 1 + belowAt(hash(key, slot), 1, LONGEST_DELAY);
      const swaps = belowAt(key, slot, LATE_ONE_IN) === 0 ? delayLast(group, sent, again) : group;
      const changes = swaps.flatMap(({ since, until }) => [since, until]).filter((at) => at > sent);
      for (const at of new Set([sent, ...changes])) {
        const listed = swaps.filter(isListed(at));
        // A candle that has lost all of its swaps cannot be sent.
        if (at > from && at <= to && listed.length > 0)
          events.push(
            makeEvent("token_ohlcv", at, writeCandle(token, interval, timestamp, listed), timestamp),
          );
      }
    }
    return events.toSorted((a, b) => a.at - b.at || (a.id ?? 0) - (b.id ?? 0));
  };
}

/** Returns the candles from `since` on (inclusive), each once and in its state as of `at`. */
export function pastCandles(source: EventSource, since: number, at: number): readonly StreamEvent[] {
  const newest = new Map<number, StreamEvent>();
  for (const event of source(since, at)) {
    if (event.id !== undefined && event.id >= since) newest.set(event.id, event);
  }
  return [...newest.values()].toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0));
}

function isListed(at: number) {
  return ({ since, until }: PricedSwap): boolean => since <= at && at < until;
}

/** All forms of all swaps, by candle. */
function groupSwaps(
  market: Market,
  token: Token,
  from: number,
  end: number,
  seconds: number,
): ReadonlyMap<number, readonly PricedSwap[]> {
  const swaps = market.tokenSwaps(token, from - 1, end - 1);
  return groupBy(swaps, ({ time }) => Math.floor(time / seconds) * seconds);
}

/** The newest swap that is listed at `sent` is listed only from `again` on, unless it is the only one. */
function delayLast(swaps: readonly PricedSwap[], sent: number, again: number): readonly PricedSwap[] {
  const onTime = swaps.filter(isListed(sent));
  if (onTime.length < 2) return swaps;
  const newest = Math.max(...onTime.map(({ time }) => time));
  const last = onTime.findLast(({ time }) => time === newest);
  return swaps.map((swap) => (swap === last ? { ...swap, since: again } : swap));
}

/** Wire-facts 5.5: `avg` is unweighted. Within a second, the swap in the busiest pool comes first. */
function writeCandle(
  token: Token,
  interval: StreamInterval,
  timestamp: number,
  swaps: readonly PricedSwap[],
) {
  const inTime = swaps.toSorted((a, b) => a.time - b.time);
  const prices = inTime.map(({ price }) => price);
  return {
    chain: token.network.id,
    token_id: token.address,
    interval,
    timestamp,
    open: prices[0],
    high: Math.max(...prices),
    low: Math.min(...prices),
    close: prices.at(-1),
    avg: prices.reduce((sum, price) => sum + price, 0) / prices.length,
    volume_usd: swaps.reduce((sum, { volumeUsd }) => sum + volumeUsd, 0),
    txns: swaps.length,
  };
}
