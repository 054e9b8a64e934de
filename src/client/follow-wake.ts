import { childOf, type Context } from "../base/context/context.ts";
import { Failure } from "../base/failure.ts";
import { feeds } from "../api/feeds.ts";
import { keepOpen } from "./live/keep-open.ts";
import { isOfIntermediary } from "./retry.ts";
import { openerOf } from "./live/subscription.ts";
import type { ConnectionHandlers } from "./live/listen.ts";
import { defaultLimits, type Opening, type Subscription } from "./stream-options.ts";
import type { EventLedger } from "./credit-budget.ts";

/** Minimum milliseconds between reads of a busy pool. The plan's rate limit may increase it. */
const shortestGap = 2000;
/** An event may arrive before REST has its row, so a read without new rows is repeated. */
const repeats = 3;
const repeatGap = 3000;

export type Schedule = ReturnType<typeof createSchedule>;

/** When a list is read. `idle` returns milliseconds from one read to the next if none is requested; it may change. */
export function createSchedule({ clock, signal }: Pick<Context, "clock" | "signal">, idle: () => number) {
  let [isCalled, failures, backoff, owed] = [false, 0, 0, 0];
  let began = clock.elapsed();
  let ended = began;
  let wakeUp: (() => void) | undefined;

  const due = (wantedAt: number, differsAt: number): number => {
    if (failures > 0) return ended + backoff;
    const reasons = [began + idle(), wantedAt];
    if (isCalled) reasons.push(ended);
    if (owed > 0) reasons.push(ended + repeatGap);
    return Math.max(Math.min(...reasons), ended + shortestGap, differsAt);
  };

  return {
    /** Requests a read. All calls before the next read count as one. */
    call: (): void => {
      isCalled = true;
      wakeUp?.();
    },
    /** A read covers all calls made before it begins. Returns when that is, on the monotonic clock. */
    begin: (): number => {
      isCalled = false;
      began = clock.elapsed();
      return began;
    },
    succeeded: (rows: number): void => {
      failures = 0;
      ended = clock.elapsed();
      owed = rows > 0 ? 0 : Math.max(0, owed - 1);
    },
    failed: (waitMilliseconds: number): void => {
      failures += 1;
      backoff = waitMilliseconds;
      ended = clock.elapsed();
    },
    failures: () => failures,
    /**
     * Both times are on the monotonic clock: when a held row may be written or a doubtful response is checked, infinite
     * without either, and when a read can return something new. Rejects with the signal's reason if the signal aborts.
     */
    untilDue: async (wantedAt: () => number, differsAt: () => number): Promise<void> => {
      const left = (): number => due(wantedAt(), differsAt()) - clock.elapsed();
      for (let wait = left(); wait > 0; wait = left()) {
        const sleeping = childOf(signal);
        wakeUp = (): void => sleeping.abort("called");
        const sleep = clock.sleep(wait, sleeping.signal);
        await sleep.catch(() => signal.throwIfAborted()).finally(sleeping.release);
      }
      if (isCalled) owed = repeats;
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
  call: () => void,
  handlers: Omit<ConnectionHandlers, "events" | "charged" | "lost" | "stray">,
  signal: AbortSignal,
): Promise<never> {
  const { context, ledger } = opening;
  const feed = feeds.transactions;
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
      call();
    },
    events: async () => {
      call();
      const spent = await ledger.recorded();
      if (spent !== undefined) throw spent;
    },
  };
  for (;;) {
    try {
      return await keepOpen(context, open, connection, limits, signal);
    } catch (cause) {
      const isAbsent =
        cause instanceof Failure && (cause.exit === 7 || cause.exit === 1 || isOfIntermediary(cause));
      if (!isAbsent || signal.aborted) throw cause;
      handlers.retrying(cause, absence);
      await context.clock.sleep(absence, signal);
    }
  }
}
