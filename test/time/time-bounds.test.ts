import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import { type Instant, parseTimeBound } from "../../src/base/time/time.ts";
import { isLong } from "../harness/long.ts";

const now: Instant = { seconds: 1_795_251_240, fraction: "25" };
const unitSeconds = new Map([
  ["s", 1n],
  ["m", 60n],
  ["h", 3600n],
  ["d", 86_400n],
]);

/** The grammar a second time, split by hand and counted by Date; undefined for rejected text. */
function readByDate(text: string): Instant | undefined {
  if (text === "now") return now;
  if (text === "today" || text === "yesterday") {
    const midnight = new Date(now.seconds * 1000).setUTCHours(text === "today" ? 0 : -24, 0, 0, 0);
    return { seconds: midnight / 1000, fraction: "" };
  }
  const instant = readRelative(text) ?? readUnix(text) ?? readDateTime(text);
  return instant !== undefined && isWritable(instant.seconds) ? instant : undefined;
}

function readRelative(text: string): Instant | undefined {
  const unit = unitSeconds.get(text.slice(-1));
  const digits = text.slice(text.startsWith("-") ? 1 : 0, -1);
  if (unit === undefined || !isDigits(digits)) return undefined;
  return { seconds: Number(BigInt(now.seconds) - BigInt(digits) * unit), fraction: now.fraction };
}

function readUnix(text: string): Instant | undefined {
  if (!isDigits(text) || text.length > 11) return undefined;
  const dashed = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  const isDate = text.length === 8 && midnightOf(dashed) !== undefined;
  const isYear = text.length === 4 && ["19", "20"].includes(text.slice(0, 2));
  return isDate || isYear ? undefined : { seconds: Number(text), fraction: "" };
}

function readDateTime(text: string): Instant | undefined {
  const day = midnightOf(text.slice(0, 10));
  if (day === undefined) return undefined;
  const rest = text.slice(10);
  if (rest === "") return { seconds: day, fraction: "" };
  const zone = /(?:z|[+-]\d\d:\d\d)$/iu.exec(rest)?.[0] ?? "";
  const [typed = "", fraction, ...more] = rest.slice(1, rest.length - zone.length).split(".");
  const clock = typed.length === 5 && fraction === undefined ? `${typed}:00` : typed;
  if (!"Tt".includes(rest.charAt(0)) || zone === "" || more.length > 0) return undefined;
  if (fraction !== undefined && !isDigits(fraction)) return undefined;
  const time = secondOfDay(clock.replace(/:60$/u, ":59"));
  const offset = zone.toLowerCase() === "z" ? 0 : secondOfDay(`${zone.slice(1)}:00`);
  if (time === undefined || offset === undefined) return undefined;
  let seconds = day + time - (zone.startsWith("-") ? -offset : offset);
  if (clock.endsWith(":60")) {
    seconds += 1;
    // A leap second is the last second of a month in UTC: midnight of the first day follows.
    const after = new Date(seconds * 1000);
    if (after.getUTCDate() !== 1 || seconds % 86_400 !== 0) return undefined;
  }
  return { seconds, fraction: trimZeros(fraction ?? "") };
}

function midnightOf(text: string): number | undefined {
  const milliseconds = Date.parse(`${text}T00:00:00Z`);
  const isThatDay =
    !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(`${text}T`);
  return isThatDay && text.length === 10 ? milliseconds / 1000 : undefined;
}

function secondOfDay(clock: string): number | undefined {
  const parts = clock.split(":");
  const [hour = 24, minute = 60, second = 60] = parts.map(Number);
  const isClock = parts.length === 3 && parts.every((part) => part.length === 2 && isDigits(part));
  return isClock && hour < 24 && minute < 60 && second < 60 ? hour * 3600 + minute * 60 + second : undefined;
}

function isWritable(seconds: number): boolean {
  return seconds >= Date.parse("0000-01-01T00:00:00Z") / 1000 && seconds < Date.UTC(10_000, 0, 1) / 1000;
}

function isDigits(text: string): boolean {
  return text !== "" && Array.from(text).every((character) => "0123456789".includes(character));
}

function trimZeros(digits: string): string {
  return digits.endsWith("0") ? trimZeros(digits.slice(0, -1)) : digits;
}

const two = (most: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, "0"));
const years = fc.oneof(
  fc.integer({ min: 0, max: 9999 }),
  fc.constantFrom(0, 1582, 1900, 1970, 2000, 2024, 2100, 9999),
);
const dates = fc
  .tuple(years, two(13), fc.oneof(two(32), fc.constantFrom("28", "29", "30", "31")))
  .map(([year, month, day]) => `${String(year).padStart(4, "0")}-${month}-${day}`);
const clocks = fc.oneof(
  fc.tuple(two(24), two(60), two(61)).map((parts) => parts.join(":")),
  fc.constantFrom("23:59:60", "22:59:60", "00:59:60", "24:00:00", "23:59:59"),
);
const fractions = fc.oneof(
  fc.constant(""),
  fc.stringMatching(/^\.\d{0,12}$/u),
  fc.constantFrom(".0", ".500", ".000"),
);
const zones = fc.oneof(
  fc.constantFrom("Z", "z", "", "+01:00", "-01:00", "+23:59", "-23:59"),
  fc
    .tuple(fc.constantFrom("+", "-"), two(25), two(61))
    .map(([sign, hour, minute]) => `${sign}${hour}:${minute}`),
);
const dateTimes = fc
  .tuple(dates, fc.constantFrom("T", "T", "T", "t", " "), clocks, fractions, zones)
  .map((parts) => parts.join(""));
const relative = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    fc.stringMatching(/^\d{0,12}$/u),
    fc.constantFrom("s", "m", "h", "d", "w", "S", ""),
  )
  .map((parts) => parts.join(""));
const undashed = dates.map((date) => date.replaceAll("-", ""));
const digits = fc.stringMatching(/^\d{1,13}$/u);
const wellFormed = fc.oneof(
  dates,
  dateTimes,
  relative,
  digits,
  undashed,
  fc.constantFrom("now", "today", "yesterday"),
);
/** One character that replaces a number of others. */
const edited = fc
  .tuple(
    wellFormed,
    fc.nat(40),
    fc.nat(1),
    fc.constantFrom("", "0", "9", "-", ":", ".", "T", "Z", " ", "\n", "٣", "s"),
  )
  .map(([text, at, gone, put]) => text.slice(0, at) + put + text.slice(at + gone));

test("two independent grammars parse or reject every text in the same way", () => {
  fc.assert(
    fc.property(fc.oneof(wellFormed, edited), (text) => {
      const bound = parseTimeBound(text, now);
      const expected = readByDate(text);
      expect("problem" in bound ? undefined : bound).toEqual(expected);
    }),
    { numRuns: isLong ? 500_000 : 5000 },
  );
});
