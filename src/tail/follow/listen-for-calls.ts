import type { Budget } from "../../client/spending/credit-budget.ts";
import type { Context } from "../../context/context.ts";
import { Failure } from "../../contract/failure.ts";
import { transactionsFeed } from "../../contract/feeds/transactions-feed.ts";
import { defaultSilence, keepOpen } from "../shard.ts";
import type { ShardHandlers } from "../shard-handlers.ts";
import type { OpenShard } from "../subscription.ts";
import type { Wake } from "./schedule.ts";

/** What becomes known of the stream that says when to read. */
export type CallHandlers = Omit<ShardHandlers, "events">;

/** Milliseconds before a host that is not there, or no streaming host, is asked again. */
const absence = 60_000;

/**
 * Lets the events of a stream call for reads; what they say is not looked at. Each costs a credit. Ends only by throwing:
 * what `keepOpen` throws, but for a host that was never reached or is none; then the reads go on without it.
 */
export async function listenForCalls(
  context: Pick<Context, "clock" | "random">,
  open: OpenShard,
  { wake, budget }: { readonly wake: Wake; readonly budget: Budget },
  handlers: CallHandlers,
  signal: AbortSignal,
): Promise<never> {
  const limits = { feed: transactionsFeed, silence: defaultSilence, maxReconnects: undefined };
  const shard: ShardHandlers = {
    ...handlers,
    opened: (at, gap) => {
      handlers.opened(at, gap);
      // What came while nobody listened.
      wake.call();
    },
    events: async (events) => {
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
      handlers.retrying(cause, absence);
      await context.clock.sleep(absence, signal);
    }
  }
}
