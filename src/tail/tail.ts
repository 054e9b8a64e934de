import type { Subject } from "../client/batches.ts";
import { isStreamLimitFailure } from "../client/streams/stream-refusal.ts";
import type { Context } from "../context/context.ts";
import { Failure, usageFailure } from "../contract/failure.ts";
import { childOf } from "../context/child-signal.ts";
import { createCrowdedShards } from "./crowded-shards.ts";
import { endCause, Stop } from "./ending.ts";
import { findFault } from "./find-fault.ts";
import { keepShard } from "./keep-shard.ts";
import { endedForGood } from "./lasting-refusals.ts";
import { momentOf } from "./moment.ts";
import { missedBy, Regrouped, regroup, type RunningShard, settling, type Shard } from "./running-shard.ts";
import { planShards, replanShards, type Room, roomFor, subjectKey } from "./shards.ts";
import type { TailHandlers, TailOptions } from "./tail-options.ts";
import { type Opening, openerOf, type Subscription } from "./subscription.ts";

export type { Shard, TailHandlers, TailOptions };

export interface Tail {
  /** Ends only by throwing, like `keepOpen`; every connection is closed then. */
  readonly run: (subjects: readonly Subject[], signal: AbortSignal) => Promise<never>;
  /**
   * Goes on with this list, and returns what it takes of it: not what has been dropped and is listed still. Only
   * connections whose assets change are opened anew. Throws where it does not fit.
   */
  readonly reload: (subjects: readonly Subject[]) => readonly Subject[];
}

const reloaded = "the list of assets changed";

