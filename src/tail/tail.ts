import type { Subject } from "../client/batches.ts";
import type { StreamEvent } from "../client/streams/event-stream.ts";
import { isStreamLimitFailure } from "../client/streams/stream-refusal.ts";
import type { Context } from "../model/context.ts";
import { Failure } from "../model/failure.ts";
import { type ChildSignal, childOf } from "./child-signal.ts";
import type { Feed, FeedKind } from "./feeds.ts";
import { findInvalid, mayBeOfOneAsset } from "./find-invalid.ts";
import { invalidAssets } from "./invalid-assets.ts";
import { momentOf } from "./moment.ts";
import { probeOf } from "./probe.ts";
import { type Gap, keepOpen, type Moment, type ShardLimits } from "./shard.ts";
import { doesNotFit, planShards, replanShards, type Room, tooManyAssets } from "./shards.ts";
import { type Opening, openerOf, type Subscription } from "./subscription.ts";

/** One connection among several, for those who watch. */
export interface Shard {
  readonly number: number;
  readonly subjects: readonly Subject[];
}

export interface TailHandlers {
  readonly opened: (shard: Shard, at: Moment, gap: Gap | undefined) => void;
  /** Awaited: the connections that have something to say wait for it. */
  readonly events: (shard: Shard, events: readonly StreamEvent[], at: Moment) => Promise<void>;
  readonly charged: (events: number) => void;
  readonly retrying: (shard: Shard, failure: Failure, waitMilliseconds: number) => void;
  readonly said: (shard: Shard, kind: "warning" | "error" | "unknown", text: string) => void;
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

interface Running {
  shard: Shard;
  isOpen: boolean;
  wasOpen: boolean;
  /** Of the connection as it is; aborted where its assets change. */
  current: ChildSignal;
  interrupted: { readonly from: Moment; readonly reason: string } | undefined;
}

/** A 429 that says a place is wanted may be about a connection that has just been closed: so often it is asked again. */
const patience = 3;
const reloaded = "the list of assets changed";
const dropped = "an asset of it is not streamed any more";

/** Any number of assets on as many connections as it takes, each kept open on its own clocks. */
export function createTail(
  context: Pick<Context, "clock" | "random">,
  opening: Opening,
  options: TailOptions,
  handlers: TailHandlers,
): Tail {
  const { clock } = context;
  const running = new Set<Running>();
  const ended = new Set<Promise<void>>();
  let numbered = 0;
  let start: ((subjects: readonly Subject[]) => void) | undefined;

  const subscriptionOf = (subjects: readonly Subject[]): Subscription => ({
    feed: options.feed,
    kind: options.kind,
    subjects,
    params: options.params,
  });

  const limits: ShardLimits = {
    ...options.limits,
    isFinal: (failure, { attempts, wasOpen }) =>
      isStreamLimitFailure(failure) && !wasOpen && attempts > patience,
  };

  const keepShard = async (self: Running): Promise<never> => {
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
        retrying: (failure, wait, since) => {
          self.isOpen = false;
          self.interrupted = since && { from: since, reason: failure.message };
          handlers.retrying(shard, failure, wait);
        },
        said: (kind, text) => handlers.said(shard, kind, text),
      },
      limits,
      self.current.signal,
    );
  };

  /** Without the assets that are at fault, where that is wanted; false where nothing is left. */
  const dropInvalid = async (self: Running, refused: Failure): Promise<boolean> => {
    if (!mayBeOfOneAsset(refused)) throw refused;
    const { subjects } = self.shard;
    const probe = probeOf(context, opening, subscriptionOf, self.current.signal);
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

  const runShard = async (self: Running, signal: AbortSignal): Promise<void> => {
    for (let isWanted = true; isWanted;) {
      self.current = childOf(signal);
      try {
        await keepShard(self);
      } catch (cause) {
        const isChanged = self.current.signal.reason === reloaded;
        if (self.isOpen) self.interrupted = { from: momentOf(clock), reason: isChanged ? reloaded : dropped };
        self.isOpen = false;
        if (signal.aborted) throw signal.reason;
        if (isChanged) isWanted = self.shard.subjects.length > 0;
        else if (cause instanceof Failure) isWanted = await dropInvalid(self, explained(cause, self));
        else throw cause;
      } finally {
        self.current.release();
      }
    }
    running.delete(self);
  };

  /** What a refusal means among several connections. */
  const explained = (failure: Failure, self: Running): Failure => {
    const all = [...running].flatMap(({ shard }) => shard.subjects);
    if (isStreamLimitFailure(failure)) {
      const places = [...running].filter(({ wasOpen }) => wasOpen);
      if (places.length === 0) return failure;
      const fits = places.flatMap(({ shard }) => shard.subjects).length;
      const left = [...running].filter(({ wasOpen }) => !wasOpen).flatMap(({ shard }) => shard.subjects);
      return doesNotFit(
        `the service allows ${places.length} connections here, not the ${running.size} that ${all.length} assets take: ${left.length} do not fit`,
        fits,
        left,
        failure,
      );
    }
    const isUnknownBatch =
      failure.details.status === 405 && options.feed.batches === "perhaps" && self.shard.subjects.length > 1;
    return isUnknownBatch ? tooManyAssets(all, { ...options.room, perConnection: 1 }) : failure;
  };

  const run = async (subjects: readonly Subject[], signal: AbortSignal): Promise<never> => {
    const all = childOf(signal);
    try {
      return await new Promise<never>((_, reject) => {
        start = (assets) => {
          numbered += 1;
          const self: Running = {
            shard: { number: numbered, subjects: assets },
            isOpen: false,
            wasOpen: false,
            current: childOf(all.signal),
            interrupted: undefined,
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
      all.abort(signal.reason ?? "the tail is over");
      all.release();
      await Promise.all(ended);
      for (const { shard } of running) handlers.closed(shard, "the tail is over");
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
