import { usageFailure } from "../../contract/failure.ts";
import { formatByName } from "../../contract/output-format.ts";
import { choiceFailure } from "../../contract/read-param.ts";
import { checkHost } from "../../settings/check-host.ts";
import { type Feed, type FeedKind, type FeedName, feeds } from "../../tail/feeds.ts";
import { readSince } from "../../tail/read-since.ts";
import { checkOutPattern } from "../../files/rotating-file.ts";
import type { FlagValues } from "../flags/flags.ts";
import { readCount, readFileName, readText, readTime } from "../flags/read-flag.ts";
import { readEventsFile } from "../output/event-log.ts";
import { refuseUnfinished } from "../output/refuse-unfinished.ts";
import { readWord } from "../run-options.ts";
import { mostMebibytes, streamFlags } from "./stream-flags.ts";

const mebibyte = 1024 * 1024;

/** What was typed for a stream, checked before anything is sent. */
export interface StreamOptions {
  readonly feed: Feed;
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

export function readStreamOptions(flags: FlagValues, now: number): StreamOptions {
  const output = readText(flags, "output");
  if (output !== undefined && output !== "ndjson") {
    throw usageFailure(
      `--output ${output}: a stream gives each event as one line of JSON, as the service wrote it`,
      "use ndjson",
    );
  }
  const feed = feeds[feedName(readWord(flags, "feed", streamFlags))];
  return {
    feed,
    kind: readKind(flags, feed),
    params: readParams(flags, feed, now),
    isEnveloped: flags["envelope"] === true,
    onInvalid: readWord(flags, "on-invalid", streamFlags) === "drop" ? "drop" : "fail",
    limit: readCount(flags, "limit", { min: 1 }),
    duration: readTime(flags, "for"),
    idle: readTime(flags, "idle-exit"),
    maxReconnects: readCount(flags, "max-reconnects", { min: 0 }),
    largestEvent: (readCount(flags, "max-event", { min: 1, max: mostMebibytes }) ?? 1) * mebibyte,
    eventsFile: readEventsFile(flags),
    out: readOut(flags, now),
    streamingUrl: readStreamingUrl(flags),
  };
}

function feedName(word: string | undefined): FeedName {
  const name = Object.values(feeds).find((feed) => feed.name === word)?.name;
  return name ?? "prices";
}

function readKind(flags: FlagValues, feed: Feed): FeedKind {
  const by = readWord(flags, "by", streamFlags);
  const kind = feed.kinds.find((each) => by === undefined || each.by === by);
  if (kind !== undefined) return kind;
  throw choiceFailure(
    `--by ${by} with --feed ${feed.name}`,
    by ?? "",
    feed.kinds.map((each) => each.by),
  );
}

function readParams(flags: FlagValues, feed: Feed, now: number): ReadonlyMap<string, string> {
  const params = new Map<string, string>();
  for (const name of ["interval", "since"]) {
    if (flags[name] !== undefined && feed.name !== "ohlcv")
      throw usageFailure(`--${name}: goes with --feed ohlcv`, `leave it out, or add --feed ohlcv`);
  }
  const interval = readWord(flags, "interval", streamFlags);
  if (interval !== undefined) params.set("interval", interval);
  const since = readText(flags, "since");
  if (since !== undefined) params.set("since", String(readSince("--since", since, now)));
  return params;
}

function readOut(flags: FlagValues, now: number): string | undefined {
  const pattern = readFileName(flags, "out");
  if (pattern !== undefined) checkOutPattern(pattern, now);
  if (formatByName(pattern) !== undefined)
    throw usageFailure(`--out "${pattern}": a stream adds lines of ndjson`, "call it .ndjson");
  if (pattern !== undefined) refuseUnfinished(pattern, now);
  return pattern;
}

export function readStreamingUrl(flags: FlagValues): string | undefined {
  const typed = readText(flags, "streaming-url");
  if (typed === undefined) return undefined;
  const host = checkHost(typed);
  if (typeof host === "string") return host;
  throw usageFailure(`--streaming-url "${typed}": ${host.problem}`);
}
