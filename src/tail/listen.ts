import type { Connection } from "../client/streams/connection.ts";
import { maxSkippedBytes } from "../client/streams/event-data.ts";
import { createEventStreamParser } from "../client/streams/event-stream.ts";
import { dataOf, type StreamEvent, withoutChunk } from "../client/streams/stream-event.ts";
import type { Clock } from "../context/context.ts";
import { fail, Failure } from "../contract/failure.ts";
import { watchOver } from "./connection-watch.ts";
import { unlessAborted } from "./ending.ts";
import { type Moment, momentOf, type ShardHandlers, type ShardLimits } from "./shard-handlers.ts";
import { shortened, streamError, textOf } from "./stream-message.ts";

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
  const incoming = new Incoming(limits, listening.newest);
  let stopped: Failure | undefined;
  let last = momentOf(clock);
  let hasData = false;
  const watch = watchOver(clock, limits.silence, (failure) => {
    stopped = failure;
    connection.close();
  });
  const over = (failure: Failure): Heard => {
    const away = watch.awaySince();
    const isLater = away !== undefined && away.elapsed <= last.elapsed;
    return { failure, last: isLater ? away : last, hasData, ...incoming.state() };
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
      const { data, charged, others, error } = incoming.parse(next.value);
      if (charged > 0) handlers.charged?.(charged);
      if (data.length > 0) {
        hasData = true;
        watch.pause();
        await unlessAborted(handlers.events(data, last), signal);
        watch.resume();
        incoming.releaseChunks();
      }
      tellOthers(others, handlers);
      if (error !== undefined) {
        handlers.said("error", textOf(error));
        return over(streamError(error));
      }
      if (incoming.hasOverflown()) return over(overflow());
    }
  } finally {
    watch.release();
    signal.removeEventListener("abort", connection.close);
    connection.close();
  }
}

/** The events of some chunks, by what becomes of them. */
interface Sorted {
  /** What is handed on. */
  data: readonly StreamEvent[];
  /** So many data events came. */
  charged: number;
  readonly others: StreamEvent[];
  /** The last one that counts. */
  error: StreamEvent | undefined;
}

/** What one connection brings. */
class Incoming {
  readonly #feed: ShardLimits["feed"];
  readonly #parser: ReturnType<typeof createEventStreamParser>;
  #newest: StreamEvent | undefined;
  /** The event that this connection may begin with once more. */
  #repeated: StreamEvent | undefined;

  constructor({ feed, largestEvent }: ShardLimits, newest: StreamEvent | undefined) {
    this.#feed = feed;
    this.#parser = createEventStreamParser(largestEvent);
    this.#newest = newest;
    this.#repeated = newest;
  }

  parse(chunks: readonly Buffer[]): Sorted {
    const sorted: Sorted = { data: [], charged: 0, others: [], error: undefined };
    for (const chunk of chunks) {
      if (sorted.error === undefined) this.#sort(this.#parser.push(chunk), sorted);
    }
    return sorted;
  }

  hasOverflown(): boolean {
    return this.#parser.hasOverflown();
  }

  state(): Pick<Heard, "newest" | "lastEventId" | "retry"> {
    return { newest: this.#newest, lastEventId: this.#parser.lastEventId(), retry: this.#parser.retry() };
  }

  /** Behind what somebody waits for. The chunks themselves would pile up where V8 collects last. */
  releaseChunks(): void {
    if (this.#newest !== undefined) this.#newest = withoutChunk(this.#newest);
  }

  #sort(events: readonly StreamEvent[], sorted: Sorted): void {
    const isData = ({ name }: StreamEvent): boolean => this.#feed.events.has(name);
    if (events.length === 0) return;
    // Of most chunks all are data: no other list is made of them.
    if (sorted.data.length === 0 && this.#repeated === undefined && events.every(isData)) {
      for (const event of events) this.#noteNewest(event);
      sorted.data = events;
      sorted.charged += events.length;
      return;
    }
    const data = [...sorted.data];
    sorted.data = data;
    for (const event of events) {
      if (isData(event)) {
        sorted.charged += 1;
        if (this.#isFresh(event)) data.push(event);
      } else if (event.name === "error") {
        sorted.error = event;
        return;
      } else sorted.others.push(event);
    }
  }

  /** Not where the service goes on at the last event rather than behind it. */
  #isFresh(event: StreamEvent): boolean {
    if (this.#repeated !== undefined && isSame(event, this.#repeated)) {
      this.#repeated = undefined;
      return false;
    }
    this.#noteNewest(event);
    return true;
  }

  #noteNewest(event: StreamEvent): void {
    if (event.id !== "" && !(this.#feed.hasTimeIds && isOlder(event, this.#newest))) this.#newest = event;
  }
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
