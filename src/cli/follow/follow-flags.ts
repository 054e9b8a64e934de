import { usageFailure } from "../../contract/failure.ts";
import { followEvents } from "./follow-events.ts";
import { formatByName } from "../../contract/output-format.ts";
import type { Flag, FlagValues } from "../flags/flags.ts";
import { readEventsFile } from "../output/event-log.ts";
import { readCount, readFileName, readText, readTime } from "../flags/read-flag.ts";

const group = "Following";

/** Flags of a list that can be followed. */
export const followFlags: readonly Flag[] = [
  {
    name: "follow",
    help: "history since --from, then what comes, oldest first (a credit a read and an event); --out adds to its file",
    group,
  },
  {
    name: "poll",
    value: "duration",
    help: "with --follow: read this often instead of listening to the stream",
    group,
  },
  { name: "for", value: "duration", help: "with --follow: stop after so long", group },
  {
    name: "idle-exit",
    value: "duration",
    help: "with --follow: stop with exit 8 when no row came for so long",
    group,
  },
  {
    name: "events",
    value: "file",
    help: `with --follow: append what happens as NDJSON: ${followEvents.join(", ")}`,
    group,
  },
  {
    name: "streaming-url",
    value: "url",
    help: "with --follow: streaming host instead of the configured one",
    group: "Hosts and keys",
  },
  {
    name: "speed",
    value: "n",
    help: "with --follow and --sandbox: how fast its time runs (default 1)",
    group: "Hosts and keys",
  },
];

/** How to follow, as typed. */
export interface FollowWishes {
  /** Milliseconds after which it stops. */
  readonly duration: number | undefined;
  /** Milliseconds without a row after which it stops. */
  readonly idle: number | undefined;
  readonly limit: number | undefined;
  /** Milliseconds between reads; undefined where a stream says when. */
  readonly poll: number | undefined;
  readonly events: string | undefined;
  /** The pattern of the files that lines are added to; undefined for stdout. */
  readonly out: string | undefined;
}

/** Flags of a list that ends, and why they say nothing of one that does not. */
const ofLists: Readonly<Record<string, string>> = {
  all: "--follow takes every row anyway",
  to: "--follow has no end in the rows' time; stop it by --for or --limit",
  page: "--follow begins by time; use --from",
  cursor: "--follow begins by time; use --from",
  receipt: "--follow has no end that a receipt could speak of",
  resume: "--follow adds to the file by itself",
  force: "--follow adds to the file by itself; remove it before, or name another",
  estimate: "what --follow costs depends on what comes; bound it by --max-credits, or use --poll",
  deadline: "use --for",
  watch: "--follow brings what comes by itself",
  progress: "--follow says what happens by itself",
  validate: "leave it out; rows are passed on as they come",
};

/** Milliseconds; more often than this nothing would be gained. */
const shortestPoll = 2000;

/** Undefined where nothing is to be followed. */
export function readFollowWishes(flags: FlagValues): FollowWishes | undefined {
  const duration = readTime(flags, "for");
  const [idle, poll] = [readTime(flags, "idle-exit"), readTime(flags, "poll")];
  if (flags["follow"] !== true) {
    const foreign = followFlags.find(({ name }) => flags[name] !== undefined);
    if (foreign !== undefined) throw usageFailure(`--${foreign.name}: goes with --follow`, "add --follow");
    return undefined;
  }
  for (const [name, next] of Object.entries(ofLists)) {
    if (flags[name] !== undefined) throw usageFailure(`--${name}: does not go with --follow`, next);
  }
  const [out, output] = [readFileName(flags, "out"), readText(flags, "output")];
  if (out !== undefined && output !== undefined && output !== "ndjson")
    throw usageFailure(`--output ${output}: lines are added to the file of --out`, "use ndjson");
  if (formatByName(out) !== undefined)
    throw usageFailure(`--out "${out}": --follow adds lines of ndjson`, "call it .ndjson");
  if (poll !== undefined && poll < shortestPoll)
    throw usageFailure(`--poll "${readText(flags, "poll")}": must be 2s or more`, "each read costs a credit");
  if (poll !== undefined && flags["streaming-url"] !== undefined)
    throw usageFailure(
      "--poll and --streaming-url: by the clock no stream is opened",
      "leave out one of them",
    );
  const events = readEventsFile(flags);
  return { duration, idle, poll, events, out, limit: readCount(flags, "limit", { min: 1 }) };
}
