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

const mebibyte = 1024 * 1024;

type Flags = Values<StreamFlags>;

/** The flags of a stream, checked before anything is sent. */
export type StreamOptions = ReturnType<typeof readStreamOptions>;

export function readStreamOptions(flags: Flags, now: number) {
  const { events: eventsFile, out } = flags;
  const feed = feeds[flags.feed ?? defaultFeed.name];
  const options = {
    feed,
    kind: kindOf(feed, flags.by),
    /** Parameters of this feed: `interval`, `since`. */
    params: readParams(flags, feed, now),
    isEnveloped: flags.envelope === true,
    onInvalid: flags["on-invalid"] ?? "fail",
    /** The stream stops after this many events. */
    limit: flags.limit,
    /** Milliseconds after which the stream stops. */
    duration: flags.for,
    /** Milliseconds without an event after which the stream stops. */
    idle: flags["idle-exit"],
    maxReconnects: flags["max-reconnects"],
    /** Bytes. */
    largestEvent: (flags["max-event"] ?? 1) * mebibyte,
    /** The file that records what happens to the connections. */
    eventsFile,
    /** The file of the lines, or a pattern that makes one file per period. */
    out,
    streamingUrl: flags["streaming-url"],
  } as const;
  checkEventsFile(eventsFile, out);
  if (out === undefined) return options;
  checkOutPattern(out, now);
  if (formatByName(out) !== undefined)
    throw usageFailure(`--out "${out}": a stream adds lines of ndjson`, "call it .ndjson");
  refuseUnfinished(out, now);
  return options;
}

function kindOf(feed: Feed, by: Flags["by"]): FeedKind {
  const kind = feed.kinds.find((each) => by === undefined || each.by === by);
  if (kind !== undefined) return kind;
  const known = feed.kinds.map((each) => each.by);
  throw choiceFailure(`--by ${by} with --feed ${feed.name}`, by ?? "", known);
}

function readParams(flags: Flags, feed: Feed, now: number): ReadonlyMap<string, string> {
  const { interval, since } = flags;
  for (const name of ["interval", "since"] as const) {
    if (flags[name] === undefined || feed.params.includes(name)) continue;
    const others = `--feed ${feedsTaking(name)}`;
    throw usageFailure(`--${name}: goes with ${others}`, `leave it out, or add ${others}`);
  }
  const params = new Map<string, string>();
  if (interval !== undefined) params.set("interval", interval);
  if (since !== undefined) params.set("since", String(readSince("--since", since, now)));
  return params;
}
