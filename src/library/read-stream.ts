import type { Subject } from "../client/batches.ts";
import { usageFailure } from "../contract/failure.ts";
import { feedNames, type Feed, type FeedKindWithEvent, feeds, streamIntervals } from "../tail/feeds.ts";
import { readSince } from "../tail/read-since.ts";
import type { StreamOptions } from "./public-types.ts";
import { timeText } from "./read-params.ts";

/** What a stream was asked for with, checked. */
export interface StreamWishes {
  readonly feed: Feed;
  readonly kind: FeedKindWithEvent;
  readonly params: ReadonlyMap<string, string>;
  readonly subjects: readonly Subject[];
}

/** `now`: milliseconds since the epoch. */
export function readStream(options: StreamOptions, now: number): StreamWishes {
  const name = feedNames.find((each) => each === options.feed);
  if (name === undefined) throw usageFailure(`feed "${options.feed}": accepted: ${feedNames.join(", ")}`);
  const feed = feeds[name];
  const kind = options.by === undefined ? feed.kinds[0] : feed.kinds.find(({ by }) => by === options.by);
  if (kind === undefined)
    throw usageFailure(
      `by "${options.by}": accepted with ${name}: ${feed.kinds.map(({ by }) => by).join(", ")}`,
    );
  const params = new Map<string, string>();
  for (const each of ["interval", "since"] as const)
    if (options[each] !== undefined && name !== "ohlcv")
      throw usageFailure(`${each}: goes with the feed ohlcv`);
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
