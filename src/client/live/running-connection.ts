import { isStreamLimitFailure } from "../streams/stream-refusal.ts";
import type { ChildSignal } from "../../base/context/context.ts";
import type { Failure } from "../../base/failure.ts";
import { keepOpen, Waits } from "./keep-open.ts";
import { openerOf } from "./subscription.ts";
import type { UpToDate } from "./up-to-date.ts";
import type { EventOwners } from "../event-owner.ts";
import { isSkipped } from "../stream-event.ts";
import type { Subject } from "../subject.ts";
import { isWaitTooLong } from "../retry.ts";
import {
  type Gap,
  gapBetween,
  type Moment,
  type Missing,
  type Connection,
  type LiveHandlers,
  type LiveOptions,
} from "../stream-options.ts";

/** The abort reason for a connection that is reopened because its assets have changed. */
export const regrouped = Symbol("regrouped");

/** Retries after a 429 for too many connections, because the service may still count one that was just closed. */
const maxAttempts = 3;

interface Blind {
  readonly from: Moment;
  readonly reason: string;
  readonly subjects: readonly Subject[];
}

export class RunningConnection {
  connection: Connection;
  readonly started: Moment;
  /** A reload of the list added this connection. */
  readonly isAdded: boolean;
  /** The signal for the current set of assets; aborted when the set changes. */
  current: ChildSignal;
  /** Undefined unless the connection is open. */
  upToDate: UpToDate | undefined;
  /** As in `sight`, of the last connection that had data or a ping; of an earlier run or the start, if there was none. */
  sighted: { readonly until: Moment; readonly seen: Moment };
  wasOpen = false;
  /** Gaps that are still open, the earliest first; the next opening reports them. No asset has two. */
  #blind: readonly Blind[] = [];
  /** The failure of the last attempt, if the connection was never open. */
  refused: Failure | undefined;
  readonly waits = new Waits();
  /** Consecutive searches for an invalid asset that found none. */
  fruitless = 0;
  /** Called when the connection has opened, been rejected or ended. */
  settled: (() => void) | undefined;

  constructor(connection: Connection, started: Moment, isAdded: boolean, current: ChildSignal) {
    this.connection = connection;
    this.started = started;
    this.sighted = { until: started, seen: started };
    this.isAdded = isAdded;
    this.current = current;
  }

  /** The connection was never open, and the last attempt was rejected because of too many connections. */
  get isCrowdedOut(): boolean {
    return !this.wasOpen && this.refused !== undefined && isStreamLimitFailure(this.refused);
  }

  async keep(options: LiveOptions, handlers: LiveHandlers, owners: EventOwners): Promise<never> {
    const { connection } = this;
    return await keepOpen(
      options.context,
      openerOf({ ...options, subjects: connection.subjects }),
      {
        opened: (at, gap, upToDate) => {
          [this.upToDate, this.wasOpen] = [upToDate, true];
          const blind = this.#blind;
          this.#blind = [];
          this.settled?.();
          handlers.opened(connection, at, gap);
          if (gap !== undefined) return;
          for (const { from, reason, subjects } of blind)
            handlers.missedBefore({ ...connection, subjects }, gapBetween(from, at, reason));
        },
        events: (events, at) => {
          this.fruitless = 0;
          for (const event of events) if (isSkipped(event)) handlers.skipped(connection, event);
          // Copies of large batches would keep the garbage collector busy.
          const whole = events.some(isSkipped) ? events.filter((event) => !isSkipped(event)) : events;
          owners.claim(whole, connection.subjects, at.elapsed);
          return handlers.events(connection, whole, at);
        },
        charged: options.ledger.delivered,
        lost: (from, { message }) => {
          this.#leave();
          this.miss(from, message);
        },
        retrying: (failure, wait) => {
          // The service may still count the connection that was just closed, so a new one could take its place.
          if (!isStreamLimitFailure(failure) || this.waits.attempts > maxAttempts) this.settled?.();
          if (!this.wasOpen) this.refused = failure;
          handlers.retrying(connection, failure, wait, this.blindSince(failure));
        },
        stray: (lines) => handlers.stray(connection, lines),
        said: (kind, text) => handlers.said(connection, kind, text),
      },
      {
        ...options,
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
   * Ends if there are no assets. First reports what the removed ones are missing so far: the next opening reports a gap for
   * its own assets only.
   */
  regroup(
    subjects: readonly Subject[],
    why: string,
    at: Moment,
    { missedBefore }: Pick<LiveHandlers, "missedBefore">,
  ): void {
    const { connection, upToDate } = this;
    // A reload is not the reason for a gap that has already begun.
    const last = upToDate?.blindAt(at) ?? { from: upToDate?.until ?? this.started, reason: why };
    this.miss(last.from, last.reason);
    for (const { from, reason, subjects: had } of this.#blind) {
      const removed = had.filter((subject) => !subjects.includes(subject));
      if (removed.length > 0)
        missedBefore({ ...connection, subjects: removed }, gapBetween(from, at, reason));
    }
    this.#leave();
    this.assign(subjects);
    this.miss(at, why);
    this.current.abort(regrouped);
  }

  assign(subjects: readonly Subject[]): void {
    this.connection = { ...this.connection, subjects };
    this.#blind = this.#blind
      .map((each) => ({ ...each, subjects: each.subjects.filter((subject) => subjects.includes(subject)) }))
      .filter(({ subjects: kept }) => kept.length > 0);
  }

  /** Begins a gap of those assets that have none. */
  miss(from: Moment, reason: string): void {
    const known = new Set(this.#blind.flatMap(({ subjects }) => subjects));
    const subjects = this.connection.subjects.filter((subject) => !known.has(subject));
    if (subjects.length > 0) this.#blind = [...this.#blind, { from, reason, subjects }];
  }

  /** When its earliest gap began, after this failure to open it. */
  blindSince({ message }: Failure): Moment {
    this.miss(this.started, message);
    return this.#blind[0]?.from ?? this.started;
  }

  /** Resolves when the connection is open again, or cannot be opened for now. */
  settling(): Promise<void> {
    this.settled?.();
    return new Promise((resolve) => {
      this.settled = resolve;
    });
  }

  #leave(): void {
    const { alive, until } = this.upToDate ?? {};
    if (alive !== undefined && until !== undefined) this.sighted = { until, seen: until };
    this.upToDate = undefined;
  }

  /** `until` is when it was last up to date, and `seen` when there was a sign of life; `opened` if it is open and alive. */
  sight() {
    const { connection, upToDate, sighted } = this;
    const { subjects } = connection;
    if (upToDate?.alive === undefined) return { subjects, ...sighted, opened: undefined };
    return { subjects, until: upToDate.until, seen: upToDate.alive, opened: upToDate.opened };
  }

  /** Undefined if the connection is open and up to date at the end. */
  missed(to: Moment): { readonly gap: Gap; readonly missing: Missing } | undefined {
    const { upToDate, wasOpen, refused, started } = this;
    const blind = upToDate === undefined ? this.#blind[0] : upToDate.blindAt(to);
    if (upToDate !== undefined && blind === undefined) return undefined;
    const { from, reason } = blind ?? { from: started, reason: "never connected" };
    const isLost = wasOpen || from.elapsed < started.elapsed;
    const missing = isLost ? "lost" : refused === undefined ? "opening" : "refused";
    return { gap: gapBetween(from, to, reason), missing };
  }
}
