import type { Budget } from "../../client/spending/credit-budget.ts";
import { childOf } from "../../context/child-signal.ts";
import type { Clock, Context } from "../../context/context.ts";
import { Failure } from "../../contract/failure.ts";
import { transactionsFeed } from "../../contract/feeds/transactions-feed.ts";
import { defaultSilence, keepOpen } from "../shard.ts";
import type { ShardHandlers } from "../shard-handlers.ts";
import type { OpenShard } from "../subscription.ts";
import type { HeldRows } from "./known-rows.ts";

export type Wake = ReturnType<typeof createWake>;

/** Lets the wait between two reads end early. */
export function createWake(clock: Clock, signal: AbortSignal) {
  let isCalled = false;
  let wakeUp: (() => void) | undefined;
  return {
    /** There is a reason to read. Any number of calls before the next read count as one. */
    call: (): void => {
      isCalled = true;
      wakeUp?.();
    },
    isCalled: () => isCalled,
    /** A read begins, and covers the calls so far. */
    answer: (): void => {
      isCalled = false;
    },
    /** Sleeps until the time has passed or a call arrives; rejects with the signal's reason when that aborts. */
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

/** Milliseconds between reads without a call: with a stream, which may miss events, and without one. */
export const quietGap = 60_000;
export const substituteGap = 15_000;
/** The least milliseconds between two reads, however busy the pool is. The plan's rate limit may make it more. */
const shortestGap = 2000;
/** An event may arrive before REST has its row: after a read in vain, its call is repeated this often, with this wait. */
const repeats = 3;
const repeatGap = 3000;

export type Schedule = ReturnType<typeof createSchedule>;

/**
 * Decides when the next read begins.
 *
 * @param idle milliseconds from one read to the next without a call
 */
export function createSchedule(
  clock: Pick<Clock, "elapsed">,
  wake: Wake,
  idle: () => number,
  held: HeldRows,
) {
  let failures = 0;
  let began = clock.elapsed();
  let ended = began;
  let backoff = 0;
  let owed = 0;

  const due = (): number => {
    if (failures > 0) return ended + backoff;
    const reasons = [began + idle(), held.nextDue()];
    if (wake.isCalled()) reasons.push(ended);
    if (owed > 0) reasons.push(ended + repeatGap);
    return Math.max(Math.min(...reasons), ended + shortestGap);
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
    /** Consecutive reads that failed. */
    failures: () => failures,
    untilDue: async (): Promise<void> => {
      for (let wait = due() - clock.elapsed(); wait > 0; wait = due() - clock.elapsed()) {
        await wake.sleep(wait);
      }
      if (wake.isCalled()) owed = repeats;
    },
  };
}

/** Milliseconds before another attempt at a host that does not exist, or is not a streaming host. */
const absence = 60_000;

/**
 * Lets the events of a stream call for reads, without looking at their data. Each costs a credit. Ends only by throwing
 * what `keepOpen` throws, except for a host that was never reached or is not a streaming host: reads continue without it.
 */
export async function listenForCalls(
  context: Pick<Context, "clock" | "random">,
  open: OpenShard,
  { wake, budget }: { readonly wake: Wake; readonly budget: Budget },
  handlers: Omit<ShardHandlers, "events">,
  signal: AbortSignal,
): Promise<never> {
  const limits = { feed: transactionsFeed, silence: defaultSilence, maxReconnects: undefined };
  const shard: ShardHandlers = {
    ...handlers,
    opened: (at, gap) => {
      handlers.opened(at, gap);
      // Events may have been missed while the stream was not open.
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
