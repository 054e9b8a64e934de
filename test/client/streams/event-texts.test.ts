import { expect, test } from "vitest";
import { EventStreamParser } from "../../../src/client/streams/event-stream.ts";
import { dataOf, type StreamEvent } from "../../../src/client/stream-event.ts";
import { FieldFinder } from "../../../src/base/json/field-finder.ts";
import { isLong } from "../../harness/long.ts";
import { createRandom } from "../../harness/random.ts";
import { cutAnywhere } from "./random-streams.ts";

const names = ["id", "price"];
const data = [
  '{"id":"0x1","price":"1.10"}',
  '{"id":"0x22","price":7}',
  '{"price":null,"id":""}',
  '{"id":"a\\tb","price":1}',
  '{"id":"é","price":1}',
  '{"id":{"price":1},"price":2}',
  '{"x":[{"id":1}],"id":"last"}',
  '{"id":"first","id":"last"}',
  '{ "id":"spaced"}',
  '["id"]',
  '"id"',
  "1",
  "id",
  '{"id":',
  "",
];

const eventsOf = (chunks: Iterable<Buffer>, finder?: FieldFinder): StreamEvent[] => {
  const parser = new EventStreamParser(undefined, finder);
  return [...chunks].flatMap((chunk) => parser.push(chunk));
};

const withoutTexts = (event: StreamEvent) => ({
  ...event,
  bytes: undefined,
  texts: undefined,
  firstText: undefined,
  data: dataOf(event).toString("utf8"),
});

/** The texts by `JSON.parse`; undefined if a value is nested or its JSON has escapes. */
function textsByParser(json: string): (string | undefined)[] | undefined {
  const row: unknown = JSON.parse(json);
  if (typeof row !== "object" || row === null || Array.isArray(row)) return undefined;
  const values = names.map((name) => new Map(Object.entries(row)).get(name) ?? "");
  if (values.some((value) => typeof value === "object" || String(value).includes("\t"))) return undefined;
  return values.map(String);
}

test("a parser finds the texts of each event, and parses the events as without them", () => {
  let found = 0;
  for (let seed = 1; seed <= (isLong ? 300 : 30); seed += 1) {
    const random = createRandom(seed);
    const draw = (): string => data[Math.floor(random() * data.length)] ?? "";
    const stream = Array.from({ length: 60 }, (_, index) => {
      // Half of the events have one shape, so that they follow a pattern.
      const value = random() < 0.5 ? `{"id":"0x${index}","price":${random()}}` : draw();
      return `event: x\nid: ${index}\ndata: ${value}\n\n`;
    }).join("");
    // Only events in one chunk can follow the pattern of an earlier one.
    const chunks = seed % 2 === 0 ? [Buffer.from(stream)] : [...cutAnywhere(Buffer.from(stream), random)];
    const expected = eventsOf(chunks);
    const events = eventsOf(chunks, new FieldFinder(names));
    expect(events.map(withoutTexts)).toEqual(expected.map(withoutTexts));
    for (const event of events) {
      const json = dataOf(event).toString("utf8");
      const texts = event.isPlainJson ? textsByParser(json) : undefined;
      expect(
        event.texts &&
          names.map((_, index) => {
            const at = event.firstText + 2 * index;
            return event.bytes.toString("utf8", event.texts?.[at], event.texts?.[at + 1]);
          }),
        json,
      ).toEqual(texts);
      if (texts !== undefined) found += 1;
    }
  }
  expect(found).toBeGreaterThan(1000);
});
