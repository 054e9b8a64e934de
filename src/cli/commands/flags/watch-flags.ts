import { metricsFlag } from "../../run/flags/shared-flags.ts";
import { flag } from "../../run/flags/flag.ts";
import { durationFrom } from "../../run/flags/flag-types.ts";

/** In milliseconds. A stream is a cheaper way to get changes within seconds. */
const shortestWatch = 5000;

export const watchFlags = {
  watch: flag(durationFrom(shortestWatch, "for updates within seconds, use: dexdata stream"), "Output", {
    summary: "Refresh at this interval, at least 5s",
    details: "; a terminal marks changes, and a pipe gets only those",
    excludes: [
      { flag: "all", next: "set the number of rows with --limit" },
      {
        flag: "out",
        next: "--watch keeps refreshing, so the file would never be complete; redirect the output instead: > rows.ndjson",
      },
      { flag: "resume", next: "remove --resume; each refresh starts over" },
      { flag: "force", next: "remove --force" },
      {
        flag: "receipt",
        next: "remove --receipt; --watch has no fixed end, so there is nothing for a receipt to record",
      },
      { flag: "progress", next: "remove --progress; --watch shows its state anyway" },
    ],
  }),
  metrics: metricsFlag("watch", "follow"),
};
