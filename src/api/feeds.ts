import { readInstant } from "./read-param.ts";
import { invalidInput } from "../base/failure.ts";
import { inWords } from "../base/text/words.ts";
import { amountText, type Feed, type FeedParam, priceText, type ShownValue, unixSeconds } from "./feed.ts";
import {
  address,
  amount,
  count,
  each,
  listOf,
  type NamedRecord,
  numberOrText,
  optional,
  price,
  text,
  time,
} from "./record.ts";
import { tiers } from "./tier.ts";

const transactionEvent: NamedRecord = {
  name: "transaction-event",
  record: {
    chain: text,
    pool_id: address,
    tx_hash: text,
    ...each("sender recipient token_0 token_1", optional(address)),
    block_number: optional(text),
    block_timestamp: time,
    ...each("amount_0 amount_1", numberOrText),
    ...each("amount_0_usd amount_1_usd", optional(amount)),
    ...each("price_0_usd price_1_usd", optional(price)),
    volume_usd: optional(amount),
  },
};

const size: ShownValue = { title: "SIZE USD", reads: "amount", names: ["volume_usd"] };

const parts: readonly ShownValue[] = [
  size,
  { title: "TOKEN 0", reads: "amount", names: ["amount_0"], shows: "amount 0" },
  { title: "TOKEN 1", reads: "amount", names: ["amount_1"], shows: "amount 1" },
];

/** A token trades in many pools, and on either side of a pair, so amounts of token 0 say nothing. */
const priceOfToken: ShownValue = {
  title: "PRICE USD",
  reads: "price",
  names: ["price_0_usd", "price_1_usd"],
  shows: "own side",
};

const tokenReservesEvent: NamedRecord = {
  name: "token-reserves-event",
  record: {
    chain: text,
    token_id: address,
    reserve: amountText,
    delta: optional(amountText),
    block: optional(text),
    price_usd: optional(price),
    ...each("reserve_usd delta_usd", optional(amount)),
    ...each("updated_at timestamp", optional(unixSeconds)),
  },
};

const poolReservesEvent: NamedRecord = {
  name: "pool-reserves-event",
  record: {
    chain: text,
    pool_id: address,
    ...each("block previous_block", optional(text)),
    tokens: listOf({
      token_id: address,
      reserve: amountText,
      delta: optional(amountText),
      price_usd: optional(price),
      ...each("reserve_usd delta_usd", optional(amount)),
    }),
    ...each("total_reserve_usd total_delta_usd", optional(amount)),
    ...each("timestamp block_timestamp", optional(unixSeconds)),
  },
};

/** A table with this type as its key does not compile unless it has an entry for each name. */
export type FeedName = "prices" | "transactions" | "ohlcv" | "reserves";

