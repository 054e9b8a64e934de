import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import { jsonLine, type StreamEvent } from "../../src/client/stream-event.ts";
import { ByteScan } from "../../src/base/json/byte-scan.ts";
import { enveloped } from "../../src/cli/commands/stream/stream-output.ts";

const event = (data: string | Buffer, more: Partial<StreamEvent> = {}): StreamEvent => {
  const bytes = Buffer.from(data);
  return {
    name: "token_price",
    bytes,
    start: 0,
    end: bytes.length,
    isPlainJson: new ByteScan(bytes).isPlain(0, bytes.length),
    id: "",
    requestId: undefined,
    texts: undefined,
    firstText: 0,
    owner: undefined,
    ...more,
  };
};
const lineOf = (data: string | Buffer): string | undefined => jsonLine(event(data));

test("a line contains the service's own bytes: every digit and field, without insignificant whitespace", () => {
  expect(lineOf('{"p":"1.10","n":4272800710322643001,"x":1e3}')).toBe(
    '{"p":"1.10","n":4272800710322643001,"x":1e3}',
  );
  expect(lineOf('{ "p" : "a b" ,\n"n": [1, 2] }')).toBe('{"p":"a b","n":[1,2]}');
});

test("characters that could control a terminal are escaped, and the line parses to the same value", () => {
  const name = "\u007f\u009b31m\u202eevil\u200b 🦄 中";
  const line = lineOf(JSON.stringify({ name })) ?? "";
  expect(line).toBe('{"name":"\\u007f\\u009b31m\\u202eevil\\u200b 🦄 中"}');
  expect(JSON.parse(line)).toEqual({ name });
});

test("invalid JSON and invalid UTF-8 produce no line", () => {
  for (const broken of ["", "{", '{"a":01}', '{"a":1}}', "{'a':1}", "nothing", '{"a":"\n"}'])
    expect(lineOf(broken)).toBeUndefined();
  expect(lineOf(Buffer.from([0x22, 0xff, 0x22]))).toBeUndefined();
});

test("any JSON is one line with the same value", () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, isPretty) => {
      const sent = isPretty ? JSON.stringify(JSON.parse(text), null, 2) : text;
      const line = lineOf(sent) ?? "";
      expect(line).not.toMatch(/[\n\r]/u);
      expect(JSON.parse(line)).toEqual(JSON.parse(sent));
    }),
  );
});

test("the envelope contains the details received with the data", () => {
  const subject = { network: "base", address: "0x1" };
  const facts = {
    feed: "ohlcv",
    subject,
    received: Date.parse("2026-11-21T08:54:00.123Z"),
  };
  const candle = event('{"close":1.10}', { name: "token_ohlcv", id: "1795286520", requestId: 0 });
  expect(enveloped('{"close":1.10}', candle, facts)).toBe(
    '{"feed":"ohlcv","event":"token_ohlcv","id":"1795286520","request_id":0,"network":"base","address":"0x1",' +
      '"received":"2026-11-21T08:54:00.123Z","data":{"close":1.10}}',
  );
  expect(enveloped("1", event("1", { name: "\u202e" }), { ...facts, subject: undefined })).toBe(
    '{"feed":"ohlcv","event":"\\u202e","received":"2026-11-21T08:54:00.123Z","data":1}',
  );
});
