import { describe, expect, test } from "vitest";
import { EventStreamParser } from "../../../src/client/streams/event-stream.ts";
import { dataOf, withoutChunk } from "../../../src/client/stream-event.ts";
import { isLong } from "../../harness/long.ts";
import { createRandom } from "../../harness/random.ts";
import { inPieces, parseChunks, skippedText } from "./parse-stream.ts";
import { cutAnywhere } from "./random-streams.ts";
import { parseByTheStandard } from "./reference-parser.ts";
import { streamCases } from "./stream-cases.ts";

/** All bytes at once first, then sizes that split every sequence. */
const sizes = [Number.POSITIVE_INFINITY, 1, 2, 3];
const cap = 1024 * 1024;

describe.each(sizes)("in pieces of %s bytes", (size) => {
  test.each(streamCases)("$rule", ({ stream, events, lastEventId = "", retry }) => {
    const pieces = inPieces(Buffer.from(stream), size);
    expect(parseChunks(pieces)).toEqual({ events, lastEventId, retry, hasOverflown: false });
  });
});

test("empty pieces change nothing, also between CR and LF", () => {
  const pieces = ["data: 1\r", "", "\n", "", "data: 2\r", "", "\n\r", "", "\n"];
  const { events } = parseChunks(pieces.map((each) => Buffer.from(each)));
  expect(events.map(({ data }) => data)).toEqual(["1\n2"]);
});

test("an event is returned with the byte that completes it, and not before", () => {
  const parser = new EventStreamParser();
  expect(parser.push(Buffer.from("data: 1\n"))).toEqual([]);
  expect(parser.push(Buffer.from("\n"))).toHaveLength(1);
  // A lone CR already ends a line: the next byte may be long in coming.
  expect(parser.push(Buffer.from("data: 2\r"))).toEqual([]);
  expect(parser.push(Buffer.from("\r"))).toHaveLength(1);
});

test("a repeated line with any extra byte is read according to the standard", () => {
  for (const field of ["event", "request_id", "id", "data"]) {
    for (let byte = 0; byte < 256; byte += 1) {
      const known = `${field}: a`;
      const stream = Buffer.from(`data: 1\n${known}\n\ndata: 2\n${known}?b\n\n${known}\ndata: 3\n\n`);
      stream[stream.indexOf("?")] = byte;
      expect(parseChunks([stream]), `${field}, ${byte}`).toEqual(parseByTheStandard(stream));
    }
  }
});

test("an ID is the exact text received, also if it is a number", () => {
  const ids = ["1", "05", "00", "0", "12", "007", "123456789012345", "1234567890123456", "-1", "1.0", "5"];
  const stream = ids.map((id) => `id: ${id}\ndata: {}\n\n`).join("");
  expect(parseChunks([Buffer.from(stream)]).events.map(({ id }) => id)).toEqual(ids);
});

test("an event without its chunk is the same event", () => {
  const [, event] = new EventStreamParser().push(Buffer.from("data: 1\n\nid: 7\ndata: 22\n\ndata: 3\n\n"));
  const alone = event && withoutChunk(event);
  expect(alone && dataOf(alone).toString()).toBe("22");
  expect(alone).toMatchObject({ id: 7, name: "message", isPlainJson: true, start: 0, end: 2 });
});

test("a numeric ID is a number for every piece size", () => {
  const ids = [0, 1, 0, 123_456_789_012_345];
  const stream = Buffer.from(ids.map((id) => `id: ${id}\ndata: {}\nrequest_id: ${id}\n\n`).join(""));
  for (const size of sizes) {
    const parser = new EventStreamParser();
    const events = [...inPieces(stream, size)].flatMap((piece) => [...parser.push(piece)]);
    expect(events.map(({ id, requestId }) => [id, requestId])).toEqual(ids.map((id) => [id, id]));
  }
});

test("returned events do not change when more bytes are parsed", () => {
  const parser = new EventStreamParser();
  const given = ["data: 1\ndata: 2\n\n", "data: 3\nda", "ta: 4\n\n"].flatMap((each) => [
    ...parser.push(Buffer.from(each)),
  ]);
  parser.push(Buffer.from("data: 5\ndata: 6\ndata: 7\n\n"));
  expect(given.map((event) => dataOf(event).toString())).toEqual(["1\n2", "3\n4"]);
});

