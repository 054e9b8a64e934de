import { EventStreamParser, maxSkippedBytes } from "../streams/event-stream.ts";
import { dataOf, isData, isSkipped, type StreamEvent, withoutChunk } from "../stream-event.ts";
import { failAsService } from "../../api/service-errors.ts";
import type { Clock } from "../../base/context/context.ts";
import { asFailure, fail, Failure } from "../../base/failure.ts";
import { member, parseJson } from "../../base/json/json-scan.ts";
import { finderOf } from "../../base/json/field-finder.ts";
import { parseHttpDate } from "../http-times.ts";
import { unlessAborted } from "../ending.ts";
import type { ChunkStream } from "./subscription.ts";
import type { UpToDate } from "./up-to-date.ts";
import { shortened } from "../../base/text/words.ts";
import { type Gap, type Moment, momentOf, type ConnectionOptions } from "../stream-options.ts";

const mebibyte = 1024 * 1024;

/** What one connection reports. */
export interface ConnectionHandlers {
  /** After an interruption, `gap` is the period without a connection. */
  readonly opened: (at: Moment, gap: Gap | undefined, upToDate: UpToDate) => void;
  /** A chunk's data events, in order. Awaited, so a slow consumer slows down the socket; an error ends the stream. */
  readonly events: (events: readonly StreamEvent[], at: Moment) => Promise<void>;
  /** The service charges a credit for each data event, even if it is not passed on. */
  readonly charged: (events: number) => void;
  /** The loss may be permanent. `since` is the start of the gap. */
  readonly lost: (since: Moment, failure: Failure) => void;
  /** The connection was lost or could not be opened. The next attempt follows after the wait. */
  readonly retrying: (failure: Failure, waitMilliseconds: number) => void;
  /** Lines arrived that are not part of an event stream. */
  readonly stray: (lines: number) => void;
  /** A message from the service for the user. The text is untrusted. */
  readonly said: (kind: "warning" | "error" | "unknown", text: string) => void;
}

interface Listening {
  readonly handlers: ConnectionHandlers;
  readonly limits: ConnectionOptions;
  readonly signal: AbortSignal;
  /** The newest event passed on that has an id; this connection resumes there. */
  readonly newest: StreamEvent | undefined;
  /** The service sends pings, so silence is not hidden by the comments of a proxy. */
  readonly hasPings: boolean;
  readonly upToDate: UpToDate;
}

/** Throws only errors of a handler and the signal's reason. */
export async function listen(clock: Clock, connection: ChunkStream, listening: Listening) {
  const { handlers, limits, signal, upToDate } = listening;
  const { hasTimeIds } = limits.feed;
  const parser = new EventStreamParser(limits.largestEvent, finderOf(limits.fields));
  let stopped: Failure | undefined;
  let newest = listening.newest;
  let repeated = listening.newest;
  let { hasPings } = listening;
  let [hasData, strayLines, pauses] = [false, 0, 0];
  const present = serviceTime(clock, connection, limits.now);
  const stop = (failure: Failure): void => {
    stopped = failure;
    connection.close();
  };
  upToDate.watch(stop).catch(() => undefined);
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
      const next = await connection.chunks.next().catch(asFailure);
      if (signal.aborted) throw signal.reason;
      if (next instanceof Failure) return over(stopped ?? next);
      if (next.done === true)
        return over(stopped ?? fail("stream_ended", "the service ended the stream", { next: undefined }));
      const at = momentOf(clock);
      const { data, others, error } = sortEvents(next.value, parser, limits.feed);
      const hasPing = others.some(({ name }) => name === "ping");
      hasPings ||= hasPing;
      const isHeard = !hasPings || data.length > 0 || others.length > 0;
      upToDate.read(data.length > 0 || hasPing, isHeard);
      if (parser.strayLines > strayLines) handlers.stray(parser.strayLines - strayLines);
      ({ strayLines } = parser);
      // First, because the events may end the run.
      tellOthers(others, handlers);
      if (data.length > 0) handlers.charged(data.length);
      const fresh = data.filter(isFresh);
      if (fresh.length > 0) {
        hasData = true;
        upToDate.delivering();
        await unlessAborted(handlers.events(fresh, at), signal);
        upToDate.delivered();
        // Copied only after the batch is processed; otherwise, chunks that V8 collects late would accumulate.
        if (newest !== undefined) newest = withoutChunk(newest);
      }
      if (error !== undefined) {
        handlers.said("error", textOf(error));
        return over(streamError(error));
      }
      if (parser.hasOverflown()) return over(overflow());
    }
  } finally {
    upToDate.release();
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
function sortEvents(chunks: readonly Buffer[], parser: EventStreamParser, feed: ConnectionOptions["feed"]) {
  const data: StreamEvent[] = [];
  const others: StreamEvent[] = [];
  for (const chunk of chunks) {
    for (const event of parser.push(chunk)) {
      if (isData(event, feed)) data.push(event);
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
  const date = parseHttpDate(headers.get("date") ?? "");
  const opened = clock.elapsed();
  return () => Math.max(now(), date === undefined ? 0 : date + clock.elapsed() - opened);
}

/** Without this limit, an event that never ends would block all later events. */
function overflow(): Failure {
  return fail("untrusted_answer", `the service sent an event larger than ${maxSkippedBytes / mebibyte} MiB`, {
    next: undefined,
    retryable: true,
  });
}

/** The event's `message`, or all of its data if it has none. The text is untrusted. */
function textOf(event: StreamEvent): string {
  if (isSkipped(event)) return "(larger than the limit)";
  const text = dataOf(event).toString("utf8");
  const message = member(parseJson(text), "message");
  return shortened((typeof message === "string" ? message : text).trim()) || "(no message)";
}

/** The client closes the stream and retries (specification, Events 2), unless an asset is unknown. */
export function streamError(event: StreamEvent): Failure {
  const why = textOf(event);
  if (/\btoken not found\b/iu.test(why)) {
    return failAsService("not_found", "one of the assets is unknown to the service", {
      why,
      next: "find the address: dexdata search <name>",
    });
  }
  return fail("stream_error", `the service ended the stream with an error: ${why}`, { next: undefined, why });
}
