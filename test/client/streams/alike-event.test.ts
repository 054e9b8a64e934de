import { expect, test } from "vitest";
import { AlikeEvent } from "../../../src/client/streams/alike-event.ts";
import { isLong } from "../../harness/long.ts";
import { createRandom } from "../../harness/random.ts";
import { parseChunks, skippedText } from "./parse-stream.ts";
import { parseByTheStandard } from "./reference-parser.ts";

/** Of the event where it stands among others: its length where it is known, else -1. */
function lengthOf(alike: AlikeEvent, event: string): number {
  const end = alike.endAt(Buffer.from(`\n${event}id: 1\n`), 1);
  return end < 0 ? end : end - 1;
}

function learn(alike: AlikeEvent, event: string, name = ""): void {
  const bytes = Buffer.from(`\n${event}id: 1\n`);
  alike.learn(bytes, 1, 1 + Buffer.byteLength(event), name);
}

function learned(...events: readonly string[]): AlikeEvent {
  const alike = new AlikeEvent();
  for (const event of events) learn(alike, event);
  return alike;
}

const price = (value: string, time: string, id = "7"): string =>
  `event: t_p\nid: ${id}\ndata: {"address":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","price":${value},"list":[${time},{}]}\n\n`;
const data = (text: string): string => `data:${text}\n\n`;

test("values that have changed once may be any others, those that have not may not", () => {
  const alike = learned(price('"1.10"', "1"), price('"1.20"', "1"), price('"1.20"', "2"));
  for (const event of [price('"12345.67890"', "176400"), price("null", '"a \\" b"'), price("-1e5", "0")])
    expect(lengthOf(alike, event)).toBe(event.length);
  expect(lengthOf(alike, price("1", "1").replace("0xc0", "0xc1"))).toBe(-1);
  expect(lengthOf(alike, price("1", "1", "8"))).toBe(-1);
});

test.each([
  { what: "in the service's order", lines: ["event: x", "id: 15", 'data: {"p":1}', "request_id: 3"] },
  { what: "the data first", lines: ['data:{"p":1}', "id: 15", "event:x", "request_id:3"] },
  { what: "the data last", lines: ["request_id:3", "id:15", 'data: {"p":1}'] },
  { what: "without ids", lines: ['data: {"p":1}', "event:"] },
  { what: "data that are one value", lines: ["id: 15", "data: 1"] },
])("where its lines stand is found, $what", ({ lines }) => {
  for (const lineEnd of ["\n", "\r\n"]) {
    const first = [...lines, "", ""].join(lineEnd);
    const second = first.replace("15", "116").replace("1}", "20.5}").replace("3", "44");
    const alike = learned(first, second);
    expect(lengthOf(alike, second)).toBe(second.length);
    const at = second.indexOf("data:") + (second.includes("data: ") ? 6 : 5);
    expect([alike.start, alike.end]).toEqual([1 + at, 1 + second.indexOf(lineEnd, at)]);
    expect(alike.id).toBe(second.includes("116") ? 116 : undefined);
    expect(alike.requestId).toBe(second.includes("44") ? 44 : undefined);
  }
});

test("an id that is written as another value of JSON, or with zeros before it, is no such event", () => {
  const alike = learned(price("1", "1", "7"), price("1", "1", "8"));
  for (const id of ["9", "0", "123456789012345"])
    expect(lengthOf(alike, price("1", "1", id))).toBeGreaterThan(0);
  for (const id of ["-1", "1.0", "1e5", '"1"', "null", "{}", "1234567890123456"])
    expect(lengthOf(alike, price("1", "1", id)), id).toBe(-1);
  const asked = learned("data:1\nrequest_id:1\n\n", "data:1\nrequest_id:2\n\n");
  expect(lengthOf(asked, "data:1\nrequest_id:2.5\n\n")).toBe(-1);
});

