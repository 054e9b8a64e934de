import type { Connection } from "../client/streams/connection.ts";
import { createEventStreamParser, type StreamEvent } from "../client/streams/event-stream.ts";
import type { Clock } from "../model/context.ts";
import { Failure } from "../model/failure.ts";
import { type Moment, momentOf } from "./moment.ts";
import type { ShardHandlers, ShardLimits } from "./shard.ts";
import { shortened, streamError, textOf } from "./stream-message.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { watchOver } from "./watch.ts";

const mebibyte = 1024 * 1024;

export interface Listening {
  readonly handlers: ShardHandlers;
  readonly limits: ShardLimits;
  readonly signal: AbortSignal;
  /** The newest event with an id that was handed on before: where this connection goes on. */
  readonly newest: StreamEvent | undefined;
}

export interface Heard {
  /** Why the connection is over. */
  readonly failure: Failure;
  /** The last byte, or the opening where none came; no later than the machine went away. */
  readonly last: Moment;
  readonly newest: StreamEvent | undefined;
  readonly hasData: boolean;
}

/** Listens to one connection until it is over. Throws only what a handler threw, and the signal's reason. */
export async function listen(clock: Clock, connection: Connection, listening: Listening): Promise<Heard> {
  const { handlers, limits, signal } = listening;
  const parser = createEventStreamParser(limits.largestEvent);
  let stopped: Failure | undefined;
  let last = momentOf(clock);
  let newest = listening.newest;
  let repeated = listening.newest;
  let hasData = false;
  const isData = ({ name }: StreamEvent): boolean => limits.names.has(name);
  const isRepeated = ({ id, data }: StreamEvent): boolean =>
    repeated !== undefined && id === repeated.id && data.equals(repeated.data);
  const over = (failure: Failure): Heard => {
    const away = watch.awaySince();
    const isLater = away !== undefined && away.elapsed <= last.elapsed;
    return { failure, last: isLater ? away : last, newest, hasData };
  };
  const watch = watchOver(clock, limits.silence, (failure) => {
    stopped = failure;
    connection.close();
  });

  /** Without the event that comes again because the service goes on at the last one rather than behind it. */
  const sift = (events: readonly StreamEvent[]): readonly StreamEvent[] => {
    const before = newest;
    const again = events.findIndex(isRepeated);
    if (again >= 0) repeated = undefined;
    const fresh = again < 0 ? events : events.filter((_, index) => index !== again);
    for (const event of fresh) if (isNewer(event, newest)) newest = event;
    // A part of the chunk would keep all of it.
    if (newest !== undefined && newest !== before) newest = { ...newest, data: Buffer.from(newest.data) };
    return fresh;
  };

  signal.addEventListener("abort", connection.close, { once: true });
  const chunks = connection.chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch(asFailure);
      if (signal.aborted) throw signal.reason;
      if (next instanceof Failure || next.done === true) {
        return over(stopped ?? (next instanceof Failure ? next : ended()));
      }
      last = momentOf(clock);
      watch.heard();
      const events = parser.push(next.value);
      const error = events.findIndex(({ name }) => name === "error");
      const whole = error < 0 ? events : events.slice(0, error);
      const charged = whole.every(isData) ? whole : whole.filter(isData);
      if (charged.length > 0) handlers.charged?.(charged.length);
      const data = sift(charged);
      if (data.length > 0) {
        hasData = true;
        watch.pause();
        await unlessAborted(handlers.events(data, last), signal);
        watch.resume();
      }
      if (charged.length < whole.length) tellOthers(whole, limits.names, handlers);
      const final = events[error];
      if (final !== undefined) {
        handlers.said("error", textOf(final));
        return over(streamError(final));
      }
      if (parser.hasOverflown()) return over(overflow(limits.largestEvent));
    }
  } finally {
    watch.release();
    signal.removeEventListener("abort", connection.close);
    connection.close();
  }
}

function tellOthers(
  events: readonly StreamEvent[],
  names: ReadonlySet<string>,
  handlers: ShardHandlers,
): void {
  for (const event of events) {
    if (names.has(event.name) || event.name === "ping") continue;
    if (event.name === "warning") handlers.said("warning", textOf(event));
    else handlers.said("unknown", shortened(event.name));
  }
}

/** Ids are instants: one that goes back belongs to a correction of something older. */
function isNewer(event: StreamEvent, newest: StreamEvent | undefined): boolean {
  return event.id !== "" && (newest === undefined || !(Number(event.id) < Number(newest.id)));
}

function asFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  throw cause;
}

function ended(): Failure {
  return new Failure("the service ended the stream", { exit: 8, code: "stream_ended", retryable: true });
}

function overflow(largest: number | undefined): Failure {
  return new Failure(`an event of more than ${(largest ?? mebibyte) / mebibyte} MiB came`, {
    exit: 1,
    code: "untrusted_answer",
    retryable: true,
    ...(largest !== undefined && { next: "where such events are meant to come, allow them: --max-event" }),
  });
}
