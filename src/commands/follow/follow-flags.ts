import { flag } from "../../run/flags/flag.ts";
import { duration, durationFrom, host, outputFile, toggle } from "../../run/flags/flag-types.ts";
import { speed } from "../../run/flags/shared-flags.ts";
import type { LogEvent } from "../../run/output/event-log.ts";

/** The names of the events that `--events` of a followed list writes. */
export const followEvents = [
  "open",
  "retry",
  "gap",
  "read_failed",
  "filled",
  "late",
  "ahead",
  "unwritten",
  "warning",
  "error",
  "unknown",
  "credits",
  // Lines before this one could not be written.
  "log_lost",
] as const;

export type FollowLog = LogEvent<(typeof followEvents)[number]>;

const group = "Following";
/** Milliseconds. Shorter intervals bring no rows earlier. */
const shortestPoll = 2000;

const needs = { flag: "follow", next: "add --follow" };
const beginsByTime = "--follow begins by time; use --from";

/** Flags of a list that can be followed. */
export const followFlags = {
  follow: flag(toggle, group, {
    summary: "history since --from, then what comes, oldest first",
    details: " (a credit a read and an event); --out adds to its file",
    excludes: [
      { flag: "all", next: "--follow takes every row anyway" },
      { flag: "to", next: "--follow has no end in the rows' time; stop it by --for or --limit" },
      { flag: "page", next: beginsByTime },
      { flag: "cursor", next: beginsByTime },
      { flag: "receipt", next: "--follow has no end that a receipt could speak of" },
      { flag: "resume", next: "--follow adds to the file by itself" },
      { flag: "force", next: "--follow adds to the file by itself; remove it before, or name another" },
      {
        flag: "estimate",
        next: "what --follow costs depends on what comes; bound it by --max-credits, or use --poll",
      },
      { flag: "deadline", next: "use --for" },
      { flag: "watch", next: "--follow brings what comes by itself" },
      { flag: "progress", next: "--follow says what happens by itself" },
      { flag: "validate", next: "leave it out; rows are passed on as they come" },
    ],
  }),
  poll: flag(durationFrom(shortestPoll, "each read costs a credit"), group, {
    with: "follow",
    needs,
    summary: "read this often instead of listening to the stream",
    excludes: [
      {
        flag: "streaming-url",
        why: "by the clock no stream is opened",
        next: "leave out one of them",
      },
    ],
  }),
  for: flag(duration, group, { with: "follow", needs, summary: "stop after so long" }),
  "idle-exit": flag(duration, group, {
    with: "follow",
    needs,
    summary: "stop with exit 8 when no row came for so long",
  }),
  events: flag(outputFile, group, {
    with: "follow",
    needs,
    summary: "append what happens as NDJSON",
    details: `: ${followEvents.join(", ")}`,
  }),
  "streaming-url": flag(host, "Hosts and keys", {
    with: "follow",
    needs,
    summary: "streaming host instead of the configured one",
  }),
  speed: flag(speed, "Hosts and keys", {
    needs,
    summary: "with --follow and --sandbox: how fast its time runs",
    default: "1",
  }),
};
