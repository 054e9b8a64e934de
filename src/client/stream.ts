import { isStreamLimitFailure } from "./streams/stream-refusal.ts";
import { Failure, usageFailure } from "../base/failure.ts";
import { endCause, StopReason } from "./ending.ts";
import { damageFault } from "../api/known-networks.ts";
import { findFault, type Probing, refusedAlone } from "./live/find-invalid.ts";
import { EventOwners } from "./event-owner.ts";
import { endedForGood } from "./live/keep-open.ts";
import { regrouped, RunningConnection } from "./live/running-connection.ts";
import {
  checkSize,
  doesNotFit,
  planConnections,
  replanConnections,
  type Room,
  roomFor,
  tooManyAssets,
  withoutMalformed,
} from "./plan-connections.ts";
import { type Subject, subjectKey } from "./subject.ts";
import { momentOf, type Connection, type LiveHandlers, type LiveOptions } from "./stream-options.ts";
import { childOf } from "../base/context/context.ts";
import { counted } from "../base/text/words.ts";

const reloaded = "the list of assets changed";

/** The status of a rejected POST. According to the specification, a transaction stream has a single asset (rule 127). */
const notTaken = 405;

/** Rejections in a row for which no asset is at fault. */
const maxFruitless = 5;

/** Streams any number of assets over as many connections as they need. */
export class LiveStream {
  readonly owners: EventOwners;
  readonly #options: LiveOptions;
  readonly #handlers: LiveHandlers;
  readonly #running = new Set<RunningConnection>();
  readonly #work = new Set<Promise<void>>();
  /** Connections that the service ended permanently; reported at the end of the stream. */
  readonly #ended: RunningConnection[] = [];
  /**
   * Assets that were dropped or whose connection has ended. Kept as long as they are listed, because the service would
   * reject them again and interrupt other assets.
   */
  readonly #droppedKeys = new Set<string>();
  /** Assets that a reload of the list brought. */
  readonly #addedKeys = new Set<string>();
  #begun = 0;
  /** A connection was open. It may have ended since, for example because its assets were removed. */
  #isHostKnown = false;
  /** The number of connections that were open when the service rejected one. */
  #accepted = Number.POSITIVE_INFINITY;
  #start: ((subjects: readonly Subject[], after?: Promise<unknown>) => void) | undefined;

  constructor(options: LiveOptions, handlers: LiveHandlers) {
    this.owners = new EventOwners(options.kind);
    this.#options = { ...options, isHostKnown: () => this.#isHostKnown };
    const opened: LiveHandlers["opened"] = (...opening) => {
      this.#isHostKnown = true;
      handlers.opened(...opening);
    };
    this.#handlers = { ...handlers, opened };
  }

