import type { Subject } from "../client/pages/page.ts";
import { isWaitTooLong } from "../client/pace/retry-after.ts";
import { isStreamLimitFailure } from "../client/streams/stream-refusal.ts";
import type { ChildSignal } from "../context/child-signal.ts";
import type { Context } from "../context/context.ts";
import type { Failure } from "../contract/failure.ts";
import type { Gap, Moment, OpenShard, ShardLimits } from "./shard-handlers.ts";
import { keepOpen } from "./shard.ts";
import type { Missing, Shard, TailHandlers } from "./tail-options.ts";

/** What a connection has taken over from others that found no place. */
interface Moved {
  /** What it had before. */
  readonly before: readonly Subject[];
  /** Of connections that came with a list that was read again: such assets may be left out. */
  readonly isAdded: boolean;
  readonly refused: Failure;
}

/** Why a connection whose assets change is closed, and opened anew with what it has then. */
export class Regrouped {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** A 429 that says a place is wanted may be about a connection that has just been closed: so often it is asked again. */
const patience = 3;

/** One connection among several, and what has become of it. */
export class RunningShard {
  shard: Shard;
  readonly started: Moment;
  /** It came with a list that was read again. */
  readonly isAdded: boolean;
  /** Of the connection as it is; aborted where its assets change. */
  current: ChildSignal;
  isOpen = false;
  wasOpen = false;
  /** What the next opening has to tell as a gap, where the connection is not its keeper's first any more. */
  interrupted: { readonly from: Moment; readonly reason: string } | undefined;
  /** Why the last try to open it failed, where it never was open. */
  refused: Failure | undefined;
  /** It never was open, and the last try found no place. */
  isCrowdedOut = false;
  moved: Moved | undefined;
  /** Called once it is open, was refused, or is over. */
  settled: (() => void) | undefined;

  constructor(shard: Shard, started: Moment, isAdded: boolean, current: ChildSignal) {
    this.shard = shard;
    this.started = started;
    this.isAdded = isAdded;
    this.current = current;
  }

  /** Keeps it open with the assets that it has now. */
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
          [this.isOpen, this.wasOpen, this.interrupted] = [true, true, undefined];
          [this.isCrowdedOut, this.moved] = [false, undefined];
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
          this.isCrowdedOut = !this.wasOpen && isStreamLimitFailure(failure);
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

  /** Goes on with these assets; without any it is over. */
  regroup(subjects: readonly Subject[], why: string): void {
    this.shard = { ...this.shard, subjects };
    this.current.abort(new Regrouped(why));
  }

  /** Resolves when the next try to open it has come to something. */
  settling(): Promise<void> {
    this.settled?.();
    return new Promise((resolve) => {
      this.settled = resolve;
    });
  }

  /** What a tail that is over has not had of a connection that is not open; undefined where it is. */
  missed(to: Moment): { readonly gap: Gap; readonly missing: Missing } | undefined {
    const { isOpen, wasOpen, interrupted, refused, started } = this;
    if (isOpen) return undefined;
    if (interrupted !== undefined) return { gap: { ...interrupted, to }, missing: "lost" };
    const gap = { from: started, to, reason: refused?.message ?? "it was never open" };
    return { gap, missing: wasOpen ? "lost" : refused === undefined ? "opening" : "refused" };
  }
}

export function assetsOf(all: readonly RunningShard[]): readonly Subject[] {
  return all.flatMap(({ shard }) => shard.subjects);
}
