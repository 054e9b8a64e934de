import { assetsPerPost } from "../../api/feed.ts";
import { counted } from "../../base/text/words.ts";
import { doesNotFit, replanConnections, tooManyAssets } from "../plan-connections.ts";
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
  momentOf,
  type Missing,
  type Connection,
  type ConnectionOptions,
  type LiveHandlers,
  type LiveOptions,
} from "../stream-options.ts";

/** The abort reason for a connection that is reopened because its assets have changed. */
export const regrouped = Symbol("regrouped");

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
  /** As in `sight`, of the last connection that had data or a ping; of an earlier run or the start, if there was none. */
  sighted: { readonly until: Moment; readonly seen: Moment };
  wasOpen = false;
  /** Reported by the next opening, after the connection was lost or its assets changed. */
  interrupted:
    | { readonly from: Moment; readonly reason: string; readonly subjects: readonly Subject[] }
    | undefined;
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
    this.sighted = { until: started, seen: started };
    this.isAdded = isAdded;
    this.current = current;
  }

  /** The connection was never open, and the last attempt was rejected because of too many connections. */
  get isCrowdedOut(): boolean {
    return !this.wasOpen && this.refused !== undefined && isStreamLimitFailure(this.refused);
  }

  async keep(
    options: LiveOptions,
    limits: ConnectionOptions,
    handlers: LiveHandlers,
    owners: EventOwners,
  ): Promise<never> {
    const { connection, interrupted } = this;
    return await keepOpen(
      options.context,
      openerOf({ ...options, subjects: connection.subjects }),
      {
        opened: (at, gap, upToDate) => {
          [this.upToDate, this.wasOpen] = [upToDate, true];
          [this.interrupted, this.moved] = [undefined, undefined];
          this.settled?.();
          handlers.opened(connection, at, gap);
          const subjects =
            interrupted?.subjects.filter((subject) => connection.subjects.includes(subject)) ?? [];
          if (gap === undefined && interrupted !== undefined && subjects.length > 0)
            handlers.missedBefore(
              { ...connection, subjects },
              gapBetween(interrupted.from, at, interrupted.reason),
            );
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
          this.interrupted = { from, reason: message, subjects: connection.subjects };
        },
        retrying: (failure, wait) => {
          // The service may still count the connection that was just closed, so a new one could take its place.
          if (!isStreamLimitFailure(failure) || this.waits.attempts > maxAttempts) this.settled?.();
          if (!this.wasOpen) this.refused = failure;
          handlers.retrying(connection, failure, wait, this.interrupted?.from);
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
    const had = this.interrupted?.subjects ?? connection.subjects;
    const removed = had.filter((subject) => !subjects.includes(subject));
    const kept = had.filter((subject) => subjects.includes(subject));
    const open = upToDate && { from: upToDate.until, reason: why };
    // A reload is not the reason for a gap that has already begun.
    const pending = this.interrupted ?? upToDate?.blindAt(at) ?? open;
    const refusal = this.refused && { from: this.started, reason: this.refused.message };
    const missed = pending ?? refusal;
    if (missed !== undefined && removed.length > 0)
      missedBefore({ ...connection, subjects: removed }, gapBetween(missed.from, at, missed.reason));
    this.interrupted = pending && { ...pending, subjects: kept };
    this.#leave();
    this.connection = { ...connection, subjects };
    this.current.abort(regrouped);
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

/**
 * The status of a rejected POST. According to the specification, a transaction stream has a single asset (rule 127).
 */
const notTaken = 405;

/** Moves assets to other connections if the service rejects theirs because too many are open. */
export class LimitedConnections {
  readonly #running: Set<RunningConnection>;
  readonly #options: LiveOptions;
  readonly #handlers: LiveHandlers;
  #perConnection: number;
  /** Number of connections that the service accepted before rejecting one; infinite until then. */
  accepted = Number.POSITIVE_INFINITY;

  constructor(running: Set<RunningConnection>, options: LiveOptions, handlers: LiveHandlers) {
    this.#running = running;
    this.#options = options;
    this.#handlers = handlers;
    this.#perConnection = options.feed.batches === "never" ? 1 : assetsPerPost;
  }

  /** Names the assets whose connections were never accepted; undefined if all were accepted. */
  withoutPlace(): Failure | undefined {
    const crowded = [...this.#running].filter(({ isCrowdedOut }) => isCrowdedOut);
    const refused = crowded[0]?.refused;
    return refused && this.#noPlace(assetsOf(crowded), refused);
  }

  /** Also moves the assets of other connections rejected in the same way. Throws if the assets do not fit. */
  placeElsewhere(self: RunningConnection, refused: Failure): void {
    const open = this.#open();
    const crowded = [...this.#running].filter(
      (each) => each === self || (each.isCrowdedOut && !self.isAdded && !each.isAdded),
    );
    const free = open.reduce(
      (sum, { connection }) => sum + Math.max(0, this.#perConnection - connection.subjects.length),
      0,
    );
    const homeless = assetsOf(crowded);
    if (open.length > 0) this.accepted = open.length;
    this.#refuse(homeless.slice(free), self.isAdded, refused);
    const placed = homeless.slice(0, free);
    for (const each of crowded) {
      this.#running.delete(each);
      this.#handlers.closed(each.connection, refused.message);
      if (each !== self) this.#regroup(each, [], "its assets moved to other connections");
    }
    if (placed.length === 0) return;
    this.#handlers.moved(placed, open.length, refused);
    const before = open.map(({ connection }) => connection.subjects);
    const room = { perConnection: this.#perConnection, cap: open.length };
    for (const { from, subjects } of replanConnections(before, [...before.flat(), ...placed], room)) {
      const each = from === undefined ? undefined : open[from];
      if (each === undefined || subjects.length === each.connection.subjects.length) continue;
      each.moved ??= { before: each.connection.subjects, isAdded: self.isAdded, refused };
      this.#regroup(each, subjects, "it received assets from other connections");
    }
  }

  /** Undoes a move if the service accepts only one asset per connection and the moved assets may be dropped. */
  isPlacedBack(self: RunningConnection, refused: Failure): boolean {
    const { feed, cap } = this.#options;
    if (refused.details.status !== notTaken || feed.batches !== "perhaps") return false;
    if (self.moved === undefined) {
      if (self.connection.subjects.length === 1) return false;
      throw tooManyAssets(assetsOf([...this.#running]), { perConnection: 1, cap });
    }
    this.#perConnection = 1;
    for (const each of this.#running) {
      if (each.moved === undefined) continue;
      const { before, isAdded, refused: moving } = each.moved;
      const moved = each.connection.subjects.filter((subject) => !before.includes(subject));
      this.#refuse(moved, isAdded, moving);
      each.moved = undefined;
      if (each === self) each.connection = { ...each.connection, subjects: before };
      else this.#regroup(each, before, "the service accepts one asset per connection");
    }
    return true;
  }

  #regroup(each: RunningConnection, subjects: readonly Subject[], why: string): void {
    each.regroup(subjects, why, momentOf(this.#options.context.clock), this.#handlers);
  }

  #open(): readonly RunningConnection[] {
    return [...this.#running].filter(({ wasOpen }) => wasOpen);
  }

  /** Assets that fit on no connection cause an error, unless a reload added them: then they are dropped. */
  #refuse(homeless: readonly Subject[], isAdded: boolean, refused: Failure): void {
    if (homeless.length === 0) return;
    if (!isAdded) throw this.#noPlace(homeless, refused);
    this.#handlers.dropped(homeless, refused);
  }

  #noPlace(homeless: readonly Subject[], refused: Failure): Failure {
    const open = this.#open().length;
    if (open === 0) return refused;
    const all = [...this.#running];
    const assets = assetsOf(all).length;
    return doesNotFit(
      `the service allows ${counted(open, "connection")}, but ${counted(assets, "asset")} require ${all.length}; no room for ${counted(homeless.length, "asset")}`,
      assets - homeless.length,
      homeless,
      refused,
    );
  }
}
