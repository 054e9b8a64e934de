import { isWaitTooLong } from "../client/pace/retry-after.ts";
import { isStreamLimitFailure } from "../client/streams/stream-refusal.ts";
import type { Context } from "../context/context.ts";
import type { RunningShard } from "./running-shard.ts";
import { keepOpen, type OpenShard } from "./shard.ts";
import type { TailHandlers, TailOptions } from "./tail-options.ts";

/** A 429 that says a place is wanted may be about a connection that has just been closed: so often it is asked again. */
const patience = 3;

/** Keeps one connection of several open with the assets that it has now, and remembers what became of it. */
export async function keepShard(
  context: Pick<Context, "clock" | "random">,
  self: RunningShard,
  open: OpenShard,
  { limits }: Pick<TailOptions, "limits">,
  handlers: TailHandlers,
): Promise<never> {
  const { shard, interrupted } = self;
  return await keepOpen(
    context,
    open,
    {
      opened: (at, gap) => {
        [self.isOpen, self.wasOpen, self.interrupted] = [true, true, undefined];
        [self.isCrowdedOut, self.moved] = [false, undefined];
        self.settled?.();
        const since = gap ?? (interrupted && { ...interrupted, to: at });
        handlers.opened(shard, at, since);
      },
      events: (events, at) => handlers.events(shard, events, at),
      charged: handlers.charged,
      lost: (from, { message }) => {
        self.isOpen = false;
        self.interrupted = { from, reason: message };
      },
      retrying: (failure, wait) => {
        self.settled?.();
        if (!self.wasOpen) self.refused = failure;
        self.isCrowdedOut = !self.wasOpen && isStreamLimitFailure(failure);
        handlers.retrying(shard, failure, wait);
      },
      said: (kind, text) => handlers.said(shard, kind, text),
    },
    {
      ...limits,
      isFinal: (failure, { attempts }) =>
        isStreamLimitFailure(failure) && !self.wasOpen && (attempts > patience || isWaitTooLong(failure)),
    },
    self.current.signal,
  );
}
