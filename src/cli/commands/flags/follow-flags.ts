import { flag } from "../../run/flags/flag.ts";
import { duration, durationFrom, host, outputFile, toggle } from "../../run/flags/flag-types.ts";
import { speed } from "../../run/flags/shared-flags.ts";
import type { LogEvent } from "../../run/output/event-log.ts";

export const followEvents = [
  "open",
  "retry",
  "gap",
  "close",
  "read_failed",
  "filled",
  "late",
  "ahead",
  "unwritten",
  "warning",
  "error",
  "unknown",
  "credits",
  // Earlier lines could not be written.
  "log_lost",
] as const;

export type FollowLog = LogEvent<(typeof followEvents)[number]>;

const group = "Following";
/** In milliseconds. Shorter intervals do not get new rows any sooner. */
const shortestPoll = 2000;

const needs = { flag: "follow", next: "add --follow" };
const beginsByTime = "--follow starts at a time, not at a page or cursor; use --from";

export const followFlags = {
  follow: flag(toggle, group, {
    summary: "Print rows since --from, then new rows; oldest first",
    details:
      "; costs 1 credit per request and per stream event; --out appends to its file, or with {date} in the name to one file per day",
    excludes: [
      { flag: "all", next: "remove --all; --follow outputs every row anyway" },
      { flag: "to", next: "--follow has no end time; stop it with --for or --limit" },
      { flag: "page", next: beginsByTime },
      { flag: "cursor", next: beginsByTime },
      {
        flag: "receipt",
        next: "remove --receipt; --follow has no fixed end, so there is nothing for a receipt to record",
      },
      { flag: "resume", next: "remove --resume; --follow always appends to the file" },
      { flag: "force", next: "--follow appends to the file; delete it first, or use another name" },
      {
        flag: "estimate",
        next: "the cost of --follow depends on how many new rows arrive; limit it with --max-credits, or use --poll",
      },
      { flag: "deadline", next: "use --for" },
      { flag: "watch", next: "remove --watch; --follow outputs new rows anyway" },
      { flag: "progress", next: "remove --progress; --follow reports its state on stderr anyway" },
      { flag: "validate", next: "remove --validate; --follow outputs rows as received" },
    ],
  }),
  poll: flag(durationFrom(shortestPoll, "each read costs 1 credit"), group, {
    with: "follow",
    needs,
    summary: "Request new rows at this interval, without the stream",
    details: "; at least 2s",
    excludes: [
      {
        flag: "streaming-url",
        why: "no stream is opened when polling",
        next: "remove one of them",
      },
    ],
  }),
  for: flag(duration, group, { with: "follow", needs, summary: "Stop after this long" }),
  "idle-exit": flag(duration, group, {
    with: "follow",
    needs,
    summary: "Exit 8 when no new row arrives for this long",
  }),
  events: flag(outputFile, group, {
    with: "follow",
    needs,
    summary: "Append status events to this file as NDJSON",
    details: `: ${followEvents.join(", ")}`,
  }),
  "streaming-url": flag(host, "Hosts and keys", {
    with: "follow",
    needs,
    summary: "Use this streaming host",
  }),
  speed: flag(speed, "Hosts and keys", {
    with: ["follow", "sandbox"],
    needs,
    summary: "Speed of the simulated clock",
    default: 1,
  }),
};
