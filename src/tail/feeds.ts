import type { NamedRecord } from "../contract/record.ts";
import type { Tier } from "../contract/tier.ts";
import {
  candleEvent,
  poolReservesEvent,
  priceEvent,
  tokenReservesEvent,
  transactionEvent,
} from "./feed-records.ts";

/** A feed of the streaming host, as plain data (specification, Streaming; wire-facts 5.1). */
export interface Feed {
  readonly name: FeedName;
  readonly path: string;
  /** What an asset is, and the word of `method` that asks for it; the first is the default of `--by`. */
  readonly kinds: readonly FeedKindWithEvent[];
  /** Names of the events that carry data. */
  readonly events: ReadonlySet<string>;
  /** Whether a POST is known to take several assets: by the specification, by the public service alone, or not. */
  readonly batches: "always" | "perhaps" | "never";
  /** The lowest plan that may open it with any asset. */
  readonly plan: Tier;
  /** Its ids are the times of its events: an id that goes back belongs to a correction of something older (wire-facts 5.6). */
  readonly hasTimeIds: boolean;
}

export interface FeedKind {
  readonly by: "token" | "pool";
  readonly method: string;
}

export interface FeedKindWithEvent extends FeedKind {
  /** What an event holds. */
  readonly event: NamedRecord;
}

export const feedNames = ["prices", "transactions", "ohlcv", "reserves"] as const;
export type FeedName = (typeof feedNames)[number];

/** Specification, Limits: assets on one connection that is asked for by POST. */
export const assetsPerPost = 25;

/** Connections that a plan may have open at once (wire-facts 2.2); that of Enterprise is not public. */
export const connectionsOfPlan: Readonly<Record<Tier, number>> = {
  keyless: 10,
  free: 10,
  dev: 30,
  pro: 100,
  enterprise: 100,
};

/** Sampling of `--feed ohlcv` (wire-facts 5.2). */
export const streamIntervals = ["1s", "5s", "60s"] as const;
/** The service keeps candles to begin with for so many seconds. */
export const longestBackfill = 15 * 60;

const byToken = (method: string, event: NamedRecord): FeedKindWithEvent => ({ by: "token", method, event });
const byPool = (method: string, event: NamedRecord): FeedKindWithEvent => ({ by: "pool", method, event });

export const feeds: Readonly<Record<FeedName, Feed>> = {
  prices: {
    name: "prices",
    path: "/sse/prices",
    kinds: [byToken("token_price", priceEvent)],
    // The older name still comes from hosts that were asked by the older method.
    events: new Set(["token_price", "t_p"]),
    batches: "always",
    plan: "keyless",
    hasTimeIds: false,
  },
  transactions: {
    name: "transactions",
    path: "/sse/transactions",
    kinds: [byPool("pool", transactionEvent), byToken("token", transactionEvent)],
    events: new Set(["pool", "token"]),
    batches: "perhaps",
    plan: "dev",
    hasTimeIds: false,
  },
  ohlcv: {
    name: "ohlcv",
    path: "/sse/ohlcv",
    kinds: [byToken("token_ohlcv", candleEvent)],
    events: new Set(["token_ohlcv"]),
    batches: "never",
    plan: "dev",
    hasTimeIds: true,
  },
  reserves: {
    name: "reserves",
    path: "/sse/reserves",
    kinds: [byToken("token_reserves", tokenReservesEvent), byPool("pool_reserves", poolReservesEvent)],
    events: new Set(["token_reserves", "pool_reserves"]),
    batches: "perhaps",
    plan: "free",
    hasTimeIds: false,
  },
};
