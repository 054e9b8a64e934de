import type { Dialect } from "../dialect.ts";

/** Specification, Streaming, and wire-facts 5.1. A word of `method` is also the name of the feed's events. */
export const streamMethods = [
  "token_price",
  "t_p",
  "pool",
  "token",
  "token_ohlcv",
  "pool_reserves",
  "token_reserves",
] as const;

export type StreamMethod = (typeof streamMethods)[number];

export interface Feed {
  readonly path: "/sse/prices" | "/sse/transactions" | "/sse/ohlcv" | "/sse/reserves";
  readonly methods: readonly StreamMethod[];
  /** Methods of HTTP. */
  readonly verbs: readonly ("GET" | "POST")[];
  /** Specification, Authentication 7: closed to keyless and free callers. */
  readonly isPaid: boolean;
  /** What it says of a batch over the limit (wire-facts 5.7). */
  readonly tooMany: string;
}

const tooManyAssets = "too many assets, max 25 allowed";

const prices: Feed = {
  path: "/sse/prices",
  methods: ["token_price"],
  verbs: ["GET", "POST"],
  isPaid: false,
  tooMany: tooManyAssets,
};
const transactions: Feed = {
  path: "/sse/transactions",
  methods: ["pool", "token"],
  verbs: ["GET"],
  isPaid: true,
  tooMany: tooManyAssets,
};
const ohlcv: Feed = {
  path: "/sse/ohlcv",
  methods: ["token_ohlcv"],
  verbs: ["GET"],
  isPaid: true,
  tooMany: tooManyAssets,
};
const reserves: Feed = {
  path: "/sse/reserves",
  methods: ["pool_reserves", "token_reserves"],
  verbs: ["GET", "POST"],
  isPaid: false,
  tooMany: "too many subscriptions",
};

const feeds: Readonly<Record<Dialect, readonly Feed[]>> = {
  spec: [prices, transactions, ohlcv],
  public: [
    { ...prices, methods: ["token_price", "t_p"] },
    { ...transactions, verbs: ["GET", "POST"] },
    ohlcv,
    reserves,
  ],
};

export function findFeed(path: string, dialect: Dialect): Feed | undefined {
  return feeds[dialect].find((feed) => feed.path === path);
}
