import { describe, expect, test } from "vitest";
import { createEventStreamParser } from "../../../src/client/streams/event-stream.ts";
import { dataOf, withoutChunk } from "../../../src/client/streams/stream-event.ts";
import { inPieces, parseChunks } from "./parse-stream.ts";
import { parseByTheStandard } from "./reference-parser.ts";
import { streamCases } from "./stream-cases.ts";

/** The whole first, then every cut that could fall into the middle of something. */
const sizes = [Number.POSITIVE_INFINITY, 1, 2, 3];
const cap = 1024 * 1024;

describe.each(sizes)("in pieces of %s bytes", (size) => {
  test.each(streamCases)("$rule", ({ stream, events, lastEventId = "", retry }) => {
    const pieces = inPieces(Buffer.from(stream), size);
    expect(parseChunks(pieces)).toEqual({ events, lastEventId, retry, hasOverflown: false });
  });
});

test("pieces of no bytes change nothing, also between CR and LF", () => {
  const pieces = ["data: 1\r", "", "\n", "", "data: 2\r", "", "\n\r", "", "\n"];
  const { events } = parseChunks(pieces.map((each) => Buffer.from(each)));
  expect(events.map(({ data }) => data)).toEqual(["1\n2"]);
});

test("an event is given with the byte that completes it, and not before", () => {
  const parser = createEventStreamParser();
  expect(parser.push(Buffer.from("data: 1\n"))).toEqual([]);
  expect(parser.push(Buffer.from("\n"))).toHaveLength(1);
  // A lone CR is the end of a line already: what follows may be long in coming.
  expect(parser.push(Buffer.from("data: 2\r"))).toEqual([]);
  expect(parser.push(Buffer.from("\r"))).toHaveLength(1);
});

test("a line that comes again with one more byte, whichever, is read as the standard says", () => {
  for (const field of ["event", "request_id", "id", "data"]) {
    for (let byte = 0; byte < 256; byte += 1) {
      const known = `${field}: a`;
      const stream = Buffer.from(`data: 1\n${known}\n\ndata: 2\n${known}?b\n\n${known}\ndata: 3\n\n`);
      stream[stream.indexOf("?")] = byte;
      expect(parseChunks([stream]), `${field}, ${byte}`).toEqual(parseByTheStandard(stream));
    }
  }
});

test("an id is the text that was sent, also where it is a number", () => {
  const ids = ["1", "05", "00", "0", "12", "007", "123456789012345", "1234567890123456", "-1", "1.0", "5"];
  const stream = ids.map((id) => `id: ${id}\ndata: {}\n\n`).join("");
  expect(parseChunks([Buffer.from(stream)]).events.map(({ id }) => id)).toEqual(ids);
});

test("an event without its chunk is the same event", () => {
  const [, event] = createEventStreamParser().push(Buffer.from("data: 1\n\nid: 7\ndata: 22\n\ndata: 3\n\n"));
  const alone = event && withoutChunk(event);
  expect(alone && dataOf(alone).toString()).toBe("22");
  expect(alone).toMatchObject({ id: 7, name: "message", isPlainJson: true, start: 0, end: 2 });
});

test("an id that is a number is one however it is read", () => {
  const ids = [0, 1, 0, 123_456_789_012_345];
  const stream = Buffer.from(ids.map((id) => `id: ${id}\ndata: {}\nrequest_id: ${id}\n\n`).join(""));
  for (const size of sizes) {
    const parser = createEventStreamParser();
    const events = [...inPieces(stream, size)].flatMap((piece) => [...parser.push(piece)]);
    expect(events.map(({ id, requestId }) => [id, requestId])).toEqual(ids.map((id) => [id, id]));
  }
});

test("what was given does not change when the parser goes on", () => {
  const parser = createEventStreamParser();
  const given = ["data: 1\ndata: 2\n\n", "data: 3\nda", "ta: 4\n\n"].flatMap((each) => [
    ...parser.push(Buffer.from(each)),
  ]);
  parser.push(Buffer.from("data: 5\ndata: 6\ndata: 7\n\n"));
  expect(given.map((event) => dataOf(event).toString())).toEqual(["1\n2", "3\n4"]);
});

describe("the cap of 1 MiB", () => {
  const line = (length: number): string => `data:${"x".repeat(length - 5)}\n`;
  const half = line(cap / 2 + 5);
  // Two lines of half a MiB are one byte too long with the LF between them.
  const fitting = `${half}${line(cap / 2 + 4)}\n`;

  test.each([
    { what: "a line of 1 MiB is taken", stream: `${line(cap)}\n`, overflows: false },
    { what: "a longer one is not", stream: `${line(cap + 1)}\n`, overflows: true },
    { what: "a comment counts too", stream: `:${"x".repeat(cap)}\ndata: 1\n\n`, overflows: true },
    { what: "a line that never ends is not taken", stream: "x".repeat(cap + 1), overflows: true },
    { what: "an event of 1 MiB in two lines is taken", stream: fitting, overflows: false },
    { what: "a longer one is not, in two lines", stream: `${half}${half}\n`, overflows: true },
    { what: "nor in a million", stream: "data\n".repeat(cap + 2), overflows: true },
  ])("$what", ({ stream, overflows }) => {
    for (const size of [Number.POSITIVE_INFINITY, 65_536, 4093, 7]) {
      const { events, hasOverflown } = parseChunks(inPieces(Buffer.from(`data: first\n\n${stream}`), size));
      expect(hasOverflown, `in pieces of ${size}`).toBe(overflows);
      expect(events).toHaveLength(overflows ? 1 : 2);
    }
  });

  test.each([
    { length: cap - 3, overflows: false },
    { length: cap - 2, overflows: true },
  ])("the byte order mark counts, at any chunking ($length)", ({ length, overflows }) => {
    for (const size of [Number.POSITIVE_INFINITY, 7]) {
      const { hasOverflown } = parseChunks(inPieces(Buffer.from(`\ufeff${line(length)}`), size));
      expect(hasOverflown, `in pieces of ${size}`).toBe(overflows);
    }
  });

  test("or another one is passed by the next byte, and not before, however they come", () => {
    for (let most = 1; most <= 300; most += 1) {
      for (const size of [1, 2, most, most + 1]) {
        const parser = createEventStreamParser(most);
        for (const piece of inPieces(Buffer.from("x".repeat(most)), size)) parser.push(piece);
        expect(parser.hasOverflown(), `${most} in pieces of ${size}`).toBe(false);
        parser.push(Buffer.from("x"));
        expect(parser.hasOverflown(), `${most} in pieces of ${size}, and one more`).toBe(true);
      }
    }
  });

  test("nothing is read behind it", () => {
    const parser = createEventStreamParser();
    parser.push(Buffer.from("x".repeat(cap + 1)));
    expect(parser.push(Buffer.from("\n\ndata: 1\n\n"))).toEqual([]);
    expect(parser.hasOverflown()).toBe(true);
  });
});
