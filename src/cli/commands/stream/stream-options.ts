import type { Feed, FeedKind } from "../../../api/feed.ts";
import { feeds, feedsOfPools, feedsTaking, readSince } from "../../../api/feeds.ts";
import { choiceFailure } from "../../../api/read-choice.ts";
import { usageFailure } from "../../../base/failure.ts";
import { eventFields } from "./event-place.ts";
import { distinctSubjects, type Subject } from "../../../client/subject.ts";
import { checkOutPattern } from "../../../rows/rotating-file.ts";
import { checkAppendedFile } from "../../render/formats/formats.ts";
import { checkPrefixFields, checkPrefixFormat } from "../../render/formats/row-prefix.ts";
import { checkEventsFile } from "../../run/output/event-log.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { Run } from "../../run/with-run.ts";
import type { Input } from "../command.ts";
import { readSubjects, streamTaker } from "../input/subjects.ts";
import type { StreamFlags, StreamValues } from "./stream-flags.ts";

const usage = "usage: dexdata stream <network:address…|<network> <address…>|@file|->";

/** What the command line asks for. Nothing has been sent yet. */
export function readStreamOptions(input: Input<StreamFlags>, run: RunOptions) {
  const { flags } = input;
  const { now } = run;
  if (flags.out === undefined) checkPrefixFormat(run);
  const feed = feeds[flags.feed];
  const options = { feed, kind: kindOf(feed, flags.by), params: readParams(input, feed, now) };
  const { events, out, prefix } = flags;
  checkEventsFile(events);
  if (prefix !== undefined)
    checkPrefixFields(prefix, options.kind.event, `list fields: dexdata schema ${options.kind.event.name}`);
  if (out === undefined) return options;
  checkOutPattern(out, now, eventFields(feed, options.kind));
  checkAppendedFile(out, "a stream");
  return options;
}

export function kindOf(feed: Feed, by: StreamValues["by"]): FeedKind {
  const kind = feed.kinds.find((each) => by === undefined || each.by === by);
  if (kind !== undefined) return kind;
  const known = feed.kinds.map((each) => each.by);
  throw choiceFailure(`--by ${by} with --feed ${feed.name}`, by ?? "", known);
}

function readParams(
  { flags: { interval, since }, typed }: Input<StreamFlags>,
  feed: Feed,
  now: number,
): ReadonlyMap<string, string> {
  for (const name of ["interval", "since"] as const) {
    if (!typed.has(name) || feed.params.includes(name)) continue;
    const others = `--feed ${feedsTaking(name)}`;
    throw usageFailure(`--${name} requires ${others}`, `remove --${name}, or add ${others}`);
  }
  const params = new Map<string, string>();
  // The service has the same default.
  if (typed.has("interval")) params.set("interval", interval);
  if (since !== undefined) params.set("since", String(readSince("--since", since, now)));
  return params;
}

/** Reads the files again each time. The signal cancels a read that blocks. */
export function assetReader({ sources }: Run, words: readonly string[], feed: Feed, takes: FeedKind["by"]) {
  const other = feed.kinds.find(({ by }) => by !== takes);
  const ifOtherKind = other === undefined ? `for pools, use --feed ${feedsOfPools}` : `use --by ${other.by}`;
  return async (until: AbortSignal, malformed: "fail" | "keep"): Promise<readonly Subject[]> => {
    // A name may have been added since the last read.
    sources.names.forget();
    const fresh = { ...sources, read: async (word: string) => await sources.read(word, until) };
    const taker = { command: streamTaker, takes, malformed, usage, ifOtherKind };
    const listed = distinctSubjects(await readSubjects(words, fresh, taker));
    if (listed.length === 0) throw usageFailure("no assets to stream: the list is empty", usage);
    return listed;
  };
}