describe("an event larger than the limit of 1 MiB is skipped, and later events are read", () => {
  const line = (length: number): string => `data:${"x".repeat(length - 5)}\n`;
  const half = line(cap / 2 + 5);
  // Two lines of half a MiB are one byte too long with the LF between them.
  const fitting = `${half}${line(cap / 2 + 4)}\n`;
  const large = line(cap + 1);

  test.each([
    { what: "a line of 1 MiB is taken", stream: `${line(cap)}\n`, data: "x".repeat(cap - 5) },
    { what: "a longer one is skipped", stream: `${large}\n`, data: skippedText },
    { what: "with the lines around it", stream: `data: 1\n${large}data: 2\n\n`, data: skippedText },
    { what: "also where its end is CR LF", stream: `${large.replace("\n", "\r\n")}\r\n`, data: skippedText },
    {
      what: "a longer comment is not part of its event",
      stream: `:${"x".repeat(cap)}\ndata: 1\n\n`,
      data: "1",
    },
    {
      what: "an event of 1 MiB in two lines is taken",
      stream: fitting,
      data: fitting.replaceAll(/data:|\n\n$/gu, ""),
    },
    { what: "a longer one is skipped, in two lines", stream: `${half}${half}\n`, data: skippedText },
    { what: "in thousands of lines", stream: `${"data\n".repeat(4002)}\n`, data: skippedText, most: 4000 },
  ])("$what", ({ stream, data, most = cap }) => {
    const whole = Buffer.from(`data: first\n\n${stream}data: last\n\n`);
    // Smaller pieces, and a piece that ends anywhere, are tried with smaller limits below.
    for (const size of [Number.POSITIVE_INFINITY, 65_536, 4093]) {
      const { events, hasOverflown } = parseChunks(inPieces(whole, size), most);
      // Compare texts: a failed comparison of values would print a MiB.
      const isSame = events.map((each) => each.data).join(" ") === `first ${data} last`;
      expect({ isSame, hasOverflown }, `in pieces of ${size}`).toEqual({ isSame: true, hasOverflown: false });
    }
  });

  test("its name and IDs are known, before or after the data", () => {
    const fields = ["id: 7\n", "event: token_price\n", "request_id: 24\n", large];
    for (let turn = 0; turn < fields.length; turn += 1) {
      fields.push(...fields.splice(0, 1));
      for (const size of [Number.POSITIVE_INFINITY, 4093]) {
        const { events, lastEventId } = parseChunks(inPieces(Buffer.from(`${fields.join("")}\n`), size));
        expect(events).toEqual([{ name: "token_price", data: skippedText, id: "7", requestId: "24" }]);
        expect(lastEventId).toBe("7");
      }
    }
  });

  test.each([
    { length: cap - 3, isTaken: true },
    { length: cap - 2, isTaken: false },
  ])("the byte order mark counts toward the limit for any piece size ($length)", ({ length, isTaken }) => {
    for (const size of [Number.POSITIVE_INFINITY, 4093]) {
      const { events } = parseChunks(inPieces(Buffer.from(`\ufeff${line(length)}\n`), size));
      expect(events.map(({ data }) => data !== skippedText)).toEqual([isTaken]);
    }
  });

  test("any limit is exceeded by exactly one more byte, for any piece size", () => {
    for (let most = 6; most <= 140; most += 1) {
      for (const size of [1, 2, most, most + 1]) {
        const stream = [line(most), "\n", line(most + 1), "\n", line(most), "\n"].join("");
        const events = parseChunks(inPieces(Buffer.from(stream), size), most).events;
        const sound = "x".repeat(most - 5);
        expect(events.map(({ data }) => data)).toEqual([sound, skippedText, sound]);
      }
    }
  });

  test("random streams, split anywhere: exactly the larger events are skipped", () => {
    const random = createRandom(14);
    const draw = (values: readonly string[]): string => values[Math.floor(random() * values.length)] ?? "";
    for (let turn = 0; turn < (isLong ? 4000 : 500); turn += 1) {
      const most = 8 + Math.floor(random() * 40);
      const longText = (): string => "y".repeat(Math.floor(random() * 3 * most));
      const expected: string[] = [];
      let stream = "";
      for (let event = 0; event < 6; event += 1) {
        const texts = Array.from({ length: 1 + Math.floor(random() * 3) }, longText);
        const end = draw(["\n", "\r", "\r\n"]);
        for (const text of texts) {
          if (random() < 0.3) stream += `:${longText()}${end}`;
          stream += `data:${text}${end}`;
        }
        stream += end;
        const data = texts.join("\n");
        const isTooLarge =
          (texts.length > 1 && data.length > most) || texts.some((each) => each.length + 5 > most);
        expected.push(isTooLarge ? skippedText : data);
      }
      const bytes = Buffer.from(stream);
      for (const chunks of [[bytes], cutAnywhere(bytes, random)])
        expect(parseChunks(chunks, most).events.map(({ data }) => data)).toEqual(expected);
    }
  });

  test("a byte order mark after a long first line is not ignored", () => {
    for (const size of [Number.POSITIVE_INFINITY, 5]) {
      const stream = Buffer.from(`:${"x".repeat(40)}\n\ufeffdata: 1\ndata: 2\n\n`);
      expect(parseChunks(inPieces(stream, size), 16).events.map(({ data }) => data)).toEqual(["2"]);
    }
  });

  test("an event without an end overflows after 64 MiB", () => {
    const parser = new EventStreamParser();
    const chunk = Buffer.alloc(1024 * 1024, "x");
    for (let mebibyte = 0; mebibyte < 64; mebibyte += 1) expect(parser.push(chunk)).toEqual([]);
    expect(parser.hasOverflown()).toBe(false);
    parser.push(Buffer.from("x"));
    expect(parser.hasOverflown()).toBe(true);
    expect(parser.push(Buffer.from("\n\ndata: 1\n\n"))).toEqual([]);
  });
});
