import type { Subject } from "../client/batches.ts";
import type { StreamEvent } from "../client/streams/event-stream.ts";
import { isStreamLimitFailure } from "../client/streams/stream-refusal.ts";
import type { Context } from "../model/context.ts";
import { Failure } from "../model/failure.ts";
import { childOf } from "./child-signal.ts";
import type { Feed, FeedKind } from "./feeds.ts";
import { findInvalid, mayBeOfOneAsset } from "./find-invalid.ts";
import { invalidAssets } from "./invalid-assets.ts";
import { momentOf } from "./moment.ts";
import { probeOf } from "./probe.ts";
import { amongOthers, type Missing, missedBy, type RunningShard, type Shard } from "./running-shard.ts";
import { type Gap, keepOpen, type Moment, type ShardLimits } from "./shard.ts";
import { planShards, replanShards, type Room } from "./shards.ts";
import { type Opening, openerOf, type Subscription } from "./subscription.ts";

export type { Shard };

export interface TailHandlers {
  readonly opened: (shard: Shard, at: Moment, gap: Gap | undefined) => void;
  /** Awaited: the connections that have something to say wait for it. */
  readonly events: (shard: Shard, events: readonly StreamEvent[], at: Moment) => Promise<void>;
  readonly charged: (events: number) => void;
  readonly retrying: (shard: Shard, failure: Failure, waitMilliseconds: number) => void;
  readonly said: (shard: Shard, kind: "warning" | "error" | "unknown", text: string) => void;
  /** At the end, of a connection that is not open: the gap is the last one, and has no further opening to tell of it. */
  readonly missed: (shard: Shard, gap: Gap, missing: Missing) => void;
  /** It is not opened again; `why` is a sentence. */
  readonly closed: (shard: Shard, why: string) => void;
  /** Assets that the service does not stream are left out. */
  readonly dropped: (subjects: readonly Subject[], failure: Failure) => void;
}

export interface TailOptions {
  readonly feed: Feed;
  readonly kind: FeedKind;
  readonly params: ReadonlyMap<string, string>;
  readonly room: Room;
  readonly onInvalid: "fail" | "drop";
  readonly limits: ShardLimits;
}

export interface Tail {
  /** Ends only by throwing, like `keepOpen`; every connection is closed then. */
  readonly run: (subjects: readonly Subject[], signal: AbortSignal) => Promise<never>;
  /** Goes on with this list: only connections whose assets change are opened anew. Throws where it does not fit. */
  readonly reload: (subjects: readonly Subject[]) => void;
}

