import { createByteStore } from "./byte-store.ts";
import { createRepeatedLine, stands } from "./repeated-line.ts";

/** One dispatched event of an event stream. */
export interface StreamEvent {
  /** The event's type; "message" where the stream names none. */
  readonly name: string;
  /** UTF-8, lines joined by LF. May hold invalid sequences, which decoding replaces. */
  readonly data: Buffer;
  /** Last `id:` of the stream so far; empty before the first. */
  readonly id: string;
  /** The service's own field, which is no part of the standard. */
  readonly requestId: string | undefined;
}

export interface EventStreamParser {
  /** Takes the next bytes of the stream, cut anywhere; gives the events that they complete. */
  readonly push: (chunk: Buffer) => readonly StreamEvent[];
  /** The standard's, like `retry`: what its vectors check. A tail goes on at the newest event that it handed on. */
  readonly lastEventId: () => string;
  /** Milliseconds of the last `retry:`. The waits of a tail are those of the service's own rules, 1 to 60 s, instead. */
  readonly retry: () => number | undefined;
  /** A line or an event grew beyond the cap: nothing more is read, for what follows could not be trusted. */
  readonly hasOverflown: () => boolean;
}

/** One line or one event may have as many bytes: no event of the service comes near. */
const mostBytes = 1024 * 1024;
const [LF, CR, COLON, SPACE] = [0x0a, 0x0d, 0x3a, 0x20];
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const fields = {
  data: Buffer.from("data"),
  event: Buffer.from("event"),
  id: Buffer.from("id"),
  retry: Buffer.from("retry"),
  requestId: Buffer.from("request_id"),
};
const longestField = 10;
/** By the length of the name. */
const candidates = Array.from({ length: longestField + 2 }, (_, length) =>
  Object.values(fields).find((name) => name.length === length),
);
const noBytes = Buffer.alloc(0);
const noEvents: readonly StreamEvent[] = [];

/**
 * The event-stream format of the WHATWG HTML standard (Server-sent events, parsing and interpreting an event stream),
 * without I/O. It works on bytes: all that has a meaning there is ASCII, which in UTF-8 is never part of another
 * character, so lines may be cut before they are decoded.
 */
