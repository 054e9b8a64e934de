import { isPlainJson } from "../../json/plain-json.ts";
import { AlikeEvent } from "./alike-event.ts";
import { createByteStore } from "./byte-store.ts";
import { EventData } from "./event-data.ts";
import { endOfName, fieldOf, fields, stands } from "./field-names.ts";
import { findByte } from "./find-byte.ts";
import { KnownText } from "./known-text.ts";
import { type EventId, idOf, type StreamEvent } from "./stream-event.ts";

export interface EventStreamParser {
  /** Takes the next bytes of the stream, cut anywhere; gives the events that they complete. */
  readonly push: (chunk: Buffer) => readonly StreamEvent[];
  /** The standard's last event ID; undefined until the stream has sent one. */
  readonly lastEventId: () => string | undefined;
  /** Milliseconds of the last `retry` field. */
  readonly retry: () => number | undefined;
  /** Whether an event was given up because its end did not arrive; nothing more is read. */
  readonly hasOverflown: () => boolean;
}

/** One line or one event may have as many bytes: no event of the service comes near. */
const mostBytes = 1024 * 1024;
const [LF, CR, SPACE, COLON] = [0x0a, 0x0d, 0x20, 0x3a];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const noBytes = Buffer.alloc(0);
const noEvents: readonly StreamEvent[] = [];

/**
 * The event-stream format of the WHATWG HTML standard (Server-sent events, parsing and interpreting an event stream),
 * without I/O. It works on bytes: all that has a meaning there is ASCII, which in UTF-8 is never part of another
 * character, so lines may be cut before they are decoded.
 *
 * An event larger than the cap is skipped: it is returned without its data (`isSkipped`), and the next events are read.
 */
