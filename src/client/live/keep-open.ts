import type { StreamEvent } from "../stream-event.ts";
import type { Context } from "../../base/context/context.ts";
import { Failure } from "../../base/failure.ts";
import { watchOver } from "./connection-watch.ts";
import { isOfIntermediary } from "../streams/stream-refusal.ts";
import { listen } from "./listen.ts";
import { counted } from "../../base/text/words.ts";
import { permanentStatuses, Waits } from "./reconnect.ts";
import { gapBetween, type Moment, momentOf } from "../gap.ts";
import type { OpenConnection } from "./subscription.ts";
import { UpToDate } from "./up-to-date.ts";
import type { ConnectionHandlers } from "./connection-handlers.ts";
import type { ConnectionOptions } from "../stream-options.ts";

/** A proxy or gateway sends this status if a request arrived too slowly. */
const requestTimeout = 408;

/**
 * Keeps a stream open. It ends only by throwing: the signal's reason, an error from a handler, or a Failure that
 * another connection would not fix (204, 400, 401, 402, 403, 404, 410, "token not found" in the stream,
 * `maxReconnects`, a wait that is too long, and, before the first opening, a missing host or an invalid response). All
 * other failures lead to a new connection: 408, 429, 5xx, connection errors, silence, an `error` event, a stream that
 * the service ends, and a suspended machine.
 */
export async function keepOpen(
  context: Pick<Context, "clock" | "random">,
  open: OpenConnection,
  handlers: ConnectionHandlers,
  limits: ConnectionOptions,
  signal: AbortSignal,
  waits = new Waits(),
): Promise<never> {
  const { clock, random } = context;
  let lost: { readonly from: Moment; readonly reason: string } | undefined;
  let newest: StreamEvent | undefined;
  let lastEventId = "";
  let wasOpen = false;
  let hasPings = false;

  for (;;) {
    signal.throwIfAborted();
    const attempt = await open(lastEventId, signal).catch((cause: unknown) => {
      if (signal.aborted) throw signal.reason;
      if (cause instanceof Failure) return cause;
      throw cause;
    });
    let failure: Failure;
    if (attempt instanceof Failure) failure = attempt;
    else {
      wasOpen = true;
      const at = momentOf(clock);
      waits.opened(at.elapsed);
      const watch = watchOver(clock, limits.silence);
      const upToDate = new UpToDate(clock, at, watch.isLate);
      handlers.opened(at, lost && gapBetween(lost.from, at, lost.reason), upToDate);
      const heard = await listen(clock, attempt, {
        handlers,
        limits,
        signal,
        newest,
        hasPings,
        upToDate,
        watch,
      });
      failure = heard.failure;
      ({ hasPings } = heard);
      newest = heard.lastEventId === "" ? undefined : heard.newest;
      lastEventId = limits.feed.hasTimeIds ? String(newest?.id ?? "") : (heard.lastEventId ?? lastEventId);
      waits.ended(clock.elapsed(), heard.hasData, heard.retry);
      lost = { from: upToDate.until, reason: failure.message };
      handlers.lost(lost.from, failure);
    }
    waits.attempts += 1;
    const { attempts } = waits;
    if (!isRetried(failure, wasOpen || limits.isHostKnown())) throw failure;
    if (limits.isFinal(failure, attempts)) throw failure;
    const { maxReconnects = Number.POSITIVE_INFINITY } = limits;
    if (attempts > maxReconnects) {
      const next = `stopped after ${counted(maxReconnects, "reconnect")} without data (--max-reconnects)`;
      throw new Failure(failure.message, { ...failure.details, next });
    }
    const wait = waits.after(failure, random());
    handlers.retrying(failure, wait);
    await clock.sleep(wait, signal);
  }
}

/**
 * A host that was reached once is expected to come back, even if a DNS lookup fails now or another server responds in
 * its place. Then only the service itself, in its own form, can refuse a connection permanently.
 */
function isRetried(failure: Failure, isHostKnown: boolean): boolean {
  const { details, exit } = failure;
  const { status, retryable, isOutage } = details;
  if (status === requestTimeout || (status ?? 0) >= 500) return true;
  // A host name that does not exist may be misspelled.
  if (retryable === true && isOutage !== true) return true;
  if (status === undefined) return isHostKnown && (exit === 1 || exit === 7);
  return isHostKnown && (!permanentStatuses.has(status) || isOfIntermediary(failure));
}
