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

/** The names of all feeds. A table by this type does not compile without an entry for each. */
export type FeedName = keyof typeof all;

/** Every feed of the streaming host by its name, in the order of help. */
export const feeds: { readonly [Name in FeedName]: Feed<Name> } = all;

/** The feed of `dexdata stream` without `--feed`. */
export const defaultFeed: Feed<FeedName> = pricesFeed;

export const feedNames: readonly FeedName[] = Object.values(feeds).map(({ name }) => name);

/** Undefined if no feed has this name. */
export function findFeed(word: string | undefined): Feed<FeedName> | undefined {
  return Object.values(feeds).find(({ name }) => name === word);
}

/** The command that streams this feed. */
export function streamCommand(feed: Feed): string {
  return feed === defaultFeed ? "stream" : `stream --feed ${feed.name}`;
}

/** The names of the feeds with this parameter, as messages list them. */
export function feedsTaking(param: FeedParam): string {
  const taking = Object.values(feeds).filter(({ params }) => params.includes(param));
  return taking.map(({ name }) => name).join(", ");
}
