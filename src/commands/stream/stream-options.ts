import { usageFailure } from "../../contract/failure.ts";
import type { Feed, FeedKind } from "../../contract/feed.ts";
import { defaultFeed, feeds, feedsTaking } from "../../contract/feeds/all-feeds.ts";
import { readSince } from "../../contract/feeds/ohlcv-feed.ts";
import { choiceFailure } from "../../contract/read-param.ts";
import { checkOutPattern, refuseUnfinished } from "../../files/rotating-file.ts";
import { formatByName } from "../../render/formats/formats.ts";
import type { Values } from "../../run/flags/flag.ts";
import { checkEventsFile } from "../../run/output/event-log.ts";
import type { StreamFlags } from "./stream-flags.ts";

export type StreamValues = Values<StreamFlags>;

/** Does not send anything. */
export function readStreamOptions(flags: StreamValues, now: number) {
  const feed = feeds[flags.feed ?? defaultFeed.name];
  const options = { feed, kind: kindOf(feed, flags.by), params: readParams(flags, feed, now) };
  const { events, out } = flags;
  checkEventsFile(events, out);
  if (out === undefined) return options;
  checkOutPattern(out, now);
  if (formatByName(out) !== undefined)
    throw usageFailure(`--out "${out}": a stream writes ndjson`, "use the extension .ndjson");
  refuseUnfinished(out, now);
  return options;
}

function kindOf(feed: Feed, by: StreamValues["by"]): FeedKind {
  const kind = feed.kinds.find((each) => by === undefined || each.by === by);
  if (kind !== undefined) return kind;
  const known = feed.kinds.map((each) => each.by);
  throw choiceFailure(`--by ${by} with --feed ${feed.name}`, by ?? "", known);
}

/** The parameters are `interval` and `since`. */
function readParams(flags: StreamValues, feed: Feed, now: number): ReadonlyMap<string, string> {
  const { interval, since } = flags;
  for (const name of ["interval", "since"] as const) {
    if (flags[name] === undefined || feed.params.includes(name)) continue;
    const others = `--feed ${feedsTaking(name)}`;
    throw usageFailure(`--${name} requires ${others}`, `remove --${name}, or add ${others}`);
  }
  const params = new Map<string, string>();
  if (interval !== undefined) params.set("interval", interval);
  if (since !== undefined) params.set("since", String(readSince("--since", since, now)));
  return params;
}
