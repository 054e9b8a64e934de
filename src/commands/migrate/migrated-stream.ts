import { removedStream } from "../../contract/endpoints/removed-endpoints.ts";
import { usageFailure } from "../../contract/failure.ts";
import { defaultFeed, feeds } from "../../contract/feeds/all-feeds.ts";
import { longestBackfill, streamIntervals } from "../../contract/feeds/ohlcv-feed.ts";
import { parseTimeBound } from "../../time/time.ts";

/** The command that replaces an old URL. */
export interface Migration {
  /** The words after `dexdata`, unquoted. */
  readonly words: readonly string[];
  /** The template of the removed path; undefined if the URL is current. */
  readonly removed: string | undefined;
  readonly replacement: string;
  /** What the command cannot express, or expresses in other words. */
  readonly notes: readonly string[];
}

/** Which values of the old parameters the flags of the same names accept. `now`: milliseconds. */
const flags = new Map<string, (value: string, now: number) => boolean>([
  ["limit", (value) => /^[1-9]\d*$/u.test(value)],
  ["interval", (value) => streamIntervals.some((each) => each === value)],
  [
    "since",
    (value, now) => {
      const since = parseTimeBound(value, now);
      return !("problem" in since) && now / 1000 - since.seconds <= longestBackfill;
    },
  ],
]);

/** Converts a URL of the streaming host. The method of an asset identifies the feed. */
export function migratedStream(path: string, values: ReadonlyMap<string, string>, now: number): Migration {
  const typed = values.get("method");
  // `t_p` is the older name of the price feed's method.
  const method = typed === "t_p" ? "token_price" : typed;
  const all = Object.values(feeds);
  const ofMethod = all.find(({ kinds }) => kinds.some((kind) => kind.method === method)) ?? defaultFeed;
  const feed = path === removedStream ? ofMethod : all.find((each) => each.path === path);
  if (feed === undefined)
    throw usageFailure(`"${path}": is no stream of the service`, "see: dexdata help streams");
  const notes: string[] = [];
  const words = ["stream"];
  const [chain, address] = [values.get("chain"), values.get("address")];
  if (chain !== undefined && address !== undefined) words.push(`${chain}:${address}`);
  else {
    words.push("@assets.txt");
    notes.push(
      "the assets of a POST are in its body: write them into assets.txt, one network:address a line",
    );
  }
  if (feed !== defaultFeed) words.push("--feed", feed.name);
  const kind = feed.kinds.find((each) => each.method === method);
  if (kind !== undefined && kind !== feed.kinds[0]) words.push("--by", kind.by);
  for (const [name, value] of values) {
    if (["chain", "address", "method"].includes(name)) continue;
    const isTaken = name === "limit" || feed.params.some((param) => param === name);
    if (isTaken && flags.get(name)?.(value, now) === true) words.push(`--${name}`, value);
    else notes.push(`${name}=${value}: means nothing to this command; left out`);
  }
  const removed = path === removedStream ? removedStream : undefined;
  return { words, removed, replacement: feed.path, notes };
}
