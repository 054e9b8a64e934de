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

/** The names of all feeds. A table with this type as its key does not compile unless it has an entry for each name. */
export type FeedName = keyof typeof all;

/** Every feed of the streaming host by name, in the order used in help. */
export const feeds: { readonly [Name in FeedName]: Feed<Name> } = all;

/** The feed that `dexdata stream` uses without `--feed`. */
export const defaultFeed: Feed<FeedName> = pricesFeed;

export const feedNames: readonly FeedName[] = Object.values(feeds).map(({ name }) => name);

/** Returns undefined if no feed has this name. */
export function findFeed(word: string | undefined): Feed<FeedName> | undefined {
  return Object.values(feeds).find(({ name }) => name === word);
}

/** Returns the command that streams this feed. */
export function streamCommand(feed: Feed): string {
  return feed === defaultFeed ? "stream" : `stream --feed ${feed.name}`;
}

/** Returns the names of the feeds with this parameter, joined for use in messages. */
export function feedsTaking(param: FeedParam): string {
  const taking = Object.values(feeds).filter(({ params }) => params.includes(param));
  return taking.map(({ name }) => name).join(", ");
}
