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
  readonly lastEventId: () => string;
  /** Milliseconds of the last `retry:`. */
  readonly retry: () => number | undefined;
  /** A line or an event grew beyond the cap: nothing more is read, for what follows could not be trusted. */
  readonly hasOverflown: () => boolean;
}

/** One line or one event may have as many bytes: no event of the service comes near. */
const cap = 1024 * 1024;
const [LF, CR, COLON, SPACE] = [0x0a, 0x0d, 0x3a, 0x20];
const nothing = Buffer.alloc(0);

/**
 * The event-stream format of the WHATWG HTML standard (Server-sent events, parsing and interpreting an event stream),
 * without I/O. It works on bytes: all that has a meaning there is ASCII, which in UTF-8 is never part of another
 * character, so lines may be cut before they are decoded.
 */
export function createEventStreamParser(): EventStreamParser {
  /** The line so far, in the pieces it came in: joined once, so that small chunks cost no more than large ones. */
  let pieces: Buffer[] = [];
  let lineLength = 0;
  let skipsLineFeed = false;
  let isFirstLine = true;
  let hasOverflown = false;

  let dataLines: Buffer[] = [];
  let dataLength = 0;
  let name = "";
  let requestId: string | undefined;
  let idBuffer = "";
  let lastEventId = "";
  let retry: number | undefined;

  const endOfLine = (chunk: Buffer, from: number, to: number): Buffer => {
    let line = chunk.subarray(from, to);
    if (pieces.length > 0) {
      pieces.push(line);
      line = Buffer.concat(pieces, lineLength + line.length);
      pieces = [];
      lineLength = 0;
    }
    // One byte order mark at the very beginning is no part of the stream.
    if (isFirstLine && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3);
    isFirstLine = false;
    return line;
  };

  /** "Dispatch the event": an event without a data line is none, but its id counts. */
  const dispatch = (): StreamEvent | undefined => {
    lastEventId = idBuffer;
    const [only = nothing] = dataLines;
    const event = {
      name: name === "" ? "message" : name,
      data: dataLines.length > 1 ? joined(dataLines, dataLength) : only,
      id: lastEventId,
      requestId,
    };
    const hasData = dataLines.length > 0;
    dataLines = [];
    dataLength = 0;
    name = "";
    requestId = undefined;
    return hasData ? event : undefined;
  };

  /** "Process the field": names are compared whole and in their letter case; others mean nothing. */
  const field = (line: Buffer): void => {
    const colon = line.indexOf(COLON);
    const end = colon < 0 ? line.length : colon;
    const from = colon < 0 ? line.length : colon + (line[colon + 1] === SPACE ? 2 : 1);
    switch (end <= 10 ? line.latin1Slice(0, end) : "") {
      case "data":
        dataLines.push(line.subarray(from));
        dataLength += line.length - from + 1;
        return;
      case "event":
        name = line.toString("utf8", from);
        return;
      case "id":
        if (line.indexOf(0, from) < 0) idBuffer = line.toString("utf8", from);
        return;
      case "retry":
        if (/^\d{1,15}$/u.test(line.latin1Slice(from))) retry = Number(line.latin1Slice(from));
        return;
      case "request_id":
        requestId = line.toString("utf8", from);
        return;
    }
  };

  const push = (chunk: Buffer): readonly StreamEvent[] => {
    const events: StreamEvent[] = [];
    let start = skipsLineFeed && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) skipsLineFeed = false;
    // Most streams hold no CR; then each chunk is searched for it once instead of once a line.
    let nextCr = chunk.indexOf(CR, start);
    while (!hasOverflown && start < chunk.length) {
      const lf = chunk.indexOf(LF, start);
      const isCr = nextCr >= 0 && (lf < 0 || nextCr < lf);
      const end = isCr ? nextCr : lf;
      if (end < 0) break;
      const line = endOfLine(chunk, start, end);
      start = end + 1;
      if (isCr) {
        // CR LF is one end of line, also where a chunk ends between the two.
        if (chunk[start] === LF) start += 1;
        else if (start === chunk.length) skipsLineFeed = true;
        nextCr = chunk.indexOf(CR, start);
      }
      if (line.length > 0) field(line);
      else {
        const event = dispatch();
        if (event !== undefined) events.push(event);
      }
      hasOverflown = line.length > cap || dataLength > cap;
    }
    if (!hasOverflown && start < chunk.length) {
      pieces.push(chunk.subarray(start));
      lineLength += chunk.length - start;
      hasOverflown = lineLength > cap;
    }
    if (hasOverflown) [pieces, dataLines] = [[], []];
    return events;
  };

  return { push, lastEventId: () => lastEventId, retry: () => retry, hasOverflown: () => hasOverflown };
}

function joined(lines: readonly Buffer[], length: number): Buffer {
  const all = Buffer.alloc(length - 1, LF);
  let at = 0;
  for (const line of lines) {
    all.set(line, at);
    at += line.length + 1;
  }
  return all;
}
