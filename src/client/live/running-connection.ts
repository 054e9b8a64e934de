import { isStreamLimitFailure } from "../streams/stream-refusal.ts";
import type { ChildSignal } from "../../base/context/child-signal.ts";
import type { Context } from "../../base/context/context.ts";
import type { Failure } from "../../base/failure.ts";
import { type Gap, gapBetween, type Moment } from "../gap.ts";
import { keepOpen, Waits } from "./keep-open.ts";
import type { OpenConnection } from "./subscription.ts";
import type { UpToDate } from "./up-to-date.ts";
import type { Subject } from "../subject.ts";
import { isWaitTooLong } from "../retry.ts";
import type { Missing, Connection, ConnectionOptions, LiveHandlers } from "../stream-options.ts";

/** The abort reason for a connection that is reopened because its assets have changed. */
export class Regrouped {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Retries after a 429 for too many connections, because the service may still count one that was just closed. */
const maxAttempts = 3;

export class RunningConnection {
  connection: Connection;
  readonly started: Moment;
  /** A reload of the list added this connection. */
  readonly isAdded: boolean;
  /** The signal for the current set of assets; aborted when the set changes. */
  current: ChildSignal;
  /** Undefined unless the connection is open. */
  upToDate: UpToDate | undefined;
  wasOpen = false;
  /** Reported by the next opening, after the connection was lost or its assets changed. */
  interrupted: { readonly from: Moment; readonly reason: string } | undefined;
  /** The failure of the last attempt, if the connection was never open. */
  refused: Failure | undefined;
  /**
   * Set once this connection has received assets from rejected ones. `before` lists its own assets. The received assets
   * may be dropped if a reload added them.
   */
  moved:
    | { readonly before: readonly Subject[]; readonly isAdded: boolean; readonly refused: Failure }
    | undefined;
  readonly waits = new Waits();
  /** Consecutive searches for an invalid asset that found none. */
  fruitless = 0;
  /** Called when the connection has opened, been rejected or ended. */
  settled: (() => void) | undefined;

  constructor(connection: Connection, started: Moment, isAdded: boolean, current: ChildSignal) {
    this.connection = connection;
    this.started = started;
    this.isAdded = isAdded;
    this.current = current;
  }

  /** The connection was never open, and the last attempt was rejected because of too many connections. */
  get isCrowdedOut(): boolean {
    return !this.wasOpen && this.refused !== undefined && isStreamLimitFailure(this.refused);
  }

  async keep(
    context: Pick<Context, "clock" | "random">,
    open: OpenConnection,
    limits: ConnectionOptions,
    handlers: LiveHandlers,
  ): Promise<never> {
    const { connection, interrupted } = this;
    return await keepOpen(
      context,
      open,
      {
        opened: (at, gap, upToDate) => {
          [this.upToDate, this.wasOpen] = [upToDate, true];
          [this.interrupted, this.moved] = [undefined, undefined];
          this.settled?.();
          const pending = interrupted && gapBetween(interrupted.from, at, interrupted.reason);
          handlers.opened(connection, at, gap ?? pending);
        },
        events: (events, at) => {
          this.fruitless = 0;
          return handlers.events(connection, events, at);
        },
        charged: handlers.charged,
        lost: (from, { message }) => {
          this.upToDate = undefined;
          this.interrupted = { from, reason: message };
        },
        retrying: (failure, wait) => {
          // The service may still count the connection that was just closed, so a new one could take its place.
          if (!isStreamLimitFailure(failure) || this.waits.attempts > maxAttempts) this.settled?.();
          if (!this.wasOpen) this.refused = failure;
          handlers.retrying(connection, failure, wait);
        },
        stray: (lines) => handlers.stray(connection, lines),
        said: (kind, text) => handlers.said(connection, kind, text),
      },
      {
        ...limits,
        isFinal: (failure, attempts) =>
          isStreamLimitFailure(failure) &&
          !this.wasOpen &&
          (attempts > maxAttempts || isWaitTooLong(failure)),
      },
      this.current.signal,
      this.waits,
    );
  }

  /**
   * Ends if there are no assets. First reports what is missing so far under the old names: the next opening reports a gap
   * for its own assets only.
   */
  regroup(
    subjects: readonly Subject[],
    why: string,
    at: Moment,
    { missedBefore }: Pick<LiveHandlers, "missedBefore">,
  ): void {
    const { connection, upToDate } = this;
    const removed = connection.subjects.filter((subject) => !subjects.includes(subject));
    const pending = this.interrupted ?? upToDate?.blindAt(at);
    const refusal = this.refused && { from: this.started, reason: this.refused.message };
    if (pending !== undefined) {
      missedBefore(connection, gapBetween(pending.from, at, pending.reason));
      this.interrupted = { from: at, reason: why };
    } else {
      if (upToDate !== undefined) this.interrupted = { from: upToDate.until, reason: why };
      const missed = this.interrupted ?? refusal;
      if (missed !== undefined && removed.length > 0)
        missedBefore({ ...connection, subjects: removed }, gapBetween(missed.from, at, missed.reason));
    }
    this.upToDate = undefined;
    this.connection = { ...connection, subjects };
    this.current.abort(new Regrouped(why));
  }

  /** Resolves when the connection is open again, or cannot be opened for now. */
  settling(): Promise<void> {
    this.settled?.();
    return new Promise((resolve) => {
      this.settled = resolve;
    });
  }

  /** `until` is when it was last up to date, and `seen` when there was a sign of life; `opened` if it is open. */
  sight() {
    const { connection, upToDate, interrupted, started } = this;
    const { subjects } = connection;
    const lost = interrupted?.from ?? started;
    const { until = lost, received: seen = lost, opened } = upToDate ?? {};
    return { subjects, until, seen, opened };
  }

  /** Undefined if the connection is open and up to date at the end. */
  missed(to: Moment): { readonly gap: Gap; readonly missing: Missing } | undefined {
    const { upToDate, wasOpen, interrupted, refused, started } = this;
    const lost = upToDate === undefined ? interrupted : upToDate.blindAt(to);
    if (lost !== undefined) return { gap: gapBetween(lost.from, to, lost.reason), missing: "lost" };
    if (upToDate !== undefined) return undefined;
    const gap = gapBetween(started, to, refused?.message ?? "never connected");
    return { gap, missing: wasOpen ? "lost" : refused === undefined ? "opening" : "refused" };
  }
}

export function assetsOf(all: readonly RunningConnection[]): readonly Subject[] {
  return all.flatMap(({ connection }) => connection.subjects);
}
