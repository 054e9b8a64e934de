import { flag } from "../../run/flags/flag.ts";
import { durationFrom } from "../../run/flags/flag-types.ts";

/**
 * In milliseconds. The service has new data more often, but a stream is a cheaper way to get changes within seconds.
 */
const shortestWatch = 5000;

/** The flags of commands that can be repeated. */
export const watchFlags = {
  watch: flag(durationFrom(shortestWatch, "for changes within seconds, use: dexdata stream"), "Requests", {
    summary: "Refresh at this interval",
    details: "; terminals mark changes, pipes get new and changed rows",
    excludes: [
      { flag: "all", next: "set the number of rows with --limit" },
      {
        flag: "out",
        next: "--watch never completes a file; redirect the output instead: > rows.ndjson",
      },
      { flag: "resume", next: "remove --resume; each refresh starts over" },
      { flag: "force", next: "remove --force" },
      { flag: "receipt", next: "remove --receipt; --watch has no end for a receipt to record" },
      { flag: "estimate", next: "remove --estimate; --watch prints its cost per hour when it starts" },
      { flag: "progress", next: "remove --progress; --watch shows its state anyway" },
    ],
  }),
};
