import { flag, pick, type Flag, type Flags } from "../../run/flags/flag.ts";
import {
  choice,
  duration,
  durationFrom,
  host,
  outputFile,
  toggle,
  durationOrZero,
  text,
} from "../../run/flags/flag-types.ts";
import { speed, metricsFlag } from "../../run/flags/shared-flags.ts";
import type { LogEvent } from "../../run/output/event-log.ts";

/** In milliseconds. */
const shortestBlind = 20_000;

interface AlertFacts {
  readonly summary: string;
  readonly usualCooldown: string;
  /** What `--limit` counts. It starts with the punctuation that joins it, or is empty. */
  readonly limits: string;
  /** The flags that set the time between two reads; none for a stream. */
  readonly reads: string | undefined;
  /** The flag that asks for rows; none for a stream. */
  readonly needs: Flag["needs"];
}

const ofWhen = { needs: { flag: "when", next: "add --when" } };

/** The flags of alerts on events and rows. */
export const alertFlags = ({ summary, usualCooldown, limits, reads, needs }: AlertFacts) => ({
  when: flag({ ...text("test"), isRepeatable: true }, "Rows", {
    needs,
    summary,
    details: `; prints a line, or passes it to the command after --${limits}`,
  }),
  cooldown: flag(durationOrZero, "Rows", {
    ...ofWhen,
    summary: "Minimum time between two alerts of the same condition and asset",
    defaultSaid: `default ${usualCooldown}`,
  }),
  blind: flag(durationFrom(shortestBlind, "the service sends a ping every 15s"), "Rows", {
    ...ofWhen,
    summary: "Also alert after this long without reliable data",
    details: `, and again when data is back; the command gets DEXDATA_ALERT=blind or DEXDATA_ALERT=back; at least 20s${
      reads === undefined ? "" : `, and longer than the time between two reads (${reads})`
    }`,
  }),
  state: flag(outputFile, "Rows", {
    needs,
    summary: "Keep the state of alerts in this file across restarts",
    details:
      '; after a kill, the next run repeats unfinished alert commands of the last 10m, with "repeat":true in the JSON that they get',
  }),
});

const ofWatch = { needs: { flag: "watch", next: "add --watch" } };

/** For `--watch`, except where rows can be followed. */
export const watchAlertFlags: Flags = Object.fromEntries(
  Object.entries(
    alertFlags({
      summary: "Alert when this becomes true for a row, e.g. 'price_usd < 3000'",
      usualCooldown: "1m",
      limits: "",
      reads: "--watch",
      ...ofWatch,
    }),
  ).map(([name, each]) => [name, { ...each, topic: "alerts" }]),
);

/** Of streams and of `--follow`. */
export const sharedEvents = [
  "open",
  "retry",
  "gap",
  "close",
  "dropped",
  "unwritten",
  "warning",
  "error",
  "unknown",
  "credits",
  "reload",
  "reload_refused",
  "alert_dropped",
  // Earlier lines could not be written.
  "log_lost",
] as const;

export const followEvents = [
  ...sharedEvents,
  "read_failed",
  "filled",
  "late",
  "ahead",
  "behind",
  "caught_up",
] as const;

export type FollowLog = LogEvent<(typeof followEvents)[number]>;

const group = "Following";
/** In milliseconds. Shorter intervals do not get new rows any sooner. */
const shortestPoll = 2000;
export const shortestPollOfLists = 5000;
const costOfRead = "each read costs 1 credit";

const ofFollow = { needs: { flag: "follow", next: "add --follow" } };
const ofEither = { needs: { flag: "follow", or: "watch", next: "add --follow or --watch" } };
const beginsByTime = "--follow starts at a time, not at a page or cursor; use --from";

const nothingToRecord = "has no fixed end, so there is nothing for a receipt to record";

