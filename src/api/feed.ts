import { count, type Field, type NamedRecord, type Reading, text, type TradePart } from "./record.ts";
import type { Tier } from "./tier.ts";

/**
 * Specification, Streaming; wire-facts 5.1. Flags, help, requests, the board, `schema`, the library types and the
 * sandbox routes are all derived from this object.
 */
export interface Feed<Name extends string = string> {
  readonly name: Name;
  readonly path: string;
  /** The first kind is the default of `--by`. */
  readonly kinds: readonly [FeedKind, ...FeedKind[]];
  /** The names of the events that contain data. */
  readonly events: ReadonlySet<string>;
  /** Whether a POST can have several assets: `always` per the specification, `perhaps` only on the public service. */
  readonly batches: "always" | "perhaps" | "never";
  /** The lowest plan that can stream any asset with this feed. No feed requires more than Pro. */
  readonly plan: Exclude<Tier, "enterprise">;
  /** Parameters other than the assets. */
  readonly params: readonly FeedParam[];
  /** An event's time is the first of these fields that it has, as Unix seconds or in RFC 3339. */
  readonly times: readonly string[];
  /** What an event is: the next value of one series per asset, a transaction, or another row of its own. */
  readonly sends: "values" | "trades" | "rows";
  /** An event with a smaller ID corrects an older event (wire-facts 5.6). */
  readonly hasTimeIds: boolean;
  /** For the first value, the board also shows the change and the trend. */
  readonly shown: readonly [ShownValue, ...ShownValue[]];
}

export interface FeedKind {
  readonly by: "token" | "pool";
  /** The value of `method` in a request for this kind. */
  readonly method: string;
  /** Wire-facts 5.5; the specification has only `p`. */
  readonly event: NamedRecord;
  /** What the board shows, if it differs from other kinds of the feed. */
  readonly shown?: Feed["shown"];
  /** One asset can have a thousand times the events of another kind's. */
  readonly isCostly?: true;
}

/** `interval` is a candle's length, and `since` is the time at which the stream starts. */
export type FeedParam = "interval" | "since";

/** The board displays the number as the service sent it. */
export interface ShownValue {
  readonly title: string;
  readonly reads: Reading;
  /** Names differ between older and newer versions of the service. */
  readonly names: readonly string[];
  /** `own side`: of the names, which each end with the side of a trade, the one for the asset's own side. */
  readonly shows?: TradePart | "own side";
}

export function shownValues(feed: Pick<Feed, "shown" | "kinds">, by: FeedKind["by"]): Feed["shown"] {
  return feed.kinds.find((kind) => kind.by === by)?.shown ?? feed.shown;
}

/** Specification, Limits. */
export const assetsPerPost = 25;

/** How many connections can be open at once (wire-facts 2.2). The enterprise plan's limit is not public. */
export const connectionsOfPlan: Readonly<Record<Tier, number>> = {
  keyless: 10,
  free: 10,
  dev: 30,
  pro: 100,
  enterprise: 100,
};

// Events send numbers that do not fit into a double as strings.
export const priceText: Field = { ...text, reads: "price" };
export const amountText: Field = { ...text, reads: "amount" };
export const unixSeconds: Field = { ...count, reads: "text" };