test.each([
  ["no data", "id: 1\n\n"],
  ["data in two lines", "data:1\ndata:2\n\n"],
  ["data that are no JSON", data("{")],
  ["blanks in the data", data('{"a": 1}')],
  ["other characters", data('"é"')],
  ["an empty line of data", data("")],
  ["an id that is a text", "id: a\ndata:1\n\n"],
  ["an id of more than digits", "id: 1:\ndata:1\n\n"],
  ["an id with a zero before it", "id: 01\ndata:1\n\n"],
  ["a request that is a text", "request_id: a\ndata:1\n\n"],
  ["a field that means something to the others", "retry: 1\ndata:1\n\n"],
  ["a field of another name", "other: 1\ndata:1\n\n"],
  ["a comment", ": 1\ndata:1\n\n"],
  ["a NUL, of which eight at once are as good as a minus before them", "event:\0\0\0\0\0\0\0\0\ndata:1\n\n"],
  ["a name twice", "event:a\nevent:b\ndata:1\n\n"],
  ["a CR that ends a line", "event:a\rid:1\ndata:1\n\n"],
  ["a CR at the end", "data:1\r\r"],
  ["a line without a colon", "data:1\nid\n\n"],
  ["more than is kept", data(`"${"a".repeat(17_000)}"`)],
])("none is learned of %s", (_, event) => {
  expect(lengthOf(learned(event), event)).toBe(-1);
});

test("before anything was learned nothing is known", () => {
  expect(lengthOf(new AlikeEvent(), "")).toBe(-1);
});

test("an event of another shape takes the place of the one before, with its name", () => {
  const alike = learned(data('{"a":1,"b":2}'), data('{"a":3,"b":2}'));
  learn(alike, data('{"a":[],"b":2}'), "x");
  expect(alike.name).toBe("x");
  expect(lengthOf(alike, data('{"a":[],"b":2}'))).toBe(21);
  expect(lengthOf(alike, data('{"a":4,"b":2}'))).toBe(-1);
});

test("of events that are never like the one before, few are kept to compare others with", () => {
  const alike = new AlikeEvent();
  for (let number = 10; number < 50; number += 1) learn(alike, data(`{"${number}":1}`));
  expect(lengthOf(alike, data('{"49":1}'))).toBe(-1);
  expect(lengthOf(alike, data('{"41":1}'))).toBe(15);
  for (let number = 50; number < 70; number += 1) learn(alike, data(`{"${number}":1}`));
  expect(lengthOf(alike, data('{"65":1}'))).toBe(15);
});

test("whatever one or two bytes of an event are changed to, it is read as the standard says", () => {
  const [first, second, last] = ["7", "8", "9"].map((id) => Buffer.from(price('"2145.78"', id, id)));
  const random = createRandom(7);
  for (let turn = 0; turn < (isLong ? 1_000_000 : 60_000); turn += 1) {
    const changed = Buffer.from(last ?? "");
    for (let change = 0; change < 1 + (turn % 2); change += 1)
      changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
    const stream = Buffer.concat([first ?? changed, second ?? changed, changed, last ?? changed]);
    const [found, expected] = [parseChunks([stream]), parseByTheStandard(stream)];
    // Comparing texts: so many calls of expect() would take most of the time.
    if (JSON.stringify(found) !== JSON.stringify(expected))
      expect(found, changed.toString("latin1")).toEqual(expected);
  }
});

test("an event that passes the cap is skipped, also where it is like the one before", () => {
  const texts = [10, 10, 20, 60, 15].map((length) => `"${"a".repeat(length)}"`);
  const stream = Buffer.from(texts.map((text) => `data:${text}\n\n`).join(""));
  const read = (cap: number): readonly string[] =>
    parseChunks([stream], cap).events.map(({ data: each }) => each);
  expect(read(40)).toEqual(texts.map((text) => (text.length > 60 ? skippedText : text)));
  expect(read(80)).toEqual(texts);
});
