import { defaultFeed, feedNames, feedsOfPools, streamIntervals } from "../../../api/feeds.ts";
import { flag, pick, type Values } from "../../run/flags/flag.ts";
import { choice, duration, host, outputFile, text, toggle, wholeNumber } from "../../run/flags/flag-types.ts";
import { metricsFlag, prefixFlag, requestFlags, sharedFlags, speed } from "../../run/flags/shared-flags.ts";
import type { LogEvent } from "../../run/output/event-log.ts";
import { alertFlags, sharedEvents } from "../flags/lasting-flags.ts";

export const streamEvents = [...sharedEvents, "left_out", "foreign", "stray", "lost"] as const;

export type StreamLog = LogEvent<(typeof streamEvents)[number]>;

/** Several copies of an event can be in memory at the same time. */
const maxMebibytes = 16;

/** A token's transactions are those of all of its pools. */
export const costOfTokens = "--feed transactions --by token can cost a thousand times as much as one pool";

export const streamFlags = {
  feed: flag(choice(feedNames, "feed"), "Feed", {
    summary: "Feed to subscribe to",
    default: defaultFeed.name,
  }),
  by: flag(choice(["token", "pool"], "kind"), "Feed", {
    summary: "Kind of the addresses, token or pool",
    defaultSaid: `default: pool for ${feedsOfPools}, token otherwise`,
  }),
  // `--interval` of ohlcv has minutes.
  interval: flag(choice(streamIntervals, "interval", { "1m": "60s" }), "Feed", {
    summary: "Candle length for --feed ohlcv",
    default: "1s",
  }),
  since: flag(text("time", "time"), "Feed", {
    with: ["feed ohlcv"],
    summary: "Replay the candles since this time",
    details: ", at most 15m ago, e.g. -5m",
  }),
  "on-invalid": flag(choice(["fail", "drop"], "action"), "Feed", {
    summary: "What to do with invalid assets",
    default: "fail",
    details: ": fail (default), drop (skip them and continue)",
  }),
  limit: flag(wholeNumber({ min: 1 }), "Rows", {
    summary: "Stop after this many events (with --when: alerts)",
  }),
  for: flag(duration, "Rows", { summary: "Stop after this long" }),
  ...alertFlags({
    summary: "Alert when this is true, e.g. 'price < 3000' or 'price moves 5% in 1h'",
    usualCooldown: "1m; 0 for feeds other than prices",
    limits: "; --limit counts alerts",
    reads: undefined,
    needs: undefined,
  }),
  "idle-exit": flag(duration, "Rows", {
    summary: "Exit 8 if any one connection is silent for this long",
  }),
  output: flag(choice(["ndjson"], "format"), "Output", {
    short: "o",
    summary: "Output format: ndjson (one line per event; default in a pipe)",
    details: "; without -o, a terminal shows a live board",
  }),
  envelope: flag(toggle, "Output", {
    summary: "Wrap each event in an object with its metadata",
    details: ": {feed, event, id, network, address, received, data}",
  }),
  prefix: prefixFlag,
  out: flag(outputFile, "Output", {
    summary: "Append events to a file",
    details:
      "; its name can contain {network} {token} {pool} {candle} {year} {month} {date} {date-hour}, and each event goes to the file for its asset and its UTC time, e.g. 'ticks/{token}/{date}.ndjson'",
  }),
  events: flag(outputFile, "Output", {
    summary: "Append status events to this file as NDJSON",
    details: `: ${streamEvents.join(", ")}`,
  }),
  metrics: metricsFlag(),
  "max-reconnects": flag(wholeNumber({ min: 0 }), "Requests", {
    summary: "Give up after this many reconnects without data",
    defaultSaid: "default: never",
  }),
  "max-event": flag(wholeNumber({ min: 1, max: maxMebibytes }, "mib"), "Requests", {
    summary: `Maximum size of an event in MiB, up to ${maxMebibytes}`,
    default: 1,
    details: "; larger events are skipped and reported",
  }),
  "max-credits": flag(requestFlags["max-credits"].type, "Requests", {
    summary: "Exit 5 once the events have cost this many credits",
  }),
  "streaming-url": flag(host, "Hosts and keys", { summary: "Use this streaming host" }),
  speed: flag(speed, "Hosts and keys", {
    with: ["sandbox"],
    summary: "Speed of the simulated clock",
    defaultSaid: "default 60, or 1 with --since",
  }),
};

const requesting = ["quiet", "stats", "verbose", "error-format", "timeout", "rpm"] as const;
const simulating = ["sandbox", "tier", "seed", "faults", "now"] as const;

export const streamShared = pick(
  sharedFlags,
  ...requesting,
  "no-input",
  ...simulating,
  "require-plan",
  "key-file",
  "profile",
);

export type StreamFlags = typeof streamShared & typeof streamFlags;

export type StreamValues = Values<StreamFlags>;