/** Any number of assets on as many connections as it takes, each kept open on its own clocks. */
export function createTail(
  context: Pick<Context, "clock" | "random">,
  opening: Opening,
  options: TailOptions,
  handlers: TailHandlers,
): Tail {
  const { clock } = context;
  const running = new Set<RunningShard>();
  const done = new Set<Promise<void>>();
  const room = (assets: number): Room =>
    roomFor(options.feed, assets, Math.min(options.cap, crowded.accepted()));
  const limits = { ...options.limits, isHostKnown: () => [...running].some(({ wasOpen }) => wasOpen) };
  const crowded = createCrowdedShards(running, options, handlers);
  /** Closed for good by the service, which the end of the stream has to report. */
  const ended: RunningShard[] = [];
  let numbered = 0;
  /** Dropped or ended, for as long as the list holds them: they would be refused again, and interrupt others. */
  const droppedKeys = new Set<string>();
  let start: ((subjects: readonly Subject[], after?: Promise<unknown>) => void) | undefined;

  const subscriptionOf = (subjects: readonly Subject[]): Subscription => ({
    feed: options.feed,
    kind: options.kind,
    subjects,
    params: options.params,
  });

  /** Without the assets that are at fault, where that is wanted; false where nothing is left. */
  const dropInvalid = async (self: RunningShard, refused: Failure): Promise<boolean> => {
    const { subjects } = self.shard;
    const asking = { ...opening, subscriptionOf, charged: handlers.charged, signal: self.current.signal };
    const { invalid, failure } = await findFault(context, asking, options, subjects, refused);
    handlers.dropped(invalid, failure);
    for (const subject of invalid) droppedKeys.add(subjectKey(subject));
    const left = subjects.filter((subject) => !invalid.includes(subject));
    if (left.length === 0) return giveUp(self, failure);
    self.shard = { ...self.shard, subjects: left };
    return true;
  };

  const endForGood = (self: RunningShard, failure: Failure): false => {
    self.refused = failure;
    ended.push(self);
    for (const subject of self.shard.subjects) droppedKeys.add(subjectKey(subject));
    giveUp(self, failure);
    handlers.ended(self.shard, failure);
    return false;
  };

  const giveUp = (self: RunningShard, failure: Failure): false => {
    running.delete(self);
    handlers.closed(self.shard, failure.message);
    if (running.size === 0) throw failure;
    return false;
  };

  /** False where no asset is left to keep a connection for. */
  const keepOrDrop = async (self: RunningShard): Promise<boolean> => {
    try {
      const open = openerOf(opening, subscriptionOf(self.shard.subjects));
      return await keepShard(context, self, open, { limits }, handlers);
    } catch (cause) {
      const { aborted: isAborted, reason } = self.current.signal;
      if (self.isOpen && reason instanceof Regrouped) {
        self.isOpen = false;
        self.interrupted = { from: momentOf(clock), reason: reason.why };
      }
      if (isAborted || !(cause instanceof Failure)) throw cause;
      if (cause.details.status === endedForGood) return endForGood(self, cause);
      if (isStreamLimitFailure(cause) && !self.wasOpen) {
        crowded.placeElsewhere(self, cause);
        if (running.size === 0) throw cause;
        return false;
      }
      return crowded.isPlacedBack(self, cause) || (await dropInvalid(self, cause));
    }
  };

  const runShard = async (self: RunningShard, signal: AbortSignal): Promise<void> => {
    for (let isWanted = self.shard.subjects.length > 0; isWanted;) {
      self.current.release();
      self.current = childOf(signal);
      try {
        isWanted = await keepOrDrop(self);
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        if (!(self.current.signal.reason instanceof Regrouped)) throw cause;
        isWanted = self.shard.subjects.length > 0;
      } finally {
        self.current.release();
      }
    }
    running.delete(self);
  };

  const run = async (subjects: readonly Subject[], signal: AbortSignal): Promise<never> => {
    const all = childOf(signal);
    let over: unknown;
    try {
      return await new Promise<never>((_, reject) => {
        start = (assets, after) => {
          numbered += 1;
          const self: RunningShard = {
            shard: { number: numbered, subjects: assets },
            started: momentOf(clock),
            isOpen: false,
            wasOpen: false,
            current: childOf(all.signal),
            interrupted: undefined,
            refused: undefined,
            isCrowdedOut: false,
            moved: undefined,
            isAdded: after !== undefined,
            settled: undefined,
          };
          running.add(self);
          handlers.begun(self.shard);
          const work = (async () => {
            await after;
            await runShard(self, all.signal);
          })()
            .catch(reject)
            .finally(() => {
              self.settled?.();
              done.delete(work);
            });
          done.add(work);
        };
        for (const assets of planShards(subjects, room(subjects.length))) start(assets);
      });
    } catch (cause) {
      over = cause;
      throw (cause instanceof Stop && cause.by === "time" && crowded.withoutPlace()) || cause;
    } finally {
      const isStopped = signal.aborted;
      all.abort(over);
      all.release();
      await Promise.all(done);
      for (const self of [...ended, ...running]) {
        const { shard } = self;
        const missed = missedBy(self, momentOf(clock));
        // A failure that ended it all stands for those that were never open.
        if (missed !== undefined && (isStopped || missed.missing === "lost"))
          handlers.missed(shard, missed.gap, missed.missing);
        if (running.has(self)) handlers.closed(shard, endCause(over));
      }
    }
  };

  const reload = (listed: readonly Subject[]): readonly Subject[] => {
    const keys = new Set(listed.map(subjectKey));
    for (const key of droppedKeys) if (!keys.has(key)) droppedKeys.delete(key);
    const subjects = listed.filter((subject) => !droppedKeys.has(subjectKey(subject)));
    if (subjects.length === 0) throw usageFailure("every asset of the list was left out before");
    const before = [...running];
    const replanned = replanShards(
      before.map(({ shard }) => shard.subjects),
      subjects,
      room(subjects.length),
    );
    const places = new Map(replanned.map((each) => [each.from, each]));
    const reopened: Promise<void>[] = [];
    for (const [index, self] of before.entries()) {
      const assets = places.get(index)?.subjects ?? [];
      if (isSame(assets, self.shard.subjects)) continue;
      if (assets.length === 0) {
        running.delete(self);
        handlers.closed(self.shard, reloaded);
      } else reopened.push(settling(self));
      regroup(self, assets, reloaded);
    }
    // A host may have fewer places than the plan: those that were there before take theirs first.
    const after = Promise.all(reopened);
    for (const { from, subjects: assets } of replanned) if (from === undefined) start?.(assets, after);
    return subjects;
  };

  return { run, reload };
}

function isSame(a: readonly Subject[], b: readonly Subject[]): boolean {
  return a.length === b.length && a.every((subject, index) => subject === b[index]);
}