/** In the order used in help. */
export const feeds: { readonly [Name in FeedName]: Feed<Name> } = {
  prices: {
    name: "prices",
    path: "/sse/prices",
    kinds: [
      {
        by: "token",
        method: "token_price",
        event: {
          name: "price-event",
          record: {
            address,
            chain: text,
            ...each("p price", optional(priceText)),
            ...each("timestamp timestamp_price token_price", optional(unixSeconds)),
          },
        },
      },
    ],
    // Hosts still send the older event name in response to requests with the older method.
    events: new Set(["token_price", "t_p"]),
    batches: "always",
    plan: "keyless",
    params: [],
    times: ["timestamp", "t", "timestamp_price", "t_p"],
    sends: "values",
    hasTimeIds: false,
    shown: [{ title: "PRICE USD", reads: "price", names: ["price", "p"] }],
  },
  transactions: {
    name: "transactions",
    path: "/sse/transactions",
    kinds: [
      { by: "pool", method: "pool", event: transactionEvent },
      {
        by: "token",
        method: "token",
        event: transactionEvent,
        shown: [priceOfToken, size],
        isCostly: true,
      },
    ],
    events: new Set(["pool", "token"]),
    batches: "perhaps",
    plan: "dev",
    params: [],
    times: ["block_timestamp"],
    sends: "trades",
    hasTimeIds: false,
    shown: [{ title: "PRICE 0 USD", reads: "price", names: ["price_0_usd"] }, ...parts],
  },
  ohlcv: {
    name: "ohlcv",
    path: "/sse/ohlcv",
    kinds: [
      {
        by: "token",
        method: "token_ohlcv",
        event: {
          name: "candle-event",
          record: {
            chain: text,
            token_id: address,
            interval: optional(text),
            timestamp: unixSeconds,
            ...each("open high low close", price),
            avg: optional(price),
            volume_usd: optional(amount),
            txns: optional(count),
          },
        },
      },
    ],
    events: new Set(["token_ohlcv"]),
    batches: "never",
    plan: "dev",
    params: ["interval", "since"],
    times: ["timestamp"],
    sends: "rows",
    hasTimeIds: true,
    shown: [
      { title: "CLOSE", reads: "price", names: ["close"] },
      { title: "VOLUME", reads: "amount", names: ["volume_usd"] },
    ],
  },
  reserves: {
    name: "reserves",
    path: "/sse/reserves",
    kinds: [
      { by: "token", method: "token_reserves", event: tokenReservesEvent },
      { by: "pool", method: "pool_reserves", event: poolReservesEvent },
    ],
    events: new Set(["token_reserves", "pool_reserves"]),
    batches: "perhaps",
    plan: "free",
    params: [],
    times: ["timestamp", "block_timestamp", "updated_at"],
    sends: "rows",
    hasTimeIds: false,
    shown: [
      { title: "RESERVE", reads: "amount", names: ["total_reserve_usd", "reserve_usd"] },
      { title: "DELTA", reads: "amount", names: ["total_delta_usd", "delta_usd"] },
    ],
  },
};

export const defaultFeed: Feed<FeedName> = feeds.prices;

export const feedNames: readonly FeedName[] = Object.values(feeds).map(({ name }) => name);

export function streamCommand(feed: Feed): string {
  return feed === defaultFeed ? "stream" : `stream --feed ${feed.name}`;
}

/** Joined for use in messages. */
export function feedsTaking(param: FeedParam): string {
  return feedsWith(({ params }) => params.includes(param)).join(", ");
}

/** Joined for use in messages. The addresses are those of pools, unless a flag says otherwise. */
export const feedsOfPools = feedsWith(({ kinds: [first] }) => first.by === "pool").join(", ");

/** Such as `dev or higher for transactions and ohlcv`, from the lowest plan up. */
export const plansOfFeeds = tiers
  .flatMap((tier) => {
    const names = feedsWith(({ plan }) => plan === tier);
    const who = `${tier === "keyless" ? "any" : `${tier} or higher`} for ${inWords(names, "and")}`;
    return names.length === 0
      ? []
      : [tier === "keyless" ? `${who} (without a key: only preview assets)` : who];
  })
  .join("; ");

function feedsWith(isWanted: (feed: Feed) => boolean): readonly FeedName[] {
  return feedNames.filter((name) => isWanted(feeds[name]));
}

/** Wire-facts 5.2. */
export const streamIntervals = ["1s", "5s", "60s"] as const;
export type StreamInterval = (typeof streamIntervals)[number];

/** In seconds: the maximum age of the candle that a stream can start with. */
export const longestBackfill = 15 * 60;

/** In seconds. Without this margin, a time just within the limit would be too old when the service reads it. */
const onTheWay = 5;

/** The earliest time in Unix seconds at which a stream that is opened now can start. `now` is in milliseconds. */
export function oldestSince(now: number): number {
  return Math.floor(now / 1000) - longestBackfill + onTheWay;
}

/** Returns Unix seconds. `name` is the input as typed, and `now` is in milliseconds. */
export function readSince(name: string, typed: string, now: number): number {
  const label = `${name} "${typed}"`;
  const instant = readInstant(label, typed, now);
  const age = Math.floor(now / 1000) - instant.seconds;
  if (age < 0) throw invalidInput(label, "must not be in the future", "omit it to start now");
  if (age > longestBackfill)
    throw invalidInput(label, "must be within the last 15 minutes", "get older candles: dexdata ohlcv");
  return Math.max(instant.seconds, oldestSince(now));
}
