import { type Clock, childOf } from "../base/context/context.ts";
import { Failure } from "../base/failure.ts";
import { transactionsFeed as feed } from "../api/feeds/transactions-feed.ts";
import { keepOpen } from "./live/keep-open.ts";
import { openerOf } from "./live/subscription.ts";
import type { ConnectionHandlers } from "./live/listen.ts";
import { defaultLimits, type Opening, type Subscription } from "./stream-options.ts";
import type { EventLedger } from "./credit-budget.ts";

export type Wake = ReturnType<typeof createWake>;

/** Waits between reads. A wait can be ended early. */
export function createWake(clock: Clock, signal: AbortSignal) {
  let isCalled = false;
  let wakeUp: (() => void) | undefined;
  return {
    /** All calls before the next read count as one. */
    call: (): void => {
      isCalled = true;
      wakeUp?.();
    },
    isCalled: () => isCalled,
    /** A read covers all calls made before it begins. */
    answer: (): void => {
      isCalled = false;
    },
    /** Ends early if a read is requested. Rejects with the signal's reason if the signal aborts. */
    sleep: async (milliseconds: number): Promise<void> => {
      const sleeping = childOf(signal);
      wakeUp = (): void => sleeping.abort("called");
      try {
        await clock.sleep(milliseconds, sleeping.signal).catch(() => signal.throwIfAborted());
      } finally {
        wakeUp = undefined;
        sleeping.release();
      }
    },
  };
}

/** Milliseconds between reads: with a stream, which may miss events, and without a stream. */
export const idlePollMs = 60_000;
export const fallbackPollMs = 15_000;

/** Milliseconds before the next attempt if a host does not exist or is not a streaming host. */
const absence = 60_000;

/**
 * Requests a read for every event without inspecting its data. Each event costs a credit. Throws what `keepOpen`
 * throws, unless the host was never reached or is not a streaming host: reads then continue without the stream.
 */
export async function listenForCalls(
  opening: Opening & Pick<Subscription, "subjects"> & { readonly ledger: EventLedger },
  wake: Wake,
  handlers: Omit<ConnectionHandlers, "events" | "charged" | "lost" | "stray">,
  signal: AbortSignal,
): Promise<never> {
  const { context, ledger } = opening;
  const open = openerOf({ ...opening, feed, kind: feed.kinds[0], params: new Map() });
  const limits = { ...defaultLimits, feed };
  const connection: ConnectionHandlers = {
    ...handlers,
    charged: ledger.delivered,
    lost: () => undefined,
    stray: () => undefined,
    opened: (at, gap, upToDate) => {
      handlers.opened(at, gap, upToDate);
      // Events may have been missed before the stream opened.
      wake.call();
    },
    events: async () => {
      wake.call();
      const spent = await ledger.recorded();
      if (spent !== undefined) throw spent;
    },
  };
  for (;;) {
    try {
      return await keepOpen(context, open, connection, limits, signal);
    } catch (cause) {
      const isAbsent = cause instanceof Failure && (cause.exit === 7 || cause.exit === 1);
      if (!isAbsent || signal.aborted) throw cause;
      handlers.retrying(cause, absence);
      await context.clock.sleep(absence, signal);
    }
  }
}
