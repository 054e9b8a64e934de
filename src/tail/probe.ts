import type { Subject } from "../client/batches.ts";
import type { Context } from "../model/context.ts";
import { Failure } from "../model/failure.ts";
import type { Probe } from "./find-invalid.ts";
import { reconnectWait } from "./reconnect-wait.ts";
import { type Opening, openerOf, type Subscription } from "./subscription.ts";

/** A probe that meets a fault of another kind tries again so often, and then gives that fault up as its answer. */
const tries = 5;

/** Opens a stream for no longer than it takes to learn whether it may be. */
export function probeOf(
  { clock, random }: Pick<Context, "clock" | "random">,
  opening: Opening,
  subscriptionOf: (subjects: readonly Subject[]) => Subscription,
  signal: AbortSignal,
): Probe {
  return async (subjects) => {
    const open = openerOf(opening, subscriptionOf(subjects));
    for (let attempt = 1; ; attempt += 1) {
      try {
        (await open("", signal)).close();
        return undefined;
      } catch (cause) {
        if (!(cause instanceof Failure) || signal.aborted) throw cause;
        if (cause.details.retryable !== true) return cause;
        if (attempt === tries) throw cause;
        await clock.sleep(reconnectWait(attempt, cause, random()), signal);
      }
    }
  };
}