  /** Runs until it throws, like `keepOpen`. All connections are closed by then. */
  async run(subjects: readonly Subject[], signal: AbortSignal): Promise<never> {
    const { onInvalid, kind } = this.#options;
    const wanted = withoutMalformed(subjects, kind.by, onInvalid === "fail" ? onInvalid : this.#drop);
    const all = childOf(signal);
    let over: unknown;
    try {
      return await new Promise<never>((_, reject) => {
        this.#start = (assets, after) => {
          const work = this.#begin(assets, all.signal, reject, after).finally(() => this.#work.delete(work));
          this.#work.add(work);
        };
        for (const assets of planConnections(wanted, this.#room(wanted.length))) this.#start(assets);
      });
    } catch (cause) {
      over = cause;
      throw (cause instanceof StopReason && cause.by === "time" && this.#withoutPlace()) || cause;
    } finally {
      const isStopped = signal.aborted;
      all.abort(over);
      all.release();
      await Promise.all(this.#work);
      this.#close(over, isStopped);
    }
  }

  /** Throws if the list does not fit, before it is labeled. */
  checkSize(listed: readonly Subject[]): void {
    const { by } = this.#options.kind;
    const isWanted = (subject: Subject): boolean =>
      !this.#droppedKeys.has(subjectKey(subject)) &&
      damageFault(subject.network, subject.address, by) === undefined;
    checkSize(listed, this.#room(listed.length), isWanted);
  }

  /**
   * Returns the assets in use, excluding dropped ones that are still listed. Only connections whose assets change are
   * reopened, after what the list adds to them has been tried alone. Throws if the list does not fit. One call must end
   * before the next one begins.
   */
  async reload(listed: readonly Subject[], signal: AbortSignal): Promise<readonly Subject[]> {
    const keys = new Set(listed.map(subjectKey));
    for (const key of this.#droppedKeys) if (!keys.has(key)) this.#droppedKeys.delete(key);
    const wanted = withoutMalformed(this.#withoutDropped(listed), this.#options.kind.by, this.#drop);
    const replanned = this.#replan(wanted);
    const before = new Set(this.assets().map(subjectKey));
    const added = new Set(wanted.filter((subject) => !before.has(subjectKey(subject))));
    for (const subject of added) this.#addedKeys.add(subjectKey(subject));
    const hasRoom = this.#running.size < this.#room(listed.length).cap;
    const probing = this.#probing(signal, true);
    for (const { from, subjects } of hasRoom ? replanned : []) {
      const joining = from === undefined ? [] : subjects.filter((subject) => added.has(subject));
      const refused = await refusedAlone(probing, joining);
      if (refused !== undefined) this.#drop(refused.invalid, refused.failure);
    }
    const subjects = this.#withoutDropped(listed);
    this.#regroup(this.#replan(subjects));
    return subjects;
  }

  connections(): readonly Connection[] {
    return Array.from(this.#running, ({ connection }) => connection);
  }

  /** The assets of all connections. */
  assets(): readonly Subject[] {
    return this.connections().flatMap(({ subjects }) => subjects);
  }

  /** What is known about the assets of each connection. */
  sights() {
    return Array.from(this.#running, (self) => self.sight());
  }

  #probing(signal: AbortSignal, isKnown: boolean): Probing {
    const hasHeard = (subject: Subject): boolean => this.owners.hasHeard(subject);
    return { ...this.#options, signal, isHostKnown: () => isKnown, hasHeard };
  }

  #withoutDropped(listed: readonly Subject[]): readonly Subject[] {
    return listed.filter((subject) => !this.#droppedKeys.has(subjectKey(subject)));
  }

  #replan(subjects: readonly Subject[]): ReturnType<typeof replanConnections> {
    if (subjects.length === 0) throw usageFailure("all assets in the list have already been skipped");
    const before = this.connections().map((connection) => connection.subjects);
    return replanConnections(before, subjects, this.#room(subjects.length));
  }

  #regroup(replanned: ReturnType<typeof replanConnections>): void {
    const places = new Map(replanned.map((each) => [each.from, each.subjects]));
    const reopened: Promise<void>[] = [];
    const at = momentOf(this.#options.context.clock);
    for (const [index, self] of [...this.#running].entries()) {
      const assets = places.get(index) ?? [];
      if (isSame(assets, self.connection.subjects)) continue;
      const { connection } = self;
      if (assets.length > 0) reopened.push(self.settling());
      self.regroup(assets, reloaded, at, this.#handlers);
      if (assets.length > 0) continue;
      this.#running.delete(self);
      this.#handlers.closed(connection, reloaded);
    }
    // The host may allow fewer connections than the plan, so existing connections reopen first.
    const after = Promise.all(reopened);
    for (const { from, subjects: assets } of replanned) if (from === undefined) this.#start?.(assets, after);
  }

  #open(): number {
    return [...this.#running].filter(({ wasOpen }) => wasOpen).length;
  }

  #room(assets: number): Room {
    return roomFor(this.#options.feed, assets, Math.min(this.#options.cap, this.#accepted));
  }

  /** A connection added by a reload waits for `after`. */
  async #begin(
    subjects: readonly Subject[],
    signal: AbortSignal,
    fail: (cause: unknown) => void,
    after: Promise<unknown> | undefined,
  ): Promise<void> {
    this.#begun += 1;
    const connection = { number: this.#begun, subjects };
    const started = momentOf(this.#options.context.clock);
    const self = new RunningConnection(connection, started, after !== undefined, childOf(signal));
    this.#running.add(self);
    const since = self.isAdded ? undefined : this.#options.since(subjects);
    if (since !== undefined) {
      self.miss(since, "dexdata was not running");
      self.sighted = { until: since, seen: started };
    }
    if (self.isAdded) self.miss(started, reloaded);
    try {
      await after;
      await this.#keepWanted(self, signal);
    } catch (cause) {
      fail(cause);
    } finally {
      self.settled?.();
    }
  }

  /** A connection without assets no longer runs. */
  async #keepWanted(self: RunningConnection, signal: AbortSignal): Promise<void> {
    while (this.#running.has(self)) {
      self.current.release();
      self.current = childOf(signal);
      try {
        await this.#keepOrDrop(self);
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        if (self.current.signal.reason !== regrouped) throw cause;
      } finally {
        self.current.release();
      }
    }
  }

  async #keepOrDrop(self: RunningConnection): Promise<void> {
    try {
      await self.keep(this.#options, this.#handlers, this.owners);
    } catch (cause) {
      if (self.current.signal.aborted || !(cause instanceof Failure)) throw cause;
      if (cause.details.status === endedForGood) return this.#endForGood(self, cause);
      if (isStreamLimitFailure(cause) && !self.wasOpen) return this.#leaveOut(self, cause);
      const { feed, cap } = this.#options;
      const isBatch = feed.batches === "perhaps" && self.connection.subjects.length > 1;
      if (isBatch && cause.details.status === notTaken)
        throw tooManyAssets(this.assets(), { perConnection: 1, cap });
      return await this.#dropInvalid(self, cause);
    }
  }

  /** The service accepts no more connections. Assets that have no place end the stream, unless a reload added them. */
  #leaveOut(self: RunningConnection, refused: Failure): void {
    self.refused = refused;
    if (!self.isAdded) throw this.#withoutPlace() ?? refused;
    this.#accepted = this.#open() || this.#accepted;
    this.#handlers.dropped(self.connection.subjects, refused);
    this.#giveUp(self, refused);
  }

  /** Names the assets whose connections the service has rejected because too many are open; undefined if there are none. */
  #withoutPlace(): Failure | undefined {
    const all = [...this.#running];
    const crowded = all.filter(({ isCrowdedOut }) => isCrowdedOut);
    const refused = crowded[0]?.refused;
    const open = this.#open();
    if (refused === undefined || open === 0) return refused;
    const left = crowded.flatMap(({ connection }) => connection.subjects);
    const assets = this.assets().length;
    return doesNotFit(
      `the service allows ${counted(open, "connection")}, but ${counted(assets, "asset")} require ${all.length}; no room for ${counted(left.length, "asset")}`,
      assets - left.length,
      left,
      refused,
    );
  }

  /** Throws if the options do not allow dropping. */
  async #dropInvalid(self: RunningConnection, refused: Failure): Promise<void> {
    const { subjects } = self.connection;
    const signal = self.current.signal;
    const probing = this.#probing(signal, this.#isHostKnown);
    const { invalid, failure } = await findFault(probing, subjects, refused).catch((cause: unknown) => {
      if (!(cause instanceof Failure) || !this.#isOfList(subjects, cause)) throw cause;
      return { invalid: subjects, failure: cause };
    });
    if (invalid.length === 0 && !probing.isHostKnown()) throw refused;
    if (invalid.length === 0) return await this.#tryAgain(self, refused);
    if (this.#options.onInvalid === "fail" && !this.#isOfList(invalid, failure)) throw failure;
    this.#drop(invalid, failure);
    const left = subjects.filter((subject) => !invalid.includes(subject));
    const noneLeft = new Failure(`no valid asset is left: ${failure.message}`, failure.details);
    if (left.length === 0) return this.#giveUp(self, failure, noneLeft);
    self.assign(left);
  }

  /** Nothing is wrong with the assets, so the rejection was a passing mistake. */
  async #tryAgain(self: RunningConnection, refused: Failure): Promise<void> {
    const { clock, random } = this.#options.context;
    self.fruitless += 1;
    if (self.fruitless > maxFruitless) throw refused;
    const wait = self.waits.after(refused, random());
    self.settled?.();
    this.#handlers.retrying(self.connection, refused, wait, self.blindSince(refused));
    await clock.sleep(wait, self.current.signal);
  }

  /** What a reload brought is refused alone, unless the key or the credits are at fault. */
  #isOfList(subjects: readonly Subject[], { details: { status } }: Failure): boolean {
    return (
      status !== 401 && status !== 402 && subjects.every((each) => this.#addedKeys.has(subjectKey(each)))
    );
  }

  readonly #drop = (invalid: readonly Subject[], failure: Failure): void => {
    this.#handlers.dropped(invalid, failure);
    for (const subject of invalid) this.#droppedKeys.add(subjectKey(subject));
  };

  #endForGood(self: RunningConnection, failure: Failure): void {
    self.refused = failure;
    this.#ended.push(self);
    for (const subject of self.connection.subjects) this.#droppedKeys.add(subjectKey(subject));
    this.#giveUp(self, failure);
    this.#handlers.ended(self.connection, failure);
  }

  #giveUp(self: RunningConnection, failure: Failure, ofLast = failure): void {
    this.#running.delete(self);
    this.#handlers.closed(self.connection, failure.message);
    if (this.#running.size === 0) throw ofLast;
  }

  #close(over: unknown, isStopped: boolean): void {
    for (const self of [...this.#ended, ...this.#running]) {
      const { connection } = self;
      const missed = self.missed(momentOf(this.#options.context.clock));
      // If a failure ended the stream, it already explains the connections that were never open.
      if (missed !== undefined && (isStopped || missed.missing === "lost"))
        this.#handlers.missed(connection, missed.gap, missed.missing);
      if (this.#running.has(self)) this.#handlers.closed(connection, endCause(over));
    }
  }
}

function isSame(a: readonly Subject[], b: readonly Subject[]): boolean {
  return a.length === b.length && a.every((subject, index) => subject === b[index]);
}
