import { expect, test } from "vitest";
import { openingOf } from "../../src/client/candle-windows.ts";
import { readCandles } from "../../src/client/candles/slice-answer.ts";
import { createDocument } from "../../src/client/document.ts";

const read = (times: readonly unknown[]): readonly number[] => {
  const body = Buffer.from(JSON.stringify(times.map((time_open) => ({ time_open, close: 1 }))));
  return readCandles(createDocument({ status: 200, body })).map(({ opens }) => opens);
};

test("candles open at the time that they name, in every form and after every other form", () => {
  const times = [
    "2026-11-20T23:59:00Z",
    "2026-11-21T00:00:00Z",
    "2026-11-21T09:08:07Z",
    "2026-11-21t09:08:07Z",
    "2026-11-21T09:08:08z",
    "2016-12-31T23:59:60Z",
    "2016-12-31T23:58:00Z",
    "2026-11-21T12:00:00+02:00",
    "2026-11-21T12:00:00.5Z",
    1_795_247_640,
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ];
  for (const first of times)
    for (const second of times)
      for (const third of times) {
        const some = [first, second, third];
        expect({ some, read: read(some) }).toEqual({
          some,
          read: some.map((time_open) => openingOf({ time_open })),
        });
      }
});

test.each([
  "2026-11-21T24:00:00Z",
  "2026-11-21T00:60:00Z",
  "2026-11-21T00:00:61Z",
  "2026-11-21T0a:00:00Z",
  "2026-11-21T00-00:00Z",
  "2026-11-21 00:00:00Z",
  "2026-02-30T00:00:00Z",
  undefined,
  null,
])("a candle that opens at %s is refused, also after another one of its day", (time) => {
  for (const times of [[time], ["2026-11-21T00:00:00Z", time], [time, "2026-11-21T00:00:00Z"]])
    expect(() => read(times)).toThrow("no valid time_open");
});
