import type { Subject } from "../client/batches.ts";
import { usageFailure } from "../contract/failure.ts";
import type { Feed, FeedKind } from "../contract/feed.ts";
import { feedNames, feedsTaking, findFeed } from "../contract/feeds/all-feeds.ts";
import { readSince, streamIntervals } from "../contract/feeds/ohlcv-feed.ts";
import type { StreamOptions } from "./public-types.ts";
import { timeText } from "./read-params.ts";

/** What a stream was asked for with, checked. */
export interface StreamWishes {
  readonly feed: Feed;
  readonly kind: FeedKind;
  readonly params: ReadonlyMap<string, string>;
  readonly subjects: readonly Subject[];
}

/** `now`: milliseconds since the epoch. */
export function readStream(options: StreamOptions, now: number): StreamWishes {
  const feed = findFeed(options.feed);
  if (feed === undefined) throw usageFailure(`feed "${options.feed}": accepted: ${feedNames.join(", ")}`);
  const kind = options.by === undefined ? feed.kinds[0] : feed.kinds.find(({ by }) => by === options.by);
  if (kind === undefined)
    throw usageFailure(
      `by "${options.by}": accepted with ${feed.name}: ${feed.kinds.map(({ by }) => by).join(", ")}`,
    );
  const params = new Map<string, string>();
  for (const each of ["interval", "since"] as const)
    if (options[each] !== undefined && !feed.params.includes(each))
      throw usageFailure(`${each}: goes with the feed ${feedsTaking(each)}`);
  if (options.interval !== undefined) {
    if (!streamIntervals.includes(options.interval))
      throw usageFailure(`interval "${options.interval}": accepted: ${streamIntervals.join(", ")}`);
    params.set("interval", options.interval);
  }
  if (options.since !== undefined)
    params.set("since", String(readSince("since", timeText("since", options.since), now)));
  if (options.assets.length === 0) throw usageFailure("assets: at least one is needed");
  return { feed, kind, params, subjects: options.assets };
}
