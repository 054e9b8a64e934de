import type { Connection } from "../client/streams/connection.ts";
import { maxSkippedBytes } from "../client/streams/event-builder.ts";
import { EventStreamParser } from "../client/streams/event-stream-parser.ts";
import { dataOf, type StreamEvent, withoutChunk } from "../client/streams/received-event.ts";
import type { Clock } from "../context/context.ts";
import { fail, Failure } from "../contract/failure.ts";
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
  /** The last event ID; empty where the stream reset it, undefined where it sent none. */
  readonly lastEventId: string | undefined;
  /** Milliseconds of its last `retry` field. */
  readonly retry: number | undefined;
}

/** Listens to one connection until it is over. Throws only what a handler threw, and the signal's reason. */
export async function listen(clock: Clock, connection: Connection, listening: Listening): Promise<Heard> {
  const { handlers, limits, signal } = listening;
  const { events: names, hasTimeIds } = limits.feed;
  const parser = new EventStreamParser(limits.largestEvent);
  let stopped: Failure | undefined;
  let last = momentOf(clock);
  let newest = listening.newest;
  let repeated = listening.newest;
  let hasData = false;
  const noteNewest = (event: StreamEvent): void => {
    if (event.id !== "" && !(hasTimeIds && isOlder(event, newest))) newest = event;
  };
  /** Not where the service goes on at the last event rather than behind it. */
  const isFresh = (event: StreamEvent): boolean => {
    if (repeated !== undefined && isSame(event, repeated)) {
      repeated = undefined;
      return false;
    }
    noteNewest(event);
    return true;
  };
  const over = (failure: Failure): Heard => {
    const away = watch.awaySince();
    const isLater = away !== undefined && away.elapsed <= last.elapsed;
    const [lastEventId, retry] = [parser.lastEventId(), parser.retry()];
    return { failure, last: isLater ? away : last, newest, hasData, lastEventId, retry };
  };
  const watch = watchOver(clock, limits.silence, (failure) => {
    stopped = failure;
    connection.close();
  });

  const isData = ({ name }: StreamEvent): boolean => names.has(name);
  const sort = (events: readonly StreamEvent[], sorted: Sorted): void => {
    if (events.length === 0) return;
    // Of most chunks all are data: no other list is made of them.
    if (sorted.data.length === 0 && repeated === undefined && events.every(isData)) {
      for (const event of events) noteNewest(event);
      sorted.data = events;
      sorted.charged += events.length;
      return;
    }
    const data = [...sorted.data];
    sorted.data = data;
    for (const event of events) {
      if (isData(event)) {
        sorted.charged += 1;
        if (isFresh(event)) data.push(event);
      } else if (event.name === "error") {
        sorted.error = event;
        return;
      } else sorted.others.push(event);
    }
  };
  /** The events of what has come, by what becomes of them. An error is the last one that counts. */
  const parse = (chunks: readonly Buffer[]): Sorted => {
    const sorted: Sorted = { data: [], charged: 0, others: [], error: undefined };
    for (const chunk of chunks) {
      if (sorted.error === undefined) sort(parser.push(chunk), sorted);
    }
    return sorted;
  };

  signal.addEventListener("abort", connection.close, { once: true });
  try {
    for (;;) {
      const next = await connection.chunks.next().catch(asFailure);
      if (signal.aborted) throw signal.reason;
      if (next instanceof Failure || next.done === true) {
        return over(stopped ?? (next instanceof Failure ? next : ended()));
      }
      last = momentOf(clock);
      watch.heard();
      const { data, charged, others, error } = parse(next.value);
      if (charged > 0) handlers.charged?.(charged);
      if (data.length > 0) {
        hasData = true;
        watch.pause();
        await unlessAborted(handlers.events(data, last), signal);
        watch.resume();
        // Behind what somebody waits for. The chunks themselves would pile up where V8 collects last.
        if (newest !== undefined) newest = withoutChunk(newest);
      }
      tellOthers(others, handlers);
      if (error !== undefined) {
        handlers.said("error", textOf(error));
        return over(streamError(error));
      }
      if (parser.hasOverflown()) return over(overflow());
    }
  } finally {
    watch.release();
    signal.removeEventListener("abort", connection.close);
    connection.close();
  }
}

interface Sorted {
  /** What is handed on. */
  data: readonly StreamEvent[];
  /** So many data events came. */
  charged: number;
  readonly others: StreamEvent[];
  error: StreamEvent | undefined;
}

function tellOthers(events: readonly StreamEvent[], handlers: ShardHandlers): void {
  for (const event of events) {
    if (event.name === "ping") continue;
    if (event.name === "warning") handlers.said("warning", textOf(event));
    else handlers.said("unknown", shortened(event.name));
  }
}

function isSame(event: StreamEvent, other: StreamEvent): boolean {
  return event.id === other.id && dataOf(event).equals(dataOf(other));
}

function isOlder(event: StreamEvent, newest: StreamEvent | undefined): boolean {
  return newest !== undefined && Number(event.id) < Number(newest.id);
}

function asFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  throw cause;
}

function ended(): Failure {
  return fail("stream_ended", "the service ended the stream", { next: undefined });
}

/** Skipping an event has to end somewhere: behind one without an end nothing would ever come. */
function overflow(): Failure {
  return fail("untrusted_answer", `the service sent an event larger than ${maxSkippedBytes / mebibyte} MiB`, {
    next: undefined,
    retryable: true,
  });
}