export function createEventStreamParser(cap = mostBytes): EventStreamParser {
  /** The beginning of a line whose end has not come. */
  const begun = createByteStore();
  const [nameLine, requestLine] = [createRepeatedLine(), createRepeatedLine()];
  let skipsLineFeed = false;
  let isFirstLine = true;
  let hasOverflown = false;

  /** Most events have one data line, which is given as it came; only several are copied together. */
  let dataLine: Buffer | undefined;
  const dataLines = createByteStore();
  let name = "";
  let requestId: string | undefined;
  let idBuffer = "";
  let lastEventId = "";
  let retry: number | undefined;

  /** The line whose end has just come: mostly a part of the chunk, looked at where it lies. */
  let line: Buffer = noBytes;
  let [lineStart, lineEnd] = [0, 0];
  /** Its bytes will be written over by the next line that comes in pieces. */
  let isLent = false;
  const takeLine = (chunk: Buffer, from: number, to: number): void => {
    line = chunk;
    isLent = false;
    lineStart = from;
    lineEnd = to;
    if (begun.length() > 0) {
      if (to > from) begun.add(chunk.subarray(from, to));
      line = begun.lend();
      isLent = true;
      lineStart = 0;
      lineEnd = line.length;
    }
    hasOverflown = lineEnd - lineStart > cap;
    if (!isFirstLine) return;
    isFirstLine = false;
    // One byte order mark at the very beginning is no part of the stream.
    if (lineEnd - lineStart >= 3 && stands(byteOrderMark, line, lineStart)) lineStart += 3;
  };

  const addData = (data: Buffer): void => {
    if (dataLine === undefined) {
      dataLine = data;
      return;
    }
    if (dataLines.length() === 0) {
      dataLines.add(dataLine);
      // Not the bytes themselves: they would keep the chunk it came in.
      dataLine = noBytes;
    }
    dataLines.addByte(LF);
    dataLines.add(data);
    hasOverflown = dataLines.length() > cap;
  };

  /** "Dispatch the event": an event without a data line is none, but its id counts. */
  const dispatch = (events: StreamEvent[]): void => {
    lastEventId = idBuffer;
    const data = dataLines.length() > 0 ? dataLines.take() : dataLine;
    if (data !== undefined)
      events.push({ name: name === "" ? "message" : name, data, id: lastEventId, requestId });
    dataLine = undefined;
    name = "";
    requestId = undefined;
  };

  /** "Process the field": names are compared whole and in their letter case; others mean nothing. */
  const field = (bytes: Buffer, start: number, end: number): void => {
    const colon = endOfName(bytes, start, end);
    const hasSpace = colon + 1 < end && bytes[colon + 1] === SPACE;
    const from = Math.min(end, colon + (hasSpace ? 2 : 1));
    switch (fieldOf(bytes, start, colon)) {
      case fields.data:
        return addData(isLent ? Buffer.from(bytes.subarray(from, end)) : bytes.subarray(from, end));
      case fields.event:
        nameLine.keep(bytes, start, from, end);
        name = nameLine.value();
        return;
      case fields.requestId:
        requestLine.keep(bytes, start, from, end);
        requestId = requestLine.value();
        return;
      case fields.id: {
        const id = bytes.subarray(from, end);
        if (!id.includes(0)) idBuffer = id.toString("utf8");
        return;
      }
      case fields.retry:
        retry = readDigits(bytes.toString("latin1", from, end)) ?? retry;
        return;
      case undefined:
        return;
    }
  };

  /** Takes a line that is known at first sight: an empty one, or one as it was before. Its length with its LF, else 0. */
  const takeShort = (chunk: Buffer, at: number, events: StreamEvent[]): number => {
    if (chunk[at] === LF) {
      dispatch(events);
      return 1;
    }
    const ofName = nameLine.lengthAt(chunk, at);
    if (ofName > 0) name = nameLine.value();
    const ofRequest = ofName > 0 ? 0 : requestLine.lengthAt(chunk, at);
    if (ofRequest > 0) requestId = requestLine.value();
    return ofName + ofRequest;
  };

  const pushChunk = (chunk: Buffer): readonly StreamEvent[] => {
    if (hasOverflown || chunk.length === 0) return noEvents;
    const events: StreamEvent[] = [];
    let start = skipsLineFeed && chunk[0] === LF ? 1 : 0;
    skipsLineFeed = false;
    // Each is looked for anew only behind the last one, so that a chunk is searched once for either.
    let nextLf = -1;
    let nextCr = find(chunk, CR, start);
    while (start < chunk.length) {
      const short = begun.length() > 0 || isFirstLine ? 0 : takeShort(chunk, start, events);
      start += short;
      if (short > 0) continue;
      if (nextLf < start) nextLf = find(chunk, LF, start);
      if (nextCr < start) nextCr = find(chunk, CR, start);
      const end = Math.min(nextLf, nextCr);
      if (end === chunk.length) break;
      takeLine(chunk, start, end);
      start = end + 1;
      if (end === nextCr) {
        // CR LF is one end of line, also where a chunk ends between the two.
        if (start === chunk.length) skipsLineFeed = true;
        else if (chunk[start] === LF) start += 1;
      }
      if (lineStart === lineEnd) dispatch(events);
      else if (!hasOverflown) field(line, lineStart, lineEnd);
      if (hasOverflown) break;
    }
    if (begun.length() + chunk.length - start > cap) hasOverflown = true;
    if (hasOverflown) forget();
    else if (start < chunk.length) begun.add(chunk.subarray(start));
    return events;
  };

  /** A byte inside a line is kept at once: a sender that flushes each byte makes millions of them. */
  const push = (chunk: Buffer): readonly StreamEvent[] => {
    const only = chunk.length === 1 ? (chunk[0] ?? LF) : LF;
    if (only === LF || only === CR || !begun.tryByte(only, cap)) return pushChunk(chunk);
    skipsLineFeed = false;
    return noEvents;
  };

  const forget = (): void => {
    line = noBytes;
    begun.take();
    dataLines.take();
    dataLine = undefined;
  };

  return { push, lastEventId: () => lastEventId, retry: () => retry, hasOverflown: () => hasOverflown };
}

/** The field of that name. Its length tells all but two of them apart. */
function fieldOf(line: Buffer, start: number, end: number): Buffer | undefined {
  const known = candidates[end - start];
  if (known === undefined) return undefined;
  if (stands(known, line, start)) return known;
  return known === fields.event && stands(fields.retry, line, start) ? fields.retry : undefined;
}

/** Where the colon stands, the end where there is none; somewhere behind the longest name that means anything. */
function endOfName(line: Buffer, from: number, to: number): number {
  const last = Math.min(to, from + longestField + 1);
  let at = from;
  while (at < last && line[at] !== COLON) at += 1;
  return at;
}

/** Digits only, as the standard has it: a sign, a point or a blank makes it no number. */
function readDigits(text: string): number | undefined {
  return /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}

/** Where the byte stands, the length where it does not. A look at a few bytes costs less than calling a search. */
function find(chunk: Buffer, byte: number, from: number): number {
  const { length } = chunk;
  if (length - from > 32) {
    const found = chunk.indexOf(byte, from);
    return found < 0 ? length : found;
  }
  let at = from;
  while (at < length && chunk[at] !== byte) at += 1;
  return at;
}
