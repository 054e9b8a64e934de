import type { EventLedger } from "../spending/ledger.ts";
import { childOf } from "../../base/context/child-signal.ts";
import type { Clock, Context } from "../../base/context/context.ts";
import { Failure } from "../../base/failure.ts";
import { transactionsFeed } from "../../api/feeds/transactions-feed.ts";
import { defaultSilence, keepOpen } from "../live/shard.ts";
import type { ShardHandlers } from "../live/shard-handlers.ts";
import type { OpenShard } from "../live/subscription.ts";

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
        await clock.sleep(milliseconds, sleeping.signal);
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        if (!sleeping.signal.aborted) throw cause;
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
/** Minimum milliseconds between reads of a busy pool. The plan's rate limit may increase it. */
const shortestGap = 2000;
/** An event may arrive before REST has its row, so a read without new rows is repeated. */
const repeats = 3;
const repeatGap = 3000;

/** Times on the monotonic clock; infinite without such a reason. */
interface Reasons {
  /** When a held row may be written. */
  readonly nextDue: () => number;
  /** When a doubtful response is checked. */
  readonly recheckAt: () => number;
  /** When a read can return something new. */
  readonly differsAt: () => number;
}

/** `idle` returns the milliseconds from one read to the next if no read is requested. */
export function createSchedule(
  clock: Pick<Clock, "elapsed">,
  wake: Wake,
  idle: () => number,
  { nextDue, recheckAt, differsAt }: Reasons,
) {
  let failures = 0;
  let began = clock.elapsed();
  let ended = began;
  let backoff = 0;
  let owed = 0;

  const due = (): number => {
    if (failures > 0) return ended + backoff;
    const reasons = [began + idle(), nextDue(), recheckAt()];
    if (wake.isCalled()) reasons.push(ended);
    if (owed > 0) reasons.push(ended + repeatGap);
    return Math.max(Math.min(...reasons), ended + shortestGap, differsAt());
  };

  return {
    succeeded: (from: number, rows: number): void => {
      failures = 0;
      [began, ended] = [from, clock.elapsed()];
      owed = rows > 0 ? 0 : Math.max(0, owed - 1);
    },
    failed: (waitMilliseconds: number): void => {
      failures += 1;
      backoff = waitMilliseconds;
      ended = clock.elapsed();
    },
    failures: () => failures,
    untilDue: async (): Promise<void> => {
      for (let wait = due() - clock.elapsed(); wait > 0; wait = due() - clock.elapsed()) {
        await wake.sleep(wait);
      }
      if (wake.isCalled()) owed = repeats;
    },
  };
}

/** Milliseconds before the next attempt if a host does not exist or is not a streaming host. */
const absence = 60_000;

/**
 * Requests a read for every event without inspecting its data. Each event costs a credit. Throws what `keepOpen`
 * throws, unless the host was never reached or is not a streaming host: reads then continue without the stream.
 */
export async function listenForCalls(
  context: Pick<Context, "clock" | "random">,
  open: OpenShard,
  { wake, ledger }: { readonly wake: Wake; readonly ledger: EventLedger },
  handlers: Omit<ShardHandlers, "events" | "charged">,
  signal: AbortSignal,
): Promise<never> {
  const limits = { feed: transactionsFeed, silence: defaultSilence, maxReconnects: undefined };
  const shard: ShardHandlers = {
    ...handlers,
    charged: ledger.delivered,
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
      return await keepOpen(context, open, shard, limits, signal);
    } catch (cause) {
      const isAbsent = cause instanceof Failure && (cause.exit === 7 || cause.exit === 1);
      if (!isAbsent || signal.aborted) throw cause;
      handlers.retrying(cause, absence);
      await context.clock.sleep(absence, signal);
    }
  }
}
