import type { Budget } from "../../client/budget.ts";
import type { Context } from "../../model/context.ts";
import { Failure } from "../../model/failure.ts";
import { feeds } from "../feeds.ts";
import { defaultSilence, keepOpen, type Moment, type OpenShard, type ShardHandlers } from "../shard.ts";
import type { Wake } from "./wake.ts";

/** What becomes known of the stream that says when to read. */
export type CallHandlers = Omit<ShardHandlers, "events">;

/** Milliseconds before a host that is not there, or no streaming host, is asked again. */
const absence = 60_000;

/**
 * Lets the events of a stream call for reads; what they say is not looked at. Each costs a credit. Ends only by throwing:
 * what `keepOpen` throws, but for a host that cannot be reached or is none; then the reads go on without it.
 */
export async function listenForCalls(
  context: Pick<Context, "clock" | "random">,
  open: OpenShard,
  { wake, budget }: { readonly wake: Wake; readonly budget: Budget },
  handlers: CallHandlers,
  signal: AbortSignal,
): Promise<never> {
  const limits = { names: feeds.transactions.events, silence: defaultSilence, maxReconnects: undefined };
  /** When the stream was last heard, as far as it is known: what keeps it open forgets that when it gives up. */
  let last: Moment | undefined;
  let givenUp: string | undefined;
  const shard: ShardHandlers = {
    ...handlers,
    opened: (at, gap) => {
      const given = last === undefined || givenUp === undefined ? undefined : { from: last, reason: givenUp };
      handlers.opened(at, gap ?? (given && { ...given, to: at }));
      [last, givenUp] = [at, undefined];
      // What came while nobody listened.
      wake.call();
    },
    retrying: (failure, wait, since) => {
      last = since ?? last;
      handlers.retrying(failure, wait, since);
    },
    events: async (events, at) => {
      last = at;
      wake.call();
      await (await budget.claim(events.length)).settle(events.length);
    },
  };
  for (;;) {
    try {
      return await keepOpen(context, open, shard, limits, signal);
    } catch (cause) {
      const isAbsent = cause instanceof Failure && (cause.exit === 7 || cause.exit === 1);
      if (!isAbsent || signal.aborted) throw cause;
      givenUp = cause.message;
      handlers.retrying(cause, absence, last);
      await context.clock.sleep(absence, signal);
    }
  }
}
