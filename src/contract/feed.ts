import { count, type Field, type NamedRecord, type Reading, text } from "./record.ts";
import type { Tier } from "./tier.ts";

/**
 * A feed of the streaming host, as plain data (specification, Streaming; wire-facts 5.1). Flags and help, requests, the
 * board, `schema`, the library's types and the sandbox's routes are read from this one object.
 */
export interface Feed<Name extends string = string> {
  /** What `--feed` takes. */
  readonly name: Name;
  readonly path: string;
  /** What an asset is; the first is the default of `--by`. */
  readonly kinds: readonly [FeedKind, ...FeedKind[]];
  /** Names of the events that carry data. */
  readonly events: ReadonlySet<string>;
  /** Whether a POST is known to take several assets: by the specification, by the public service alone, or not. */
  readonly batches: "always" | "perhaps" | "never";
  /** The lowest plan that may open it with any asset; no feed requires more than Pro. */
  readonly plan: Exclude<Tier, "enterprise">;
  /** Parameters that this feed has besides its assets. */
  readonly params: readonly FeedParam[];
  /** Its ids are the times of its events: an id that goes back belongs to a correction of something older (wire-facts 5.6). */
  readonly hasTimeIds: boolean;
  /** What the board shows of an event. The change and the trend of the first one are shown as well. */
  readonly shown: readonly [ShownValue, ...ShownValue[]];
}

export interface FeedKind {
  readonly by: "token" | "pool";
  /** The word of `method` that requests it. */
  readonly method: string;
  /** What an event holds (wire-facts 5.5; the specification has only `p`). */
  readonly event: NamedRecord;
}

/** `interval`: the length of a candle. `since`: where the stream starts. */
export type FeedParam = "interval" | "since";

/** One number of an event that the board shows, as it was sent. */
export interface ShownValue {
  readonly title: string;
  readonly reads: Reading;
  /** The members that may hold it; services of different age spell them differently. */
  readonly names: readonly string[];
}

/** Specification, Limits: assets on one connection that is requested by POST. */
export const assetsPerPost = 25;

/** Connections that a plan may have open at once (wire-facts 2.2); the number for Enterprise is not public. */
export const connectionsOfPlan: Readonly<Record<Tier, number>> = {
  keyless: 10,
  free: 10,
  dev: 30,
  pro: 100,
  enterprise: 100,
};

// Numbers that a double cannot hold are strings in events.
export const priceText: Field = { ...text, reads: "price" };
export const amountText: Field = { ...text, reads: "amount" };
export const unixSeconds: Field = { ...count, reads: "text" };
