import { usageFailure } from "../../contract/failure.ts";
import { formatByName } from "../../render/formats/formats.ts";
import { choiceFailure } from "../../contract/read-param.ts";
import type { Feed, FeedKind } from "../../contract/feed.ts";
import { defaultFeed, type FeedName, feeds, feedsTaking } from "../../contract/feeds/all-feeds.ts";
import { readSince } from "../../contract/feeds/ohlcv-feed.ts";
import { checkOutPattern, refuseUnfinished } from "../../files/rotating-file.ts";
import type { Values } from "../../run/flags/flag.ts";
import { checkEventsFile } from "../../run/output/event-log.ts";
import type { StreamFlags } from "./stream-flags.ts";

const mebibyte = 1024 * 1024;

/** What was typed for a stream, checked before anything is sent. */
export interface StreamOptions {
  readonly feed: Feed<FeedName>;
  readonly kind: FeedKind;
  /** Parameters of the feed's own. */
  readonly params: ReadonlyMap<string, string>;
  readonly isEnveloped: boolean;
  readonly onInvalid: "fail" | "drop";
  /** Events after which it stops. */
  readonly limit: number | undefined;
  /** Milliseconds after which it stops. */
  readonly duration: number | undefined;
  /** Milliseconds without an event after which it stops. */
  readonly idle: number | undefined;
  readonly maxReconnects: number | undefined;
  /** Bytes. */
  readonly largestEvent: number;
  /** Where the course of the connections is written down. */
  readonly eventsFile: string | undefined;
  /** The file of the lines, or a pattern that time makes files of. */
  readonly out: string | undefined;
  readonly streamingUrl: string | undefined;
}

type Flags = Values<StreamFlags>;

export function readStreamOptions(flags: Flags, now: number): StreamOptions {
  const { feed: name = defaultFeed.name, events, out } = flags;
  const feed = feeds[name];
  const options = {
    feed,
    kind: kindOf(feed, flags.by),
    params: readParams(flags, feed, now),
    isEnveloped: flags.envelope === true,
    onInvalid: flags["on-invalid"] ?? "fail",
    limit: flags.limit,
    duration: flags.for,
    idle: flags["idle-exit"],
    maxReconnects: flags["max-reconnects"],
    largestEvent: (flags["max-event"] ?? 1) * mebibyte,
    eventsFile: events,
    out,
    streamingUrl: flags["streaming-url"],
  };
  checkEventsFile(events, out);
  if (out !== undefined) checkOut(out, now);
  return options;
}

function kindOf(feed: Feed, by: Flags["by"]): FeedKind {
  const kind = feed.kinds.find((each) => by === undefined || each.by === by);
  if (kind !== undefined) return kind;
  throw choiceFailure(
    `--by ${by} with --feed ${feed.name}`,
    by ?? "",
    feed.kinds.map((each) => each.by),
  );
}

function readParams(flags: Flags, feed: Feed, now: number): ReadonlyMap<string, string> {
  const params = new Map<string, string>();
  for (const name of ["interval", "since"] as const) {
    if (flags[name] !== undefined && !feed.params.includes(name))
      throw usageFailure(
        `--${name}: goes with --feed ${feedsTaking(name)}`,
        `leave it out, or add --feed ${feedsTaking(name)}`,
      );
  }
  const { interval, since } = flags;
  if (interval !== undefined) params.set("interval", interval);
  if (since !== undefined) params.set("since", String(readSince("--since", since, now)));
  return params;
}

function checkOut(pattern: string, now: number): void {
  checkOutPattern(pattern, now);
  if (formatByName(pattern) !== undefined)
    throw usageFailure(`--out "${pattern}": a stream adds lines of ndjson`, "call it .ndjson");
  refuseUnfinished(pattern, now);
}
