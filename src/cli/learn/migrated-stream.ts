import { removedStream } from "../../contract/endpoints/removed-endpoints.ts";
import { usageFailure } from "../../contract/failure.ts";
import { parseTimeBound } from "../../time/time.ts";
import { type Feed, feeds, longestBackfill, streamIntervals } from "../../tail/feeds.ts";
import type { Migration } from "./migration.ts";

/** The command of a URL of the streaming host: the method of an asset says which feed it is. */
export function migratedStream(
  segments: readonly string[],
  query: readonly (readonly [name: string, value: string])[],
  now: number,
): Migration {
  const path = `/${segments.join("/")}`;
  const values = new Map(query);
  const method = values.get("method");
  // The older name of the price feed's method.
  const known = method === "t_p" ? "token_price" : method;
  const byMethod = Object.values(feeds).find(({ kinds }) => kinds.some((kind) => kind.method === known));
  const feed =
    path === removedStream
      ? (byMethod ?? feeds.prices)
      : Object.values(feeds).find((each) => each.path === path);
  if (feed === undefined)
    throw usageFailure(`"${path}": is no stream of the service`, "see: dexdata help streams");
  const notes: string[] = [];
  const words = ["stream", assetOf(values, notes)];
  if (feed.name !== "prices") words.push("--feed", feed.name);
  words.push(...kindWords(feed, known), ...otherWords(feed, values, now, notes));
  return {
    words,
    removed: path === removedStream ? removedStream : undefined,
    replacement: feed.path,
    notes,
  };
}

function assetOf(values: ReadonlyMap<string, string>, notes: string[]): string {
  const [chain, address] = [values.get("chain"), values.get("address")];
  if (chain !== undefined && address !== undefined) return `${chain}:${address}`;
  notes.push("the assets of a POST are in its body: write them into assets.txt, one network:address a line");
  return "@assets.txt";
}

function kindWords({ kinds }: Feed, method: string | undefined): readonly string[] {
  const at = kinds.findIndex((kind) => kind.method === method);
  return at > 0 ? ["--by", kinds[at]?.by ?? ""] : [];
}

function otherWords(
  feed: Feed,
  values: ReadonlyMap<string, string>,
  now: number,
  notes: string[],
): readonly string[] {
  const words: string[] = [];
  for (const [name, value] of values) {
    if (["chain", "address", "method"].includes(name)) continue;
    const isCandle = feed.name === "ohlcv";
    const since = parseTimeBound(value, now);
    const isTaken =
      (name === "limit" && /^[1-9]\d*$/u.test(value)) ||
      (isCandle && name === "interval" && streamIntervals.some((each) => each === value)) ||
      (isCandle &&
        name === "since" &&
        !("problem" in since) &&
        now / 1000 - since.seconds <= longestBackfill);
    if (isTaken) words.push(`--${name}`, value);
    else notes.push(`${name}=${value}: means nothing to this command; left out`);
  }
  return words;
}
