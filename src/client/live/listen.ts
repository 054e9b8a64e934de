import type { ChunkStream } from "../streams/connection.ts";
import { EventStreamParser, maxSkippedBytes } from "../streams/event-stream.ts";
import { dataOf, type StreamEvent, withoutChunk } from "../stream-event.ts";
import type { Clock } from "../../base/context/context.ts";
import { fail, Failure } from "../../base/failure.ts";
import { finderOf } from "../../base/json/field-finder.ts";
import type { ConnectionWatch } from "./connection-watch.ts";
import { unlessAborted } from "../ending.ts";
import { momentOf } from "../gap.ts";
import { streamError, textOf } from "./stream-message.ts";
import type { UpToDate } from "./up-to-date.ts";
import type { ConnectionHandlers } from "./connection-handlers.ts";
import { shortened } from "../../base/text/words.ts";
import type { ConnectionOptions } from "../stream-options.ts";

const mebibyte = 1024 * 1024;

interface Listening {
  readonly handlers: ConnectionHandlers;
  readonly limits: ConnectionOptions;
  readonly signal: AbortSignal;
  /** The newest event passed on that has an id; this connection resumes there. */
  readonly newest: StreamEvent | undefined;
  /** The service sends pings, so silence is not hidden by the comments of a proxy. */
  readonly hasPings: boolean;
  readonly upToDate: UpToDate;
  readonly watch: ConnectionWatch;
}

/** Throws only errors of a handler and the signal's reason. */
export async function listen(clock: Clock, connection: ChunkStream, listening: Listening) {
  const { handlers, limits, signal, upToDate, watch } = listening;
  const { events: dataNames, hasTimeIds } = limits.feed;
  const parser = new EventStreamParser(limits.largestEvent, finderOf(limits.fields));
  let stopped: Failure | undefined;
  let newest = listening.newest;
  let repeated = listening.newest;
  let { hasPings } = listening;
  let [hasData, strayLines, pauses] = [false, 0, 0];
  const present = serviceTime(clock, connection, limits.now);
  watch.start(
    (failure) => {
      stopped = failure;
      connection.close();
    },
    () => upToDate.doubt(),
  );
  /** `lastEventId` is empty if the stream has reset it, and undefined if there was none. */
  const over = (failure: Failure) => {
    const [lastEventId, retry] = [parser.lastEventId(), parser.retry];
    return { failure, newest, hasData, hasPings, lastEventId, retry };
  };
  /** Some services resume at the last event of the previous connection instead of after it. */
  const isFresh = (event: StreamEvent): boolean => {
    const isRepeated = repeated !== undefined && isSame(event, repeated);
    repeated = undefined;
    const isNoPlace = hasTimeIds && (isOlder(event, newest) || isAhead(event, present()));
    if (!isRepeated && event.id !== "" && !isNoPlace) newest = event;
    return !isRepeated;
  };

  signal.addEventListener("abort", connection.close, { once: true });
  try {
    for (;;) {
      const paused = connection.chunks.pauses();
      if (paused !== pauses) upToDate.doubt();
      pauses = paused;
      upToDate.reading();
      const next = await connection.chunks.next().catch((cause: unknown) => {
        if (cause instanceof Failure) return cause;
        throw cause;
      });
      if (signal.aborted) throw signal.reason;
      if (next instanceof Failure) return over(stopped ?? next);
      if (next.done === true)
        return over(stopped ?? fail("stream_ended", "the service ended the stream", { next: undefined }));
      const at = momentOf(clock);
      const { data, others, error } = sortEvents(next.value, parser, dataNames);
      const hasPing = others.some(({ name }) => name === "ping");
      hasPings ||= hasPing;
      const isHeard = !hasPings || data.length > 0 || others.length > 0;
      if (isHeard) watch.dataReceived();
      upToDate.read(data.length > 0 || hasPing, isHeard);
      if (parser.strayLines > strayLines) handlers.stray(parser.strayLines - strayLines);
      ({ strayLines } = parser);
      if (data.length > 0) handlers.charged(data.length);
      const fresh = data.filter(isFresh);
      if (fresh.length > 0) {
        hasData = true;
        watch.pause();
        upToDate.delivering();
        await unlessAborted(handlers.events(fresh, at), signal);
        upToDate.delivered();
        watch.resume();
        // Copied only after the batch is processed; otherwise, chunks that V8 collects late would accumulate.
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

function tellOthers(others: readonly StreamEvent[], { said }: Pick<ConnectionHandlers, "said">): void {
  for (const event of others) {
    if (event.name === "warning") said("warning", textOf(event));
    else if (event.name !== "ping") said("unknown", shortened(event.name));
  }
}

/** Events after an error are ignored. */
function sortEvents(chunks: readonly Buffer[], parser: EventStreamParser, dataNames: ReadonlySet<string>) {
  const data: StreamEvent[] = [];
  const others: StreamEvent[] = [];
  for (const chunk of chunks) {
    for (const event of parser.push(chunk)) {
      if (dataNames.has(event.name)) data.push(event);
      else if (event.name === "error") return { data, others, error: event };
      else others.push(event);
    }
  }
  return { data, others, error: undefined };
}

function isSame(event: StreamEvent, other: StreamEvent): boolean {
  return event.id === other.id && dataOf(event).equals(dataOf(other));
}

function isOlder(event: StreamEvent, newest: StreamEvent | undefined): boolean {
  return newest !== undefined && Number(event.id) < Number(newest.id);
}

/** In seconds: the longest interval of a candle (wire-facts 5.2). */
const longestInterval = 60;

/** A stream that resumes in the future has no events. Such an ID may be in milliseconds by mistake. */
function isAhead(event: StreamEvent, present: number): boolean {
  return Number(event.id) > present / 1000 + longestInterval;
}

/** In milliseconds since the epoch. The local clock may be slow. */
function serviceTime(clock: Clock, { headers }: ChunkStream, now = clock.now): () => number {
  const date = Date.parse(headers.get("date") ?? "");
  const opened = clock.elapsed();
  return () => Math.max(now(), Number.isNaN(date) ? 0 : date + clock.elapsed() - opened);
}

/** Without this limit, an event that never ends would block all later events. */
function overflow(): Failure {
  return fail("untrusted_answer", `the service sent an event larger than ${maxSkippedBytes / mebibyte} MiB`, {
    next: undefined,
    retryable: true,
  });
}
