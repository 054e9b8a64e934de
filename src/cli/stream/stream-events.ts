import type { LogEvent } from "../output/event-log.ts";

/** What `--events` of a stream tells. */
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