export function createEventStreamParser(cap = mostBytes): EventStreamParser {
  /** The beginning of a line whose end has not come. */
  const begun = createByteStore();
  const alike = new AlikeEvent();
  const knownName = new KnownText();
  let skipsLineFeed = false;
  let isFirstLine = true;
  /** No line has come of the event that comes next. */
  let isBetween = false;
  /** The line in progress is longer than the cap, and the rest of it is skipped. A comment is not part of its event. */
  let longLine: "comment" | "field" | undefined;

  const data = new EventData(cap);
  let name = "";
  let requestId: EventId | undefined;
  let idBuffer: EventId | undefined;
  let lastEventId: EventId | undefined;
  let retry: number | undefined;

  /** The line whose end has just come: mostly a part of the chunk, looked at where it lies. */
  let line: Buffer = noBytes;
  let [lineStart, lineEnd] = [0, 0];
  /** Its bytes will be written over by the next line that comes in pieces. */
  let isLent = false;
  const takeLine = (chunk: Buffer, from: number, to: number): void => {
    line = chunk;
    isLent = false;
    isBetween = false;
    lineStart = from;
    lineEnd = to;
    if (begun.length() > 0) {
      if (to > from) begun.add(chunk.subarray(from, to));
      isLent = true;
      lineStart = 0;
      lineEnd = begun.length();
      line = begun.lendRoom();
    }
    if (lineEnd - lineStart > cap) longLine = kindOf(line[lineStart]);
    if (!isFirstLine) return;
    isFirstLine = false;
    // One byte order mark at the very beginning is no part of the stream.
    if (lineEnd - lineStart >= 3 && stands(byteOrderMark, line, lineStart)) lineStart += 3;
  };

  /** Skips these bytes of the long line. */
  const skip = (bytes: number): void => {
    if (longLine === "comment") data.skipComment(bytes);
    else data.skip(bytes);
  };

  /** Keeps the beginning of an incomplete line, or skips it where it is too long. */
  const keepOrSkip = (chunk: Buffer, from: number): void => {
    const bytes = begun.length() + chunk.length - from;
    if (longLine === undefined && bytes <= cap) {
      if (from < chunk.length) begun.add(chunk.subarray(from));
      return;
    }
    [isBetween, isFirstLine] = [false, false];
    longLine ??= kindOf(begun.length() > 0 ? begun.lendRoom()[0] : chunk[from]);
    skip(bytes);
  };

  /** "Dispatch the event": an event without a data line is none, but its id counts. */
  const dispatch = (events: StreamEvent[]): void => {
    lastEventId = idBuffer;
    data.finish();
    const { bytes, start, end } = data;
    if (bytes !== undefined) {
      events.push({
        name: name === "" ? "message" : name,
        bytes,
        start,
        end,
        isPlainJson: isPlainJson(bytes, start, end),
        id: lastEventId ?? "",
        requestId,
      });
    }
    data.clear();
    name = "";
    requestId = undefined;
    isBetween = true;
  };

  /** "Process the field": names are compared whole and in their letter case; others mean nothing. */
  const field = (bytes: Buffer, start: number, end: number): void => {
    const colon = endOfName(bytes, start, end);
    const hasSpace = colon + 1 < end && bytes[colon + 1] === SPACE;
    const from = Math.min(end, colon + (hasSpace ? 2 : 1));
    switch (fieldOf(bytes, start, colon)) {
      case fields.data:
        return data.add(bytes, from, end, isLent);
      case fields.event:
        name = knownName.of(bytes, from, end);
        return;
      case fields.requestId:
        requestId = idOf(bytes, from, end);
        return;
      case fields.id: {
        const id = idOf(bytes, from, end);
        if (typeof id === "number" || !id.includes("\0")) idBuffer = id;
        return;
      }
      case fields.retry:
        retry = readDigits(bytes.toString("latin1", from, end)) ?? retry;
        return;
      case undefined:
        return;
    }
  };

  /** Behind an event like the one before, which is taken with all of its lines; -1 where it is another one. */
  const takeAlike = (chunk: Buffer, at: number, events: StreamEvent[]): number => {
    const end = alike.endAt(chunk, at);
    if (end < 0 || end - at > cap) return -1;
    idBuffer = alike.id ?? idBuffer;
    lastEventId = idBuffer;
    events.push({
      name: alike.name === "" ? "message" : alike.name,
      bytes: chunk,
      start: alike.start,
      end: alike.end,
      isPlainJson: true,
      id: lastEventId ?? "",
      requestId: alike.requestId,
    });
    return end;
  };

  const pushChunk = (chunk: Buffer): readonly StreamEvent[] => {
    if (data.hasOverflown() || chunk.length === 0) return noEvents;
    const events: StreamEvent[] = [];
    let start = skipsLineFeed && chunk[0] === LF ? 1 : 0;
    skipsLineFeed = false;
    // Each is looked for anew only behind the last one, so that a chunk is searched once for either.
    let [nextLf, nextCr] = [-1, -1];
    /** Where the event under way began; negative where that was in an earlier chunk. */
    let eventStart = -1;
    while (start < chunk.length) {
      if (isBetween && begun.length() === 0) {
        eventStart = start;
        const behind = takeAlike(chunk, start, events);
        if (behind > 0) {
          start = behind;
          continue;
        }
      }
      if (nextLf < start) nextLf = findByte(chunk, LF, start);
      if (nextCr < start) nextCr = findByte(chunk, CR, start);
      const end = Math.min(nextLf, nextCr);
      if (end === chunk.length) break;
      const isRest = longLine !== undefined;
      if (!isRest) takeLine(chunk, start, end);
      const lineBytes = isRest ? end - start : lineEnd - lineStart;
      start = end + 1;
      if (end === nextCr) {
        // CR LF is one end of line, also where a chunk ends between the two.
        if (start === chunk.length) skipsLineFeed = true;
        else if (chunk[start] === LF) start += 1;
      }
      if (longLine !== undefined) {
        skip(lineBytes);
        longLine = undefined;
        // It would keep its chunk in memory.
        line = noBytes;
      } else if (lineBytes === 0) {
        if (data.bytes !== undefined && eventStart >= 0) alike.learn(chunk, eventStart, start, name);
        dispatch(events);
      } else field(line, lineStart, lineEnd);
      if (data.hasOverflown()) break;
    }
    if (!data.hasOverflown()) keepOrSkip(chunk, start);
    if (data.hasOverflown()) forget();
    alike.leave();
    return events;
  };

  /** A byte inside a line is kept at once: a sender that flushes each byte makes millions of them. */
  const push = (chunk: Buffer): readonly StreamEvent[] => {
    const only = chunk.length === 1 ? (chunk[0] ?? LF) : LF;
    const isInside = only !== LF && only !== CR && longLine === undefined;
    if (!isInside || !begun.tryByte(only, cap)) return pushChunk(chunk);
    skipsLineFeed = false;
    return noEvents;
  };

  const forget = (): void => {
    line = noBytes;
    begun.take();
    data.forget();
  };

  return {
    push,
    lastEventId: () => (lastEventId === undefined ? undefined : String(lastEventId)),
    retry: () => retry,
    hasOverflown: () => data.hasOverflown(),
  };
}

function kindOf(firstByte: number | undefined): "comment" | "field" {
  return firstByte === COLON ? "comment" : "field";
}

/** ASCII digits only, as the standard has it: a sign, a point or a space makes it invalid. */
function readDigits(text: string): number | undefined {
  return /^\d+$/u.test(text) ? Number(text) : undefined;
}
