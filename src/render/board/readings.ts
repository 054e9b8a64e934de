import { member } from "../../json/own-member.ts";
import type { CellKind } from "../values/cell.ts";

export type Feed = "prices" | "transactions" | "ohlcv" | "reserves";

/** One number of an event that the board shows, as it was sent. */
export interface Shown {
  readonly title: string;
  readonly kind: CellKind;
  /** The members that may hold it; services of different age spell them differently. */
  readonly names: readonly string[];
}

/** The first is followed: its change and its course are shown. */
export const shownOf: Readonly<Record<Feed, readonly [Shown, ...Shown[]]>> = {
  prices: [{ title: "PRICE", kind: "price", names: ["price", "p"] }],
  transactions: [
    { title: "PRICE", kind: "price", names: ["price_0_usd"] },
    { title: "VOLUME", kind: "amount", names: ["volume_usd"] },
  ],
  ohlcv: [
    { title: "CLOSE", kind: "price", names: ["close"] },
    { title: "VOLUME", kind: "amount", names: ["volume_usd"] },
  ],
  reserves: [
    { title: "RESERVE", kind: "amount", names: ["total_reserve_usd", "reserve_usd"] },
    { title: "DELTA", kind: "amount", names: ["total_delta_usd", "delta_usd"] },
  ],
};

/** Which asset an event is about: a transaction of a token names it as one of two. */
const chainNames = ["chain", "c"];
const addressNames = ["address", "a", "pool_id", "token_id", "token_0", "token_1"];

export interface Reading {
  readonly chain: string;
  readonly addresses: readonly string[];
  readonly values: readonly (string | number | undefined)[];
}

/** Undefined for data that is no JSON object; the lines of the feed are checked elsewhere. */
export function readEvent(data: Buffer, feed: Feed): Reading | undefined {
  const row = parse(data.toString("utf8"));
  if (row === undefined) return undefined;
  const texts = (names: readonly string[]): string[] =>
    names.map((name) => member(row, name)).filter((value) => typeof value === "string");
  return {
    chain: texts(chainNames)[0] ?? "",
    addresses: texts(addressNames),
    values: shownOf[feed].map(({ names }) => numeric(names.map((name) => member(row, name)))),
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
