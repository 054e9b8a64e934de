import { isWaitTooLong } from "../client/pace/retry-after.ts";
import type { Subject } from "../client/pages/page.ts";
import { isStreamLimitFailure } from "../client/streams/stream-refusal.ts";
import type { ChildSignal } from "../context/child-signal.ts";
import type { Context } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import type { Gap, Missing, Moment, Shard, ShardLimits, TailHandlers } from "./shard-handlers.ts";
import { keepOpen } from "./shard.ts";
import type { OpenShard } from "./subscription.ts";

/** Why a connection whose assets changed is closed, and opened again with the new ones. */
export class Regrouped {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Retries after a 429 about a missing place: the service may still count a connection that has just been closed. */
const patience = 3;

/** One connection of several, and its state. */
export class RunningShard {
  shard: Shard;
  readonly started: Moment;
  /** It was added by a reload of the list. */
  readonly isAdded: boolean;
  /** Of the connection in its present form; aborted when its assets change. */
  current: ChildSignal;
  isOpen = false;
  wasOpen = false;
  /** The gap that the next opening reports, if the connection was lost or regrouped. */
  interrupted: { readonly from: Moment; readonly reason: string } | undefined;
  /** Why the last attempt failed, if it was never open. */
  refused: Failure | undefined;
  /** Its assets before it took over others, from connections without a place. Others that a reload added may be dropped. */
  moved:
    | { readonly before: readonly Subject[]; readonly isAdded: boolean; readonly refused: Failure }
    | undefined;
  /** Called when it is open, was rejected, or has ended. */
  settled: (() => void) | undefined;

  constructor(shard: Shard, started: Moment, isAdded: boolean, current: ChildSignal) {
    this.shard = shard;
    this.started = started;
    this.isAdded = isAdded;
    this.current = current;
  }

  /** It was never open, and the last attempt found no place. */
  get isCrowdedOut(): boolean {
    return !this.wasOpen && this.refused !== undefined && isStreamLimitFailure(this.refused);
  }

  /** Keeps it open with its present assets. */
  async keep(
    context: Pick<Context, "clock" | "random">,
    open: OpenShard,
    limits: ShardLimits,
    handlers: TailHandlers,
  ): Promise<never> {
    const { shard, interrupted } = this;
    return await keepOpen(
      context,
      open,
      {
        opened: (at, gap) => {
          [this.isOpen, this.wasOpen] = [true, true];
          [this.interrupted, this.moved] = [undefined, undefined];
          this.settled?.();
          handlers.opened(shard, at, gap ?? (interrupted && { ...interrupted, to: at }));
        },
        events: (events, at) => handlers.events(shard, events, at),
        charged: handlers.charged,
        lost: (from, { message }) => {
          this.isOpen = false;
          this.interrupted = { from, reason: message };
        },
        retrying: (failure, wait) => {
          this.settled?.();
          if (!this.wasOpen) this.refused = failure;
          handlers.retrying(shard, failure, wait);
        },
        said: (kind, text) => handlers.said(shard, kind, text),
      },
      {
        ...limits,
        isFinal: (failure, attempts) =>
          isStreamLimitFailure(failure) && !this.wasOpen && (attempts > patience || isWaitTooLong(failure)),
      },
      this.current.signal,
    );
  }

  /** Continues with these assets; without any it ends. */
  regroup(subjects: readonly Subject[], why: string): void {
    this.shard = { ...this.shard, subjects };
    this.current.abort(new Regrouped(why));
  }

  /** Resolves when the next attempt to open it has succeeded or failed. */
  settling(): Promise<void> {
    this.settled?.();
    return new Promise((resolve) => {
      this.settled = resolve;
    });
  }

  /** Returns the gap of a connection that is not open at the end; undefined if it is open. */
  missed(to: Moment): { readonly gap: Gap; readonly missing: Missing } | undefined {
    const { isOpen, wasOpen, interrupted, refused, started } = this;
    if (isOpen) return undefined;
    if (interrupted !== undefined) return { gap: { ...interrupted, to }, missing: "lost" };
    const gap = { from: started, to, reason: refused?.message ?? "never connected" };
    return { gap, missing: wasOpen ? "lost" : refused === undefined ? "opening" : "refused" };
  }
}

export function assetsOf(all: readonly RunningShard[]): readonly Subject[] {
  return all.flatMap(({ shard }) => shard.subjects);
}
