import type { Subject } from "../client/pages/page.ts";
import type { StreamEvent } from "../client/streams/stream-event.ts";
import type { Clock } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import type { Feed } from "../contract/feed.ts";
import type { Subscription } from "./subscription.ts";

/** A time in milliseconds on two clocks: the wall clock for display, and a monotonic clock for measuring durations. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), elapsed: clock.elapsed() };
}

/** A time range in which events may be missing. */
export interface Gap {
  /** The time at which the last byte was received. */
  readonly from: Moment;
  /** The time at which the stream was open again. */
  readonly to: Moment;
  /** The reason why the connection was closed. */
  readonly reason: string;
}

/** Callbacks of the loop that keeps a connection open. */
export interface ShardHandlers {
  /** Called when the connection opens. After an interruption, `gap` is the period without a connection. */
  readonly opened: (at: Moment, gap: Gap | undefined) => void;
  /**
   * Called with the data events of one chunk, in order. It is awaited, so a slow consumer slows down the socket. If it
   * throws an error, the stream ends.
   */
  readonly events: (events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /**
   * Called with the number of data events received. The service charges a credit for each, including events that are
   * not passed on.
   */
  readonly charged?: (events: number) => void;
  /** Called when an open connection is lost, permanently or not. `since` is the start of the gap. */
  readonly lost?: (since: Moment, failure: Failure) => void;
  /** Called when the connection was lost or could not be opened. The next attempt follows after the wait. */
  readonly retrying: (failure: Failure, waitMilliseconds: number) => void;
  /** Called with a message from the service for the user. The text is untrusted. */
  readonly said: (kind: "warning" | "error" | "unknown", text: string) => void;
}

export interface ShardLimits {
  /**
   * The feed whose events are passed on. Events with names that the feed does not define carry no data; they are not
   * passed on and never end the stream.
   */
  readonly feed: Pick<Feed, "events" | "hasTimeIds">;
  /** Milliseconds without received data after which the connection is closed. */
  readonly silence: number;
  /** Maximum number of consecutive connections without a data event after the first one; undefined means no limit. */
  readonly maxReconnects: number | undefined;
  /**
   * Maximum size of an event in bytes, if the user sets it; otherwise the parser's limit of 1 MiB. Larger events are
   * skipped.
   */
  readonly largestEvent?: number;
  /** Whether another connection has reached the host. If so, the host exists, even if a DNS lookup fails now. */
  readonly isHostKnown?: () => boolean;
  /**
   * Whether a failure ends the stream although it could be retried. `attempts` is the number of consecutive connections
   * that failed or had no data.
   */
  readonly isFinal?: (failure: Failure, attempts: number) => boolean;
}

/** One of several connections, as callers see it. */
export interface Shard {
  readonly number: number;
  readonly subjects: readonly Subject[];
}

/**
 * The reason why a connection is not open at the end: it was lost, it was rejected, or its first attempt is still in
 * progress.
 */
export type Missing = "lost" | "refused" | "opening";

export interface TailHandlers {
  /** Called before a connection is opened for the first time. */
  readonly begun: (shard: Shard) => void;
  readonly opened: (shard: Shard, at: Moment, gap: Gap | undefined) => void;
  /** Called with data events and awaited; connections with more events wait for it. */
  readonly events: (shard: Shard, events: readonly StreamEvent[], at: Moment) => Promise<void>;
  readonly charged: (events: number) => void;
  readonly retrying: (shard: Shard, failure: Failure, waitMilliseconds: number) => void;
  readonly said: (shard: Shard, kind: "warning" | "error" | "unknown", text: string) => void;
  /**
   * Called at the end for each connection that is not open, with its last gap, because no later opening can report that
   * gap.
   */
  readonly missed: (shard: Shard, gap: Gap, missing: Missing) => void;
  /** Called when the connection will not be opened again. `why` gives the reason. */
  readonly closed: (shard: Shard, why: string) => void;
  /**
   * Called when the assets of rejected connections move to others, because only this many connections are available.
   */
  readonly moved: (subjects: readonly Subject[], connections: number, failure: Failure) => void;
  /** Called when the service has ended this connection permanently while others remain open. */
  readonly ended: (shard: Shard, failure: Failure) => void;
  /** Called when assets that the service does not stream are skipped. */
  readonly dropped: (subjects: readonly Subject[], failure: Failure) => void;
}

export interface TailOptions extends Omit<Subscription, "subjects"> {
  /** Maximum number of simultaneous connections. */
  readonly cap: number;
  readonly onInvalid: "fail" | "drop";
  readonly limits: ShardLimits;
  /**
   * Finds assets that another source does not know, if that source is worth its credits. An asset that it returns may
   * still be valid.
   */
  readonly suspects: ((subjects: readonly Subject[]) => Promise<readonly Subject[]>) | undefined;
}
