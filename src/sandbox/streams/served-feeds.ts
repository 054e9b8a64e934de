import type { Tier } from "../../contract/tier.ts";
import type { Dialect } from "../sandbox-exchange.ts";

/** Specification, Streaming, and wire-facts 5.1. A word of `method` is also the name of the feed's events. */
export type StreamMethod =
  | "token_price"
  | "t_p"
  | "pool"
  | "token"
  | "token_ohlcv"
  | "pool_reserves"
  | "token_reserves";

export interface Feed {
  readonly path: "/sse/prices" | "/sse/transactions" | "/sse/ohlcv" | "/sse/reserves";
  readonly methods: readonly StreamMethod[];
  /** Methods of HTTP. */
  readonly verbs: readonly ("GET" | "POST")[];
  /** Specification, Authentication 7: the lowest tier that may listen. */
  readonly plan: Tier;
  /** What it says of a batch over the limit (wire-facts 5.7). */
  readonly tooMany: string;
}

const common = {
  verbs: ["GET", "POST"],
  plan: "keyless",
  tooMany: "too many assets, max 25 allowed",
} as const;
const paid = { ...common, verbs: ["GET"], plan: "dev" } as const;

const prices: Feed = { ...common, path: "/sse/prices", methods: ["token_price"] };
const transactions: Feed = { ...paid, path: "/sse/transactions", methods: ["pool", "token"] };
const ohlcv: Feed = { ...paid, path: "/sse/ohlcv", methods: ["token_ohlcv"] };
const reserves: Feed = {
  ...common,
  path: "/sse/reserves",
  methods: ["pool_reserves", "token_reserves"],
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