/** A 429 that says a place is wanted may be about a connection that has just been closed: so often it is asked again. */
const patience = 3;
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
  const ended = new Set<Promise<void>>();
  let numbered = 0;
  let start: ((subjects: readonly Subject[]) => void) | undefined;

  const subscriptionOf = (subjects: readonly Subject[]): Subscription => ({
    feed: options.feed,
    kind: options.kind,
    subjects,
    params: options.params,
  });

  const keepShard = async (self: RunningShard): Promise<never> => {
    const open = openerOf(opening, subscriptionOf(self.shard.subjects));
    const { shard, interrupted } = self;
    return await keepOpen(
      context,
      open,
      {
        opened: (at, gap) => {
          [self.isOpen, self.wasOpen, self.interrupted] = [true, true, undefined];
          const since = gap ?? (interrupted && { ...interrupted, to: at });
          handlers.opened(shard, at, since);
        },
        events: async (events, at) => await handlers.events(shard, events, at),
        charged: handlers.charged,
        lost: (from, { message }) => {
          self.isOpen = false;
          self.interrupted = { from, reason: message };
        },
        retrying: (failure, wait) => {
          if (!self.wasOpen) self.refused = failure.message;
          handlers.retrying(shard, failure, wait);
        },
        said: (kind, text) => handlers.said(shard, kind, text),
      },
      {
        ...options.limits,
        isFinal: (failure, { attempts }) =>
          isStreamLimitFailure(failure) && !self.wasOpen && attempts > patience,
      },
      self.current.signal,
    );
  };

  /** Without the assets that are at fault, where that is wanted; false where nothing is left. */
  const dropInvalid = async (self: RunningShard, refused: Failure): Promise<boolean> => {
    if (!mayBeOfOneAsset(refused)) throw refused;
    const { subjects } = self.shard;
    const probe = probeOf(context, opening, {
      subscriptionOf,
      signal: self.current.signal,
      isSaidInStream: refused.details.status === undefined,
      charged: handlers.charged,
    });
    const invalid = await findInvalid(subjects, refused, probe);
    if (invalid.length === 0) throw refused;
    const failure = invalidAssets(invalid, refused);
    if (options.onInvalid === "fail") throw failure;
    const left = subjects.filter((subject) => !invalid.includes(subject));
    handlers.dropped(invalid, failure);
    self.shard = { ...self.shard, subjects: left };
    if (left.length > 0) return true;
    running.delete(self);
    if (running.size === 0) throw failure;
    return false;
  };

  /** False where no asset is left to keep a connection for. */
  const keepOrDrop = async (self: RunningShard): Promise<boolean> => {
    try {
      return await keepShard(self);
    } catch (cause) {
      const { aborted: isAborted, reason } = self.current.signal;
      if (self.isOpen && reason === reloaded) {
        self.isOpen = false;
        self.interrupted = { from: momentOf(clock), reason: reloaded };
      }
      if (isAborted || !(cause instanceof Failure)) throw cause;
      return await dropInvalid(self, amongOthers(cause, self, [...running], options));
    }
  };

  const runShard = async (self: RunningShard, signal: AbortSignal): Promise<void> => {
    for (let isWanted = true; isWanted;) {
      self.current.release();
      self.current = childOf(signal);
      try {
        isWanted = await keepOrDrop(self);
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        if (self.current.signal.reason !== reloaded) throw cause;
        isWanted = self.shard.subjects.length > 0;
      } finally {
        self.current.release();
      }
    }
    running.delete(self);
  };

  const run = async (subjects: readonly Subject[], signal: AbortSignal): Promise<never> => {
    const all = childOf(signal);
    try {
      return await new Promise<never>((_, reject) => {
        start = (assets) => {
          numbered += 1;
          const self: RunningShard = {
            shard: { number: numbered, subjects: assets },
            started: momentOf(clock),
            isOpen: false,
            wasOpen: false,
            current: childOf(all.signal),
            interrupted: undefined,
            refused: undefined,
          };
          running.add(self);
          const done = runShard(self, all.signal)
            .catch(reject)
            .finally(() => ended.delete(done));
          ended.add(done);
        };
        for (const assets of planShards(subjects, options.room)) start(assets);
      });
    } finally {
      const isStopped = signal.aborted;
      all.abort(signal.reason ?? "the tail is over");
      all.release();
      await Promise.all(ended);
      for (const self of running) {
        const { shard } = self;
        const missed = missedBy(self, momentOf(clock));
        // A failure that ended it all stands for those that were never open.
        if (missed !== undefined && (isStopped || missed.missing === "lost"))
          handlers.missed(shard, missed.gap, missed.missing);
        handlers.closed(shard, "the tail is over");
      }
    }
  };

  const reload = (subjects: readonly Subject[]): void => {
    const before = [...running];
    const replanned = replanShards(
      before.map(({ shard }) => shard.subjects),
      subjects,
      options.room,
    );
    const places = new Map(replanned.map((each) => [each.from, each]));
    for (const [index, self] of before.entries()) {
      const assets = places.get(index)?.subjects ?? [];
      if (isSame(assets, self.shard.subjects)) continue;
      if (assets.length === 0) {
        running.delete(self);
        handlers.closed(self.shard, reloaded);
      }
      self.shard = { ...self.shard, subjects: assets };
      self.current.abort(reloaded);
    }
    for (const { from, subjects: assets } of replanned) if (from === undefined) start?.(assets);
  };

  return { run, reload };
}

function isSame(a: readonly Subject[], b: readonly Subject[]): boolean {
  return a.length === b.length && a.every((subject, index) => subject === b[index]);
}
