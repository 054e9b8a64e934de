import type { Feed, FeedParam } from "../feed.ts";
import { ohlcvFeed } from "./ohlcv-feed.ts";
import { pricesFeed } from "./prices-feed.ts";
import { reservesFeed } from "./reserves-feed.ts";
import { transactionsFeed } from "./transactions-feed.ts";

const all = {
  prices: pricesFeed,
  transactions: transactionsFeed,
  ohlcv: ohlcvFeed,
  reserves: reservesFeed,
};

/** A table with this type as its key does not compile unless it has an entry for each name. */
export type FeedName = keyof typeof all;

/** In the order used in help. */
export const feeds: { readonly [Name in FeedName]: Feed<Name> } = all;

export const defaultFeed: Feed<FeedName> = pricesFeed;

export const feedNames: readonly FeedName[] = Object.values(feeds).map(({ name }) => name);

/** Undefined if no feed has this name. */
export function findFeed(word: string | undefined): Feed<FeedName> | undefined {
  return Object.values(feeds).find(({ name }) => name === word);
}

export function streamCommand(feed: Feed): string {
  return feed === defaultFeed ? "stream" : `stream --feed ${feed.name}`;
}

/** Joined for use in messages. */
export function feedsTaking(param: FeedParam): string {
  return feedsWith(({ params }) => params.includes(param)).join(", ");
}

export function feedsWith(isWanted: (feed: Feed) => boolean): readonly FeedName[] {
  return feedNames.filter((name) => isWanted(feeds[name]));
}
