import { count, type Field, type NamedRecord, type Reading, text } from "./record.ts";
import type { Tier } from "./tier.ts";

/**
 * A feed of the streaming host, as plain data (specification, Streaming; wire-facts 5.1). Flags and help, requests, the
 * board, `schema`, the types of the library and the routes of the sandbox all follow from this one object.
 */
export interface Feed<Name extends string = string> {
  /** The value of `--feed`. */
  readonly name: Name;
  readonly path: string;
  /** The kinds of assets; the first is the default of `--by`. */
  readonly kinds: readonly [FeedKind, ...FeedKind[]];
  /** Names of the events that carry data. */
  readonly events: ReadonlySet<string>;
  /** Whether a POST accepts several assets: by the specification, only on the public service, or not. */
  readonly batches: "always" | "perhaps" | "never";
  /** The lowest plan that can open it with any asset; no feed requires more than Pro. */
  readonly plan: Exclude<Tier, "enterprise">;
  /** Parameters of this feed in addition to its assets. */
  readonly params: readonly FeedParam[];
  /** Its ids are the times of its events. A smaller id belongs to a correction of an older event (wire-facts 5.6). */
  readonly hasTimeIds: boolean;
  /** The values of an event on the board. The first one also shows its change and its trend. */
  readonly shown: readonly [ShownValue, ...ShownValue[]];
}

export interface FeedKind {
  readonly by: "token" | "pool";
  /** The value of `method` that requests it. */
  readonly method: string;
  /** The fields of an event (wire-facts 5.5; the specification has only `p`). */
  readonly event: NamedRecord;
}

/** `interval`: the length of a candle. `since`: the start of the stream. */
export type FeedParam = "interval" | "since";

/** One number of an event on the board, as the service sent it. */
export interface ShownValue {
  readonly title: string;
  readonly reads: Reading;
  /** Its possible fields; older and newer services use different names. */
  readonly names: readonly string[];
}

/** Specification, Limits: assets per connection requested by POST. */
export const assetsPerPost = 25;

/** Connections that a plan can have open at once (wire-facts 2.2); the number for Enterprise is not public. */
export const connectionsOfPlan: Readonly<Record<Tier, number>> = {
  keyless: 10,
  free: 10,
  dev: 30,
  pro: 100,
  enterprise: 100,
};

// Events have strings for numbers that do not fit into a double.
export const priceText: Field = { ...text, reads: "price" };
export const amountText: Field = { ...text, reads: "amount" };
export const unixSeconds: Field = { ...count, reads: "text" };
