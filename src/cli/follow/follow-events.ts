import type { LogEvent } from "../output/event-log.ts";

/** What `--events` of a list that is followed tells. */
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
