import { usageFailure } from "../../contract/failure.ts";
import type { Flag, FlagValues } from "../flags/flags.ts";
import { readText, readTime } from "../flags/read-flag.ts";

/** For what ends by itself, to be asked again and again. */
export const watchFlag: Flag = {
  name: "watch",
  value: "duration",
  help: "ask again this often: changes are marked on a terminal, a pipe gets new and changed rows",
  group: "Requests",
};

/** Milliseconds; the service has news more often, but what comes in seconds is cheaper by stream. */
const shortestWatch = 5000;

/** Flags of a run that ends, and what they leave to say beside one that does not. */
const refused: Readonly<Record<string, string>> = {
  all: "each round asks anew; say how many rows by --limit",
  out: "a watch has no end that a file could be whole at; redirect the output: > rows.ndjson",
  resume: "each round asks anew",
  force: "leave it out",
  receipt: "a watch has no end that a receipt could speak of",
  estimate: "--watch says its credits an hour before it begins",
  progress: "--watch shows by itself what it does",
};

export interface WatchWishes {
  /** Milliseconds from one round to the next. */
  readonly interval: number;
  readonly typed: string;
}

/** Undefined where nothing is to be watched. */
export function readWatchWishes(flags: FlagValues): WatchWishes | undefined {
  const [typed, interval] = [readText(flags, "watch"), readTime(flags, "watch")];
  if (typed === undefined || interval === undefined) return undefined;
  for (const [name, next] of Object.entries(refused)) {
    if (flags[name] !== undefined) throw usageFailure(`--${name}: does not go with --watch`, next);
  }
  if (interval < shortestWatch) {
    throw usageFailure(
      `--watch "${typed}": must be 5s or more`,
      "what changes within seconds comes as it happens by: dexdata stream",
    );
  }
  return { interval, typed };
}
