import type { Connection } from "../client/streams/connection.ts";
import type { StreamEvent } from "../client/streams/stream-event.ts";
import type { Clock } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import type { Feed } from "../contract/feed.ts";

/** Instants of both clocks: the wall's for showing, the one that cannot jump for measuring; milliseconds. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), elapsed: clock.elapsed() };
}

/** A time in which events may have been missed. */
export interface Gap {
  /** The last byte that came. */
  readonly from: Moment;
  /** The stream was open again. */
  readonly to: Moment;
  /** Why the connection was given up. */
  readonly reason: string;
}

/**
 * Opens the stream once. `lastEventId` is where to go on, "" where the stream has no ids. Throws a Failure when it is
 * refused or the line fails.
 */
export type OpenShard = (lastEventId: string, signal: AbortSignal) => Promise<Connection>;

/** What the keeper of one connection tells. */
export interface ShardHandlers {
  /** Also after an interruption, with the gap that it left. */
  readonly opened: (at: Moment, gap: Gap | undefined) => void;
  /** Data events of one chunk, in order. Awaited: a consumer that is slow slows the socket. What it throws ends all. */
  readonly events: (events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /** So many data events came: what the service counts as credits, also where one of them is not handed on. */
  readonly charged?: (events: number) => void;
  /** An open connection is gone, for good or not; `since` as in the gap that this begins. */
  readonly lost?: (since: Moment, failure: Failure) => void;
  /** The connection is gone, or was not to be had, and will be tried again after the wait. */
  readonly retrying: (failure: Failure, waitMilliseconds: number) => void;
  /** What the service says besides data, for people; untrusted text. */
  readonly said: (kind: "warning" | "error" | "unknown", text: string) => void;
}

export interface ShardLimits {
  /** Events of other names than the feed's carry no data: they never end the stream, and are not handed on. */
  readonly feed: Pick<Feed, "events" | "hasTimeIds">;
  /** Milliseconds without a byte after which the connection is given up. */
  readonly silence: number;
  /** Connections in a row without a data event, after the first, before it is given up; undefined for any number. */
  readonly maxReconnects: number | undefined;
  /** Bytes of the largest event, where users set it; else the parser's own 1 MiB. Larger ones are skipped. */
  readonly largestEvent?: number;
  /** Whether others have found the host: then it is there, whatever a look-up says just now. */
  readonly isHostKnown?: () => boolean;
  /** Failures that could be tried again, but end it here; `attempts`: connections in a row that failed, or ended without data. */
  readonly isFinal?: (failure: Failure, attempts: number) => boolean;
}
