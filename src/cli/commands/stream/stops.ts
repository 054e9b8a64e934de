import { formatDuration } from "../../../api/duration.ts";
import type { Clock } from "../../../base/context/context.ts";
import { fail, type Failure } from "../../../base/failure.ts";
import { counted, someOf } from "../../../base/text/words.ts";
import { type Ending, StopReason } from "../../../client/ending.ts";
import type { Connection, LiveHandlers } from "../../../client/stream-options.ts";
import { nameOf } from "../../../client/subject.ts";
import { createQuietWatch } from "../../run/quiet-watch.ts";

/** Both limits end the run; `spent` returns its credits so far. */
export function createStops(
  ending: Ending,
  spent: () => number,
  limit = Number.POSITIVE_INFINITY,
  maxCredits = Number.POSITIVE_INFINITY,
) {
  let [events, pendingWrites] = [0, 0];
  let failure: Failure | undefined;

  return {
    ...ending,
    /** The events have already been charged; the wanted ones count as written from now on. */
    take: (count: number): number => {
      const taken = Math.max(0, Math.min(count, limit - events, maxCredits - (spent() - count)));
      events += taken;
      pendingWrites += 1;
      return taken;
    },
    /** The credit for an event that is not written still counts. */
    leftOut: (count = 1): void => {
      events -= count;
    },
    /** Ends the stream if the batch's events reached a limit. `budget` is set if no credit is left. */
    written: (budget?: Failure): void => {
      failure ??= budget;
      pendingWrites -= 1;
      // Pending writes finish in order, so no line from another connection is lost.
      if (pendingWrites > 0) return;
      if (events >= limit) ending.end(new StopReason("limit"));
      else if (failure !== undefined) ending.end(failure);
    },
    counts: () => ({ events, credits: spent() }),
  };
}

/**
 * Ends the stream when any connection, open or not, has had no event for this many milliseconds. A single timer would
 * not detect an idle connection while the others are busy.
 */
export function watchIdle(
  clock: Clock,
  idle: number | undefined,
  { signal, end }: Pick<Ending, "signal" | "end">,
  running: () => readonly Connection[],
  handlers: LiveHandlers,
): LiveHandlers {
  if (idle === undefined) return handlers;
  const numbers = (): readonly number[] => running().map(({ number }) => number);
  const quiet = createQuietWatch(clock, idle, signal, numbers, (silent) => {
    const all = running();
    const found = all.filter(({ number }) => silent.includes(number));
    const names = found.flatMap(({ subjects }) => subjects).map(nameOf);
    const which = found.length === all.length ? "" : ` from ${counted(names.length, "asset")}`;
    const next = `check that each of these is traded, or use a longer --idle-exit: ${someOf(names)}`;
    const body = new Map([["assets_idle", JSON.stringify(names)]]);
    end(fail("idle", `no event${which} for ${formatDuration(idle)} (--idle-exit)`, { next, body }));
  });
  return {
    ...handlers,
    events: async (connection, events, at) => {
      quiet.pause(connection.number);
      await handlers.events(connection, events, at);
      quiet.resume(connection.number);
    },
  };
}
