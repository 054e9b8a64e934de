import type { StreamEvent } from "./stream-event.ts";
import type { Failure } from "../base/failure.ts";
import type { Feed, FeedKind } from "../api/feed.ts";
import type { Clock, Context } from "../base/context/context.ts";
import type { Pace } from "./pace.ts";
import type { Subject } from "./subject.ts";
import type { Target } from "./target.ts";
import type { EventLedger } from "./credit-budget.ts";

/** The events that a stream requests. */
export interface Subscription {
  readonly feed: Feed;
  readonly kind: FeedKind;
  readonly subjects: readonly Subject[];
  /** `interval` and `since`. */
  readonly params: ReadonlyMap<string, string>;
}

/** What every connection of a stream needs. */
export interface Opening {
  readonly target: Target;
  readonly context: Pick<Context, "clock" | "env" | "random">;
  /** Opening a stream counts toward the rate limit like any other request. */
  readonly pace: Pace;
  /** A stream is opened and reopened only while a credit is left, and each data event costs one. */
  readonly ledger: Pick<EventLedger, "check" | "delivered">;
  /** In milliseconds until the headers arrive. */
  readonly timeout: number;
  /** As shown in messages, e.g. `stream --feed prices`. */
  readonly command: string;
  /** The service's time in milliseconds since the epoch; by default, that of the clock. */
  readonly now?: () => number;
  readonly plan: {
    /** Called for each attempt, with the plan that the host applies. The status is undefined without a response. */
    readonly answered: (status: number | undefined, plan: string | undefined) => void;
    /** The plan that a response must name if it names a plan at all. */
    readonly required: string | undefined;
  };
}

/** When a connection is given up, and what it passes on. */
export interface ConnectionOptions extends Pick<Opening, "now"> {
  /** Only its events are passed on; see `isData`. */
  readonly feed: Pick<Feed, "events" | "shown" | "hasTimeIds">;
  /** Maximum number of consecutive reconnects that bring no data event; undefined means no limit. */
  readonly maxReconnects: number | undefined;
  /** In bytes. Larger events are skipped. */
  readonly largestEvent: number;
  /** The texts of these fields are found in each event. */
  readonly fields: readonly string[];
  /** Another connection has reached the host, so it exists, even if a DNS lookup fails now. */
  readonly isHostKnown: () => boolean;
  /** May end the stream after a retryable failure. `attempts` counts consecutive connections without data. */
  readonly isFinal: (failure: Failure, attempts: number) => boolean;
}

/** Of a single connection. */
export const defaultLimits: Omit<ConnectionOptions, "feed"> = {
  maxReconnects: undefined,
  largestEvent: 1024 * 1024,
  fields: [],
  isHostKnown: () => false,
  isFinal: () => false,
};

/** A connection and its assets. */
export interface Connection {
  readonly number: number;
  readonly subjects: readonly Subject[];
}

/** The connection's state at the end: lost, rejected, or still making its first attempt. */
export type Missing = "lost" | "refused" | "opening";

/** What a stream reports about its connections. */
export interface LiveHandlers {
  readonly opened: (connection: Connection, at: Moment, gap: Gap | undefined) => void;
  /** Awaited; connections with more events wait for it. */
  readonly events: (connection: Connection, events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /** The event was larger than the limit. */
  readonly skipped: (connection: Connection, event: StreamEvent) => void;
  /** `since` is the start of the gap. */
  readonly retrying: (
    connection: Connection,
    failure: Failure,
    waitMilliseconds: number,
    since: Moment,
  ) => void;
  readonly stray: (connection: Connection, lines: number) => void;
  readonly said: (connection: Connection, kind: "warning" | "error" | "unknown", text: string) => void;
  /** A gap before an opening: the list changed, dexdata was not running, or the first attempt to connect failed. */
  readonly missedBefore: (connection: Connection, gap: Gap) => void;
  /** Called at the end for a connection that is not open or blind, because no later opening can report its last gap. */
  readonly missed: (connection: Connection, gap: Gap, missing: Missing) => void;
  /** The connection will not be opened again. */
  readonly closed: (connection: Connection, why: string) => void;
  /** The service has ended this connection permanently while others remain open. */
  readonly ended: (connection: Connection, failure: Failure) => void;
  /** Assets that the service does not stream are skipped. */
  readonly dropped: (subjects: readonly Subject[], failure: Failure) => void;
}

export interface LiveOptions
  extends Opening, Omit<Subscription, "subjects">, Omit<ConnectionOptions, "feed"> {
  readonly cap: number;
  /** When an earlier run ended for these assets, whose output this one continues. */
  readonly since: (subjects: readonly Subject[]) => Moment | undefined;
  readonly onInvalid: "fail" | "drop";
  /** Finds assets that another source does not know, if asking it is worth the credits. They may still be valid. */
  readonly suspects: ((subjects: readonly Subject[]) => Promise<readonly Subject[]>) | undefined;
}

/** A time in milliseconds on two clocks: the wall clock for display, and a monotonic clock for durations. */
export interface Moment {
  readonly now: number;
  readonly elapsed: number;
}

export function momentOf(clock: Pick<Clock, "now" | "elapsed">): Moment {
  return { now: clock.now(), elapsed: clock.elapsed() };
}

/** A moment in the past, known from the monotonic clock only. */
export function momentOfElapsed(clock: Pick<Clock, "now" | "elapsed">, elapsed: number): Moment {
  return { now: clock.now() - clock.elapsed() + elapsed, elapsed };
}

/** A moment in the past, known from the wall clock only. */
export function momentAt(clock: Pick<Clock, "now" | "elapsed">, now: number): Moment {
  return { now, elapsed: clock.elapsed() - (clock.now() - now) };
}

/** A time range in which events may be missing. */
export interface Gap {
  /** When the connection was last known to be up to date. */
  readonly from: Moment;
  /** When the stream was open again. */
  readonly to: Moment;
  readonly reason: string;
  /** Milliseconds by which the wall clock moved on its own, if it was set or the machine was suspended. */
  readonly clockJump: number | undefined;
}

/** Milliseconds by which the two clocks may differ. Small corrections to the wall clock are normal. */
export const drift = 5000;

/**
 * If the wall clock was set in the meantime, it is unknown which of its readings was right, so the gap covers the time
 * according to both.
 */
export function gapBetween(from: Moment, to: Moment, reason: string): Gap {
  const passed = to.elapsed - from.elapsed;
  const jump = to.now - from.now - passed;
  return {
    from: { ...from, now: Math.min(from.now, to.now - passed) },
    to: { ...to, now: Math.max(to.now, from.now + passed) },
    reason,
    clockJump: Math.abs(jump) > drift ? jump : undefined,
  };
}
