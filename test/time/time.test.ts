import { anyCharacter, fc } from "../harness/properties.ts";
import { describe, expect, test } from "vitest";
import { processorTime } from "../harness/processor-time.ts";
import {
  compareInstants,
  formatInstant,
  parseDate,
  parseRfc3339,
  parseTimeBound,
  toWire,
  type Instant,
} from "../../src/base/time/time.ts";

/** 2026-11-21T08:54:00.250Z */
const NOW = 1_795_251_240_250;

const at = (seconds: number, fraction = ""): Instant => ({ seconds, fraction });

describe("RFC 3339 date-time", () => {
  // The first five are the examples of RFC 3339, section 5.8.
  test.each([
    ["1985-04-12T23:20:50.52Z", at(482_196_050, "52")],
    ["1996-12-19T16:39:57-08:00", at(851_042_397)],
    ["1990-12-31T23:59:60Z", at(662_688_000)],
    ["1990-12-31T15:59:60-08:00", at(662_688_000)],
    ["1937-01-01T12:00:27.87+00:20", at(-1_041_337_173, "87")],
    ["1970-01-01T00:00:00-00:00", at(0)],
    ["1970-01-01t00:00:00z", at(0)],
    ["1969-12-31T23:59:59.75Z", at(-1, "75")],
    ["2016-12-31T23:59:60.5Z", at(1_483_228_800, "5")],
    ["2026-11-21T08:54:00.000000001Z", at(1_795_251_240, "000000001")],
    ["2026-11-21T08:54:00.1230000Z", at(1_795_251_240, "123")],
    ["2026-11-21T08:54:00.000Z", at(1_795_251_240)],
    ["2026-11-21T22:53:59+13:59", at(1_795_251_299)],
    ["2000-02-29T00:00:00Z", at(951_782_400)],
    ["0000-02-29T00:00:00Z", at(-62_162_121_600)],
  ])("reads %s", (text, instant) => {
    expect(parseRfc3339(text)).toEqual(instant);
  });

  test.each([
    "2026-11-21",
    "2026-11-21T08:54:00",
    "2026-11-21T08:54Z",
    "2026-11-21 08:54:00Z",
    "2026-11-21T08:54:00,5Z",
    "2026-11-21T08:54:00.Z",
    "2026-11-21T08:54:00+0100",
    "2026-11-21T08:54:00+24:00",
    "2026-11-21T08:54:00+01:60",
    "2026-11-21T08:54:00Z ",
    "2026-11-21T08:54:00Z\n",
    "2026-11-21T24:00:00Z",
    "2026-11-21T08:60:00Z",
    "2026-11-21T08:54:61Z",
    // A leap second that is not at the end of a month in UTC.
    "2026-11-21T23:59:60Z",
    "2026-12-31T23:58:60Z",
    "2026-12-31T23:59:60+01:00",
    "1900-02-29T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "+002026-11-21T08:54:00Z",
    "２026-11-21T08:54:00Z",
  ])("rejects %j", (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });

  test("agrees with toISOString over the years 0000 to 9999, at every offset", () => {
    const instants = fc.date({
      min: new Date("0000-01-02T00:00:00Z"),
      max: new Date("9999-12-30T00:00:00Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (date, offset) => {
        const expected = at(
          Math.floor(date.getTime() / 1000),
          date.toISOString().slice(20, 23).replace(/0+$/, ""),
        );
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 23);
        const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
          String(n).padStart(2, "0"),
        );
        expect(parseRfc3339(`${local}${offset < 0 ? "-" : "+"}${hours}:${minutes}`)).toEqual(expected);
        expect(formatInstant(expected)).toBe(date.toISOString().replace(/\.?0*Z$/, "Z"));
        expect(parseRfc3339(formatInstant(expected))).toEqual(expected);
        const wire = toWire(expected);
        expect(/^\d+$/.test(wire) ? at(Number(wire)) : parseRfc3339(wire)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("takes linear time on a fraction of a million zeros", () => {
    const started = process.cpuUsage();
    expect(parseRfc3339(`2026-11-21T08:54:00.${"0".repeat(1e6)}1Z`)?.fraction).toHaveLength(1e6 + 1);
    expect(processorTime(started)).toBeLessThan(1000);
  });
});

describe("RFC 3339 full-date", () => {
  test.each([
    ["2026-11-21", at(1_795_219_200)],
    ["1970-01-01", at(0)],
    ["1969-12-31", at(-86_400)],
    ["2000-02-29", at(951_782_400)],
    ["2100-02-28", at(4_107_456_000)],
    ["1582-10-10", at(-12_219_724_800)],
    ["9999-12-31", at(253_402_214_400)],
  ])("reads %s as 00:00 UTC", (text, instant) => {
    expect(parseDate(text)).toEqual(instant);
  });

  test.each([
    "2100-02-29",
    "2026-02-30",
    "2026-13-01",
    "2026-01-00",
    "2026-1-1",
    "20260101",
    "2026-01-01Z",
    " 2026-01-01",
    "",
  ])("rejects %j", (text) => {
    expect(parseDate(text)).toBeUndefined();
  });
});

describe("parsed time bounds", () => {
  test.each([
    ["now", at(1_795_251_240)],
    ["-90s", at(1_795_251_150)],
    ["-15m", at(1_795_250_340)],
    ["-24h", at(1_795_164_840)],
    ["24h", at(1_795_164_840)],
    ["-7d", at(1_794_646_440)],
    ["0s", at(1_795_251_240)],
    ["2026-11-21", at(1_795_219_200)],
    ["2026-11-21T09:54:00+01:00", at(1_795_251_240)],
    ["167996160", at(167_996_160)],
    ["1679961600", at(1_679_961_600)],
    ["99999999999", at(99_999_999_999)],
  ])("%s is parsed relative to the clock", (text, instant) => {
    expect(parseTimeBound(text, NOW)).toEqual(instant);
  });

  test("keeps the fraction of the clock's time", () => {
    expect(parseTimeBound("-1s", at(10, "25"))).toEqual(at(9, "25"));
  });

  const accepted = "a time such as now, -24h, 2026-11-21, 2026-11-21T08:54:00Z or 1795251240";
  const relative = "must be a whole number of s, m, h or d, counted back from now";
  const timed = "must be a date, or a date, T, a time, and Z for UTC or an offset such as +02:00";
  const either = "e.g. 2026-11-21 or 2026-11-21T08:54:00Z";

  test.each([
    ["2026-02-30", "February 2026 has 28 days"],
    ["2026-04-31T00:00:00Z", "April 2026 has 30 days"],
    ["2026-01-00", "January 2026 has 31 days"],
    ["2026-13-01", "invalid month 13; months are 01 to 12"],
    ["20230328", "dates must have dashes", "did you mean 2023-03-28?"],
    ["20261121", "dates must have dashes", "did you mean 2026-11-21?"],
    ["2026", "dates must have dashes", "did you mean 2026-01-01?"],
    ["00000229", "dates must have dashes", "did you mean 0000-02-29?"],
    ["123456789012", "Unix seconds have at most 11 digits", `use ${accepted}`],
    ["1679961600000", "Unix seconds have at most 11 digits; this looks like milliseconds", "use 1679961600"],
    [
      "1679961600123",
      "Unix seconds have at most 11 digits; this looks like milliseconds",
      "use 2023-03-28T00:00:00.123Z",
    ],
    ["1679961600000000", "Unix seconds have at most 11 digits", `use ${accepted}`],
    ["20.11.2026", `must be ${accepted}`],
    ["20 Nov", `must be ${accepted}`],
    ["20 months", `must be ${accepted}`],
    ["7 days ago", relative, "use -7d"],
    ["1h ago", relative, "use -1h"],
    ["-7 d", relative, "use -7d"],
    ["3w", relative, "use -21d"],
    ["-5y", relative, "e.g. -24h"],
    ["-2H", relative, "use -2h"],
    ["10min", relative, "use -10m"],
    ["3M", relative, "e.g. -24h"],
    ["500ms", relative, "e.g. -24h"],
    ["1.5h", relative, "e.g. -24h"],
    ["-90", relative, "e.g. -24h"],
    ["3pm", `must be ${accepted}`],
    ["+1h", `must be ${accepted}`],
    ["-999999999d", "must be within the years 0000 to 9999"],
    ["9999-12-31T23:59:59-00:01", "must be within the years 0000 to 9999"],
    ["2026-11-21T08:54:00", timed, "use 2026-11-21T08:54:00Z"],
    ["2026-11-21 08:54", timed, "use 2026-11-21T08:54Z"],
    ["2026-11-21 08:54:00.5", timed, "use 2026-11-21T08:54:00.5Z"],
    ["2026-11-21 15:30:00.5Z", timed, "use 2026-11-21T15:30:00.5Z"],
    ["2026-11-21 15:30:00 UTC", timed, "use 2026-11-21T15:30:00Z"],
    ["2026-11-21T15:30:00+0200", timed, "use 2026-11-21T15:30:00+02:00"],
    ["2026-11-21T15:30:00-05", timed, "use 2026-11-21T15:30:00-05:00"],
    ["2026-11-21T15:30:00 PST", timed, either],
    ["2026-11-21T08:54:00-25:00", timed, either],
    ["2026-11-21T24:00:00Z", timed, either],
    ["2026-11-21T08:60:00Z", timed, either],
    ["2026-11-21T08:54:60Z", timed, either],
    ["2026-11-21T", timed, either],
    ["", `must be ${accepted}`],
    [" now", `must be ${accepted}`],
    ["someday", `must be ${accepted}`],
    ["2026-1-1", `must be ${accepted}`],
    ["1d12h", `must be ${accepted}`],
    ["２０２６-11-21", `must be ${accepted}`],
  ])("%j is rejected with the reason", (text, problem, next?: string) => {
    expect(parseTimeBound(text, NOW)).toEqual(next === undefined ? { problem } : { problem, next });
  });

  test("the suggestion is itself accepted, and any text is parsed or rejected", () => {
    const typed = fc.stringMatching(/^[-+]?[\dTZ:.smhdwy +-]{0,30}$/);
    fc.assert(
      fc.property(fc.oneof(typed, fc.string({ unit: anyCharacter })), (text) => {
        const bound = parseTimeBound(text, NOW);
        const suggestion =
          "problem" in bound ? /^(?:use|did you mean) (\S+?)\??$/.exec(bound.next ?? "")?.[1] : undefined;
        if (suggestion === undefined) return;
        // Only the years may still be out of range: the date is known only after the number of days is
        // parsed.
        expect(parseTimeBound(suggestion, NOW)).toSatisfy(
          (again: object) =>
            !("problem" in again) || again.problem === "must be within the years 0000 to 9999",
        );
      }),
      { numRuns: 5000 },
    );
  });
});

describe("formatted times", () => {
  test("are sent as Unix seconds unless that would lose or change the value", () => {
    expect(toWire(at(1_795_251_240))).toBe("1795251240");
    expect(toWire(at(0))).toBe("0");
    expect(toWire(at(1_795_251_240, "000000001"))).toBe("2026-11-21T08:54:00.000000001Z");
    // `-1` would be an offset from the clock of the service.
    expect(toWire(at(-1))).toBe("1969-12-31T23:59:59Z");
  });

  test("are in UTC, with a sign where RFC 3339 has no form", () => {
    expect(formatInstant(at(1_795_251_240))).toBe("2026-11-21T08:54:00Z");
    expect(formatInstant(at(-1, "5"))).toBe("1969-12-31T23:59:59.5Z");
    expect(formatInstant(at(253_402_300_800))).toBe("+010000-01-01T00:00:00Z");
    expect(formatInstant(at(-62_167_219_201))).toBe("-000001-12-31T23:59:59Z");
  });

  test("are correct at both ends of a year, of every kind", () => {
    // Three years apart, they still are in every year of the 400 after which leap years repeat.
    for (let year = 0; year <= 9999; year += 3) {
      const written = String(year).padStart(4, "0");
      for (const text of [
        `${written}-01-01T00:00:00Z`,
        `${written}-03-01T00:00:00Z`,
        `${written}-12-31T23:59:59Z`,
      ]) {
        expect(formatInstant(parseRfc3339(text) ?? at(Number.NaN))).toBe(text);
      }
    }
  });

  test.each([1e12, -1e12, 1e20, -1e300, 1e300, Number.POSITIVE_INFINITY, Number.NaN])(
    "with %d seconds are formatted without hanging",
    (seconds) => {
      expect(formatInstant(at(seconds))).toMatch(/Z$/);
    },
  );

  test("are sorted by time, down to the last digit", () => {
    const sorted = [
      at(-2, "9"),
      at(-1),
      at(0),
      at(0, "000000001"),
      at(0, "49"),
      at(0, "5"),
      at(0, "51"),
      at(1),
    ];
    expect(sorted.toReversed().toSorted(compareInstants)).toEqual(sorted);
    expect(compareInstants(at(1, "5"), at(1, "5"))).toBe(0);
  });
});