export const followFlags = {
  follow: flag(toggle, group, {
    summary: "Print rows since --from, then new rows; oldest first",
    details:
      "; costs 1 credit per request and per stream event; --out appends to its file (with {date} in its name: one file per day)",
    excludes: [
      { flag: "all", next: "remove --all; --follow outputs every row anyway" },
      { flag: "to", next: "--follow has no end time; stop it with --for or --limit" },
      { flag: "page", next: beginsByTime },
      { flag: "cursor", next: beginsByTime },
      { flag: "receipt", next: `remove --receipt; --follow ${nothingToRecord}` },
      { flag: "resume", next: "remove --resume; --follow always appends to the file" },
      { flag: "force", next: "--follow appends to the file; delete it first, or use another name" },
      { flag: "deadline", next: "use --for" },
      { flag: "watch", next: "remove --watch; --follow outputs new rows anyway" },
      { flag: "progress", next: "remove --progress; --follow reports its state on stderr anyway" },
      { flag: "validate", next: "remove --validate; --follow outputs rows as received" },
    ],
  }),
  poll: flag(durationFrom(shortestPoll, costOfRead, " (several pools: 5s to 1h)"), group, {
    ...ofFollow,
    summary: "Request rows at this interval, without a stream",
    details: "; one pool: at least 2s; several pools: 5s to 1h, default 1m",
    excludes: [
      { flag: "streaming-url", why: "no stream is opened when polling", next: "remove one of them" },
    ],
  }),
  ...alertFlags({
    summary: "Alert for each row for which this is true, e.g. 'size_usd > 100k and type = swap'",
    usualCooldown: "0",
    limits: "; --limit counts alerts",
    reads: "--poll; without it, 1m",
    ...ofFollow,
  }),
  for: flag(duration, group, { ...ofEither, summary: "Stop after this long" }),
  "idle-exit": flag(duration, group, {
    ...ofFollow,
    summary: "Exit 8 when no new row arrives for this long",
  }),
  "on-invalid": flag(choice(["fail", "drop"], "action"), "Requests", {
    ...ofFollow,
    summary: "What to do with a pool that the service rejects permanently",
    default: "fail",
    details: ": fail (default), drop (continue with the others)",
  }),
  events: flag(outputFile, group, {
    ...ofFollow,
    summary: "Append status events to this file as NDJSON",
    details: `: ${followEvents.join(", ")}`,
  }),
  "streaming-url": flag(host, "Hosts and keys", { ...ofFollow, summary: "Use this streaming host" }),
  speed: flag(speed, "Hosts and keys", {
    ...ofFollow,
    with: ["follow and --sandbox"],
    summary: "Speed of the simulated clock",
    default: 1,
  }),
};

const byCreation = "--follow prints the rows in the order in which they were created";

/** For searches, whose rows are followed by the time of their creation. */
export const growthFlags = {
  ...pick(followFlags, "speed"),
  ...alertFlags({
    summary:
      "Alert when this is true of a new pool (--follow) or of a listed one (--watch), e.g. 'dex_id = uniswap_v3'",
    usualCooldown: "0; with --watch, 1m",
    limits: "; with --follow, --limit counts alerts",
    reads: "--watch or --poll; --poll defaults to 1m",
    ...ofEither,
  }),
  follow: flag(toggle, "Rows", {
    summary: "Print each new pool when the service lists it",
    details:
      "; starts at --created-after (default: now); costs 1 credit per page; --out appends to its file, and continues after a restart",
    excludes: [
      { flag: "order-by", next: byCreation },
      { flag: "sort", next: byCreation },
      { flag: "created-before", next: "--follow has no end time; stop it with --for or --limit" },
      { flag: "cursor", next: "--follow starts at a time, not at a cursor; use --created-after" },
      ...(followFlags.follow.excludes ?? []).filter(
        ({ flag: name }) => !["to", "page", "cursor"].includes(name),
      ),
    ],
  }),
  for: flag(duration, "Requests", { ...ofEither, summary: "Stop after this long" }),
  events: { ...followFlags.events, group: "Requests" as const },
  poll: flag(durationFrom(shortestPollOfLists, costOfRead), "Requests", {
    ...ofFollow,
    summary: "Read the search at this interval, from 5s to 1h (default 1m)",
  }),
  envelope: flag(toggle, "Output", {
    ...ofFollow,
    summary: "Wrap each row in an object: {first_seen, as_of, row}",
    excludes: [{ flag: "fields", next: "use only one of them" }],
  }),
};

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
      { flag: "receipt", next: `remove --receipt; --watch ${nothingToRecord}` },
      { flag: "progress", next: "remove --progress; --watch shows its state anyway" },
    ],
  }),
  for: flag(duration, "Output", { ...ofWatch, summary: "Stop after this long" }),
  metrics: metricsFlag("watch", "follow"),
};
