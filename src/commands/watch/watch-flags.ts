import { flag } from "../../run/flags/flag.ts";
import { durationFrom } from "../../run/flags/flag-types.ts";

/** Milliseconds; the service has news more often, but what comes in seconds is cheaper by stream. */
const shortestWatch = 5000;
const interval = durationFrom(
  shortestWatch,
  "what changes within seconds comes as it happens by: dexdata stream",
);

/** For what ends by itself, to be asked again and again. */
export const watchFlags = {
  watch: flag(interval, "Requests", {
    summary: "ask again this often",
    details: ": changes are marked on a terminal, a pipe gets new and changed rows",
    excludes: [
      { flag: "all", next: "each round asks anew; say how many rows by --limit" },
      {
        flag: "out",
        next: "a watch has no end that a file could be whole at; redirect the output: > rows.ndjson",
      },
      { flag: "resume", next: "each round asks anew" },
      { flag: "force", next: "leave it out" },
      { flag: "receipt", next: "a watch has no end that a receipt could speak of" },
      { flag: "estimate", next: "--watch says its credits an hour before it begins" },
      { flag: "progress", next: "--watch shows by itself what it does" },
    ],
  }),
};

/** Milliseconds from one round to the next, and as it was typed. */
export interface WatchWishes {
  readonly interval: number;
  readonly typed: string;
}
