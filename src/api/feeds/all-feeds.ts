import { inWords } from "../../base/text/words.ts";
import type { Feed, FeedParam } from "../feed.ts";
import { tiers } from "../tier.ts";
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
