import type { Subject } from "../client/pages/page.ts";
import type { StreamEvent } from "../client/streams/stream-event.ts";
import type { Clock } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import type { Feed } from "../contract/feed.ts";
import type { Subscription } from "./subscription.ts";

/** One time on two clocks, in milliseconds: the wall clock, for display, and one that cannot jump, for measuring. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), elapsed: clock.elapsed() };
}

/** A time range in which events may be missing. */
export interface Gap {
  /** The last byte received. */
  readonly from: Moment;
  /** The stream was open again. */
  readonly to: Moment;
  /** Why the connection was closed. */
  readonly reason: string;
}

/** Callbacks of the loop that keeps one connection open. */
export interface ShardHandlers {
  /** Also called after an interruption, with the gap that it left. */
  readonly opened: (at: Moment, gap: Gap | undefined) => void;
  /** Data events of one chunk, in order. Awaited, so a slow consumer slows the socket. An error it throws ends the stream. */
  readonly events: (events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /** The number of data events received. The service counts them as credits, even those that are not passed on. */
  readonly charged?: (events: number) => void;
  /** An open connection was lost, permanently or not; `since` is the start of the gap that begins here. */
  readonly lost?: (since: Moment, failure: Failure) => void;
  /** The connection was lost or could not be opened; the next attempt follows after the wait. */
  readonly retrying: (failure: Failure, waitMilliseconds: number) => void;
  /** A message of the service for people; untrusted text. */
  readonly said: (kind: "warning" | "error" | "unknown", text: string) => void;
}

export interface ShardLimits {
  /** Events of names that the feed does not have carry no data. They never end the stream and are not passed on. */
  readonly feed: Pick<Feed, "events" | "hasTimeIds">;
  /** Milliseconds without a byte after which the connection is closed. */
  readonly silence: number;
  /** Consecutive connections without a data event, after the first, before giving up; undefined means no limit. */
  readonly maxReconnects: number | undefined;
  /** Bytes of the largest event, where the user sets it; otherwise the parser's 1 MiB. Larger events are skipped. */
  readonly largestEvent?: number;
  /** Whether another connection has reached the host. If so, it exists, even if a lookup fails now. */
  readonly isHostKnown?: () => boolean;
  /** Failures that could be retried but end the stream here; `attempts`: consecutive connections that failed or had no data. */
  readonly isFinal?: (failure: Failure, attempts: number) => boolean;
}

/** One connection of several, as callers see it. */
export interface Shard {
  readonly number: number;
  readonly subjects: readonly Subject[];
}

/** Why a connection is not open at the end: lost, rejected so far, or still at its first attempt. */
export type Missing = "lost" | "refused" | "opening";

export interface TailHandlers {
  /** A connection is about to be opened for the first time. */
  readonly begun: (shard: Shard) => void;
  readonly opened: (shard: Shard, at: Moment, gap: Gap | undefined) => void;
  /** Awaited: connections with more events wait for it. */
  readonly events: (shard: Shard, events: readonly StreamEvent[], at: Moment) => Promise<void>;
  readonly charged: (events: number) => void;
  readonly retrying: (shard: Shard, failure: Failure, waitMilliseconds: number) => void;
  readonly said: (shard: Shard, kind: "warning" | "error" | "unknown", text: string) => void;
  /** Called at the end for a connection that is not open: its last gap, which no later opening can report. */
  readonly missed: (shard: Shard, gap: Gap, missing: Missing) => void;
  /** The connection is not opened again; `why` is a sentence. */
  readonly closed: (shard: Shard, why: string) => void;
  /** Assets of connections without a place moved to other connections; only this many connections are available. */
  readonly moved: (subjects: readonly Subject[], connections: number, failure: Failure) => void;
  /** The service ended this connection permanently; others remain. */
  readonly ended: (shard: Shard, failure: Failure) => void;
  /** Assets that the service does not stream are skipped. */
  readonly dropped: (subjects: readonly Subject[], failure: Failure) => void;
}

export interface TailOptions extends Omit<Subscription, "subjects"> {
  /** Connections at once. */
  readonly cap: number;
  readonly onInvalid: "fail" | "drop";
  readonly limits: ShardLimits;
  /** Finds the assets that another source does not know, where that source is worth its credits. Its result proves nothing. */
  readonly suspects: ((subjects: readonly Subject[]) => Promise<readonly Subject[]>) | undefined;
}
