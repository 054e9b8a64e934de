import type { Feed } from "../../api/feed.ts";
import { type FeedName, feeds } from "../../api/feeds/all-feeds.ts";
import type { Dialect } from "../sandbox-exchange.ts";
import type { Subject } from "./stream-subject.ts";

interface Serving {
  /** A method's name is also the name of its events. */
  readonly methods: readonly Subject["method"][];
  readonly verbs: readonly ("GET" | "POST")[];
  /** The message for a batch that exceeds the limit (wire-facts 5.7). */
  readonly tooMany: string;
}

export type ServedFeed = Feed & Serving;

const [getOnly, getAndPost] = [["GET"], ["GET", "POST"]] as const;
const tooMany = "too many assets, max 25 allowed";
const prices: Serving = { methods: ["token_price"], verbs: getAndPost, tooMany };
const transactions: Serving = { methods: ["pool", "token"], verbs: getOnly, tooMany };
const ohlcv: Serving = { methods: ["token_ohlcv"], verbs: getOnly, tooMany };
const reserves: Serving = {
  methods: ["pool_reserves", "token_reserves"],
  verbs: getAndPost,
  tooMany: "too many subscriptions",
};

/** Specification, Streaming, and wire-facts 5.1. `undefined` means that the dialect does not have the feed. */
const served: Readonly<Record<FeedName, Readonly<Record<Dialect, Serving | undefined>>>> = {
  prices: { spec: prices, public: { ...prices, methods: ["token_price", "t_p"] } },
  transactions: { spec: transactions, public: { ...transactions, verbs: getAndPost } },
  ohlcv: { spec: ohlcv, public: ohlcv },
  reserves: { spec: undefined, public: reserves },
};

export function findFeed(path: string, dialect: Dialect): ServedFeed | undefined {
  const feed = Object.values(feeds).find((each) => each.path === path);
  const serving = feed && served[feed.name][dialect];
  return feed && serving && { ...feed, ...serving };
}
