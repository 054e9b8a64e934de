import { expect, test } from "vitest";
import { ByteScan } from "../../../src/base/json/byte-scan.ts";
import { EventFrame } from "../../../src/client/streams/event-frame.ts";
import { isLong } from "../../harness/long.ts";
import { createRandom } from "../../harness/random.ts";
import { parseChunks, skippedText } from "./parse-stream.ts";
import { parseByTheStandard } from "./reference-parser.ts";

const price = (value: string, time: string, id = "7"): string =>
  `event: t_p\nid: ${id}\ndata: {"address":"0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2","price":${value},"list":[${time},{}]}\n\n`;

const frameOf = (event: string): EventFrame | undefined =>
  EventFrame.of(Buffer.from(event), 0, event.length, "x");

/** Returns the length of the event that the frame finds between others. */
function lengthBy(frame: EventFrame | undefined, event: string): number | undefined {
  const bytes = Buffer.from(`\n${event}id: 1\n`);
  const end = frame?.endAt(new ByteScan(bytes), 1, bytes.length - 1);
  return end === undefined || end < 0 ? end : end - 1;
}

test("data and IDs may change, everything else may not", () => {
  const frame = frameOf(price("1.10", "1"));
  for (const event of [
    price('"12345.67890"', "176400"),
    price("null", '"a \\" b"', "0"),
    price("-1e5", "0", "123456789012345"),
  ])
    expect(lengthBy(frame, event)).toBe(event.length);
  for (const event of [price("1", "1").replace("t_p", "t_q"), price("1", "1").replace("data: ", "data:")])
    expect(lengthBy(frame, event)).toBe(-1);
});

test.each([
  { what: "in the service's order", lines: ["event: x", "id: 15", 'data: {"p":1}', "request_id: 3"] },
  { what: "the data first", lines: ['data:{"p":1}', "id: 15", "event:x", "request_id:3"] },
  { what: "the data last", lines: ["request_id:3", "id:15", 'data: {"p":1}'] },
  { what: "without ids", lines: ['data: {"p":1}', "event:"] },
  { what: "data that are one value", lines: ["id: 15", "data: 1"] },
])("the positions of its values are found, $what", ({ lines }) => {
  for (const lineEnd of ["\n", "\r\n"]) {
    const first = [...lines, "", ""].join(lineEnd);
    const second = first
      .replace("15", "116")
      .replace("1}", "20.5}")
      .replace(/3(?=\s)/u, "44");
    const frame = frameOf(first);
    expect(lengthBy(frame, second)).toBe(second.length);
    const at = second.indexOf("data:") + (second.includes("data: ") ? 6 : 5);
    expect([frame?.start, frame?.end]).toEqual([1 + at, 1 + second.indexOf(lineEnd, at)]);
    expect(frame?.id).toBe(second.includes("116") ? 116 : undefined);
    expect(frame?.requestId).toBe(second.includes("44") ? 44 : undefined);
  }
});

test.each(["-1", "1.0", "1e5", '"1"', "null", "{}", "1234567890123456", "01", ""])(
  "the ID %s does not fit such an event",
  (id) => {
    expect(lengthBy(frameOf(price("1", "1")), price("1", "1", id))).toBe(-1);
    expect(frameOf(price("1", "1", id))).toBeUndefined();
  },
);

test.each(["{", '{"a": 1}', '"é"', "", "1 ", '"\u007f"'])("the data %j do not fit such an event", (data) => {
  expect(lengthBy(frameOf("data: 1\n\n"), `data: ${data}\n\n`)).toBe(-1);
});

test.each([
  ["no data", "id: 1\n\n"],
  ["a CR at the end", "data:1\r\r"],
  ["more than is kept", `event: ${"a".repeat(2000)}\ndata: 1\n\n`],
])("there is no frame for %s", (_, event) => {
  expect(frameOf(event)).toBeUndefined();
});

test("an event with one or two changed bytes is read according to the standard", () => {
  const [first, second, last] = ["7", "8", "9"].map((id) => Buffer.from(price('"2145.78"', id, id)));
  const random = createRandom(7);
  // Bytes that mean something to a parser, twice as often as all others together.
  const telling = Buffer.from('\n\r: "\\{}[],.-09eai\0\u007f');
  const drawByte = (): number =>
    telling[Math.floor(random() * 1.5 * telling.length)] ?? Math.floor(random() * 256);
  for (let turn = 0; turn < (isLong ? 1_000_000 : 4000); turn += 1) {
    const changed = Buffer.from(last ?? "");
    for (let change = 0; change < 1 + (turn % 2); change += 1)
      changed[Math.floor(random() * changed.length)] = drawByte();
    const stream = Buffer.concat([first ?? changed, second ?? changed, changed, last ?? changed]);
    const [found, expected] = [parseChunks([stream]), parseByTheStandard(stream)];
    // Compare texts: this many calls of expect() would take most of the time.
    if (JSON.stringify(found) !== JSON.stringify(expected))
      expect(found, changed.toString("latin1")).toEqual(expected);
  }
});

test("an event larger than the limit is skipped, also if it resembles the previous one", () => {
  const texts = [10, 10, 20, 60, 15].map((length) => `"${"a".repeat(length)}"`);
  const stream = Buffer.from(texts.map((text) => `data:${text}\n\n`).join(""));
  const read = (cap: number): readonly string[] =>
    parseChunks([stream], cap).events.map(({ data: each }) => each);
  expect(read(40)).toEqual(texts.map((text) => (text.length > 60 ? skippedText : text)));
  expect(read(80)).toEqual(texts);
});
