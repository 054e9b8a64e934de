import { usageFailure } from "../../contract/failure.ts";
import { outputFormats } from "../../contract/output-format.ts";
import { choiceFailure } from "../../contract/read-param.ts";
import { defaultFeed, feedNames } from "../../contract/feeds/all-feeds.ts";
import { streamIntervals } from "../../contract/feeds/ohlcv-feed.ts";
import { flag, pick } from "../../run/flags/flag.ts";
import {
  choice,
  duration,
  host,
  outputFile,
  readBy,
  text,
  toggle,
  wholeNumber,
} from "../../run/flags/flag-types.ts";
import { requestFlags, sharedFlags, speed } from "../../run/flags/shared-flags.ts";
import type { LogEvent } from "../../run/output/event-log.ts";
import type { Block } from "../../render/page/help-page.ts";

/** The names of the events that `--events` of a stream writes. */
export const streamEvents = [
  "open",
  "retry",
  "gap",
  "close",
  "moved",
  "dropped",
  "left_out",
  "lost",
  "warning",
  "error",
  "unknown",
  "reload",
  "reload_refused",
  "credits",
  // Lines before this one could not be written.
  "log_lost",
] as const;

export type StreamLog = LogEvent<(typeof streamEvents)[number]>;

/** The upper limit of `--max-event`. Memory holds several copies of an event at a time. */
const mostMebibytes = 16;

/** A stream has one format. The other formats get their own message, unlike words that are not formats at all. */
const lines = {
  ...readBy("choice", "format", (label, typed) => {
    if (typed === "ndjson") return "ndjson" as const;
    if (!outputFormats.some((format) => format === typed)) throw choiceFailure(label, typed, outputFormats);
    throw usageFailure(
      `--output ${typed}: a stream gives each event as one line of JSON, as the service wrote it`,
      "use ndjson",
    );
  }),
  choices: ["ndjson"],
};

export const streamFlags = {
  feed: flag(choice(feedNames, "feed"), "Filters", {
    summary: "what to listen to",
    default: defaultFeed.name,
  }),
  by: flag(choice(["token", "pool"], "what"), "Filters", {
    summary: "whose addresses these are",
    details: ": of transactions a pool's unless said, of reserves a token's",
    choicesIn: "details",
  }),
  interval: flag(choice(streamIntervals, "interval"), "Filters", {
    summary: "length of a candle of --feed ohlcv",
    default: "1s",
  }),
  since: flag(text("time", "time"), "Filters", {
    summary: "begin with the candles from there",
    details: "; 15 minutes back at most: -5m",
  }),
  "on-invalid": flag(choice(["fail", "drop"], "how"), "Filters", {
    summary: "what is not streamed",
    default: "fail",
    details: "; drop leaves it out and goes on",
    choicesIn: "details",
  }),
  limit: flag(wholeNumber({ min: 1 }), "Rows", { summary: "stop after so many events" }),
  for: flag(duration, "Rows", { summary: "stop after so long" }),
  "idle-exit": flag(duration, "Rows", {
    summary: "stop with exit 8 when a connection had no event for so long",
    details: "; the others do not count",
  }),
  output: flag(lines, "Output", {
    short: "o",
    summary: "one ndjson line an event, also on a terminal",
    details: "; that shows a live board otherwise",
    choicesIn: "summary",
  }),
  envelope: flag(toggle, "Output", {
    summary: "each event inside an envelope",
    details: ": {feed, event, id, network, address, received, data}",
  }),
  out: flag(outputFile, "Output", {
    summary: "append the lines to a file",
    details: "; %Y %m %d %H %M in its name are the UTC time a line came: ticks-%Y%m%d.ndjson",
  }),
  events: flag(outputFile, "Output", {
    summary: "append what happens to the connections as NDJSON",
    details: `: ${streamEvents.join(", ")}`,
  }),
  "max-reconnects": flag(wholeNumber({ min: 0 }), "Requests", {
    summary: "give up after so many connections in a row without data",
    default: "never",
    defaultSaid: "default: never",
  }),
  "max-event": flag(wholeNumber({ min: 1, max: mostMebibytes }, "mib"), "Requests", {
    summary: `largest event in MiB, up to ${mostMebibytes}`,
    default: "1",
    details: "; larger ones are skipped and reported",
  }),
  "max-credits": flag(requestFlags["max-credits"].type, "Requests", {
    summary: "stop with exit 5 when the events have cost so many credits",
  }),
  "streaming-url": flag(host, "Hosts and keys", { summary: "streaming host instead of the configured one" }),
  speed: flag(speed, "Hosts and keys", {
    with: "sandbox",
    summary: "how fast its time runs",
    default: "60",
    defaultSaid: "default 60; 1 with --since",
  }),
};

export const streamNotes: readonly Block[] = [
  {
    prose:
      "@file names a file with one asset a line; SIGHUP reads it again. Every interruption is said on stderr with " +
      "both instants. Ends with 0 only at a stop that was asked for (--limit, --for), or when the reader goes away.",
  },
];

export const streamShared = pick(
  sharedFlags,
  "quiet",
  "stats",
  "verbose",
  "error-format",
  "timeout",
  "rpm",
  "sandbox",
  "tier",
  "seed",
  "faults",
  "now",
  "key-file",
  "profile",
);

export type StreamFlags = typeof streamShared & typeof streamFlags;
