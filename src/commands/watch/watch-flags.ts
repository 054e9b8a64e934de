import { flag } from "../../run/flags/flag.ts";
import { durationFrom } from "../../run/flags/flag-types.ts";

/** Milliseconds. The service has news more often, but a stream is the cheaper way to get changes within seconds. */
const shortestWatch = 5000;

/** Flags of the commands that can be repeated. */
export const watchFlags = {
  watch: flag(
    durationFrom(shortestWatch, "what changes within seconds comes as it happens by: dexdata stream"),
    "Requests",
    {
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
    },
  ),
};
