import { member } from "../../json/raw-json.ts";
import { type FeedName, feeds } from "../../contract/feeds/all-feeds.ts";

/** Which asset an event is about: a transaction of a token names it as one of two. */
const chainNames = ["chain", "c"];
const addressNames = ["address", "a", "pool_id", "token_id", "token_0", "token_1"];

export interface Reading {
  readonly chain: string;
  readonly addresses: readonly string[];
  readonly values: readonly (string | number | undefined)[];
}

/** Undefined for data that is no JSON object; the lines of the feed are checked elsewhere. */
export function readEvent(data: Buffer, feed: FeedName): Reading | undefined {
  const row = parse(data.toString("utf8"));
  if (row === undefined) return undefined;
  const texts = (names: readonly string[]): string[] =>
    names.map((name) => member(row, name)).filter((value) => typeof value === "string");
  return {
    chain: texts(chainNames)[0] ?? "",
    addresses: texts(addressNames),
    values: feeds[feed].shown.map(({ names }) => numeric(names.map((name) => member(row, name)))),
  };
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function numeric(candidates: readonly unknown[]): string | number | undefined {
  return candidates.find((value) => typeof value === "string" || typeof value === "number");
}
