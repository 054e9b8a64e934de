/** Results are the same in every time zone. The Gregorian calendar also applies before 1582 (as in RFC 3339). */

export const SECONDS_PER_DAY = 86_400;

/** Returns 0 for an invalid month. */
function daysInMonth(year: number, month: number): number {
  return month >= 1 && month <= 12 ? dayNumber(year, month + 1, 1) - dayNumber(year, month, 1) : 0;
}

/** Returns the days since 1970-01-01. Month 13 is the next January. Takes a quarter of the time of a `Date`. */
export function dayNumber(year: number, month: number, day: number): number {
  // Counted from March, a year ends with its leap day, and its months have 31, 30, 31, 30, 31 days over and over.
  const years = month > 2 ? year : year - 1;
  const months = (month + 9) % 12;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + Math.floor((months * 153 + 2) / 5) + day - DAYS_BEFORE_1970;
}

const DAYS_BEFORE_1970 = 719_469;

/** Converts `20261121` to `2026-11-21`, and the year `2026` to its first day; undefined for any other number. */
function undashedDate(text: string): string | undefined {
  if (/^(?:19|20)\d\d$/.test(text)) return `${text}-01-01`;
  const parts = /^(\d{4})(\d{2})(\d{2})$/.exec(text)?.slice(1) ?? [];
  const [year = 0, month = 0, day = 0] = parts.map(Number);
  return day >= 1 && day <= daysInMonth(year, month) ? parts.join("-") : undefined;
}

/**
 * Years outside 0000 to 9999 have a sign and six digits, as in ISO 8601, because RFC 3339 does not support them.
 * Seconds beyond the range of `Date`, which ends in the year 275760, stay a number.
 */
export function writeUtc(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? String(seconds) : time.toISOString().slice(0, -".000Z".length);
}

/** Unix seconds, rounded down, and the decimal digits without trailing zeros, which preserve all nanoseconds. */
export interface Instant {
  readonly seconds: number;
  readonly fraction: string;
}

/** RFC 3339's range: years 0000 to 9999. */
const LATEST = dayNumber(9999, 12, 31) * SECONDS_PER_DAY + SECONDS_PER_DAY - 1;
const EARLIEST = dayNumber(0, 1, 1) * SECONDS_PER_DAY;

export const secondsPerUnit: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: SECONDS_PER_DAY,
  w: 7 * SECONDS_PER_DAY,
};

/**
 * Parses `now`; `today` and `yesterday` (00:00 UTC); `-24h` or `24h` before now (units s, m, h, d); RFC 3339 with any
 * offset, also without seconds; `YYYY-MM-DD` (00:00 UTC); and Unix seconds of up to 11 digits. Eight digits that form a
 * date, such as 20261121, are rejected. `now` as a number is in milliseconds and is rounded down, so that relative times
 * are plain numbers on the wire. For invalid text, returns a `problem` that is printed after `--from "2026-02-30": `,
 * and optionally a suggestion.
 */
export function parseTimeBound(text: string, now: Instant | number): Instant | RefusedTime {
  const instant = readTimeBound(text, typeof now === "number" ? atSecond(now / 1000) : now);
  if (instant === undefined) return explainRefusedTime(text);
  return hasFourDigitYear(instant) ? instant : { problem: "must be within the years 0000 to 9999" };
}

/** An offset or a number of seconds can result in a time that RFC 3339 cannot represent. */
export function hasFourDigitYear({ seconds }: Instant): boolean {
  return seconds >= EARLIEST && seconds <= LATEST;
}

const WITHOUT_SECONDS = /^(\S{10}T\d\d:\d\d)(?=(?:Z|[+-]\d\d:\d\d)$)/i;

function readTimeBound(text: string, now: Instant): Instant | undefined {
  if (/^\d{1,11}$/.test(text))
    return undashedDate(text) === undefined ? { seconds: Number(text), fraction: "" } : undefined;
  const instant = parseRfc3339(text.replace(WITHOUT_SECONDS, "$1:00")) ?? parseDate(text);
  if (instant !== undefined) return instant;
  if (text === "now") return now;
  const daysAgo = ["today", "yesterday"].indexOf(text);
  if (daysAgo >= 0)
    return { seconds: (Math.floor(now.seconds / SECONDS_PER_DAY) - daysAgo) * SECONDS_PER_DAY, fraction: "" };
  const relative = /^-?(\d+)([smhd])$/.exec(text);
  if (relative === null) return undefined;
  const unit = secondsPerUnit[relative[2] ?? ""] ?? 1;
  return { seconds: now.seconds - Number(relative[1]) * unit, fraction: now.fraction };
}

/** Parses only an RFC 3339 `full-date`, as 00:00 UTC; undefined for anything else. */
export function parseDate(text: string): Instant | undefined {
  const seconds = text.length === 10 ? startOfDay(text) : undefined;
  return seconds === undefined ? undefined : { seconds, fraction: "" };
}

/**
 * Parses only an RFC 3339 `date-time` (section 5.6), but rejects the space that the note there allows. Second 60 is
 * valid where a leap second can occur. It becomes the next second, because Unix time has no leap seconds.
 */
export function parseRfc3339(text: string): Instant | undefined {
  const midnight = startOfDay(text);
  if (midnight === undefined) return undefined;
  const [hour, minute, second] = [numberAt(text, 11, 13), numberAt(text, 14, 16), numberAt(text, 17, 19)];
  const isMarked = (text[10] === "T" || text[10] === "t") && text[13] === ":" && text[16] === ":";
  const ending = endingOf(text);
  const isWithinDay = hour <= 23 && minute <= 59 && second <= 60;
  if (!isMarked || !isWithinDay || ending === undefined) return undefined;
  const seconds = midnight + hour * 3600 + minute * 60 + second - ending.offset;
  if (second === 60 && !writeUtc(seconds).endsWith("-01T00:00:00")) return undefined;
  return { seconds, fraction: ending.fraction };
}

/** The text begins with a date. Returns its midnight (UTC) in Unix seconds; undefined for a day such as February 30. */
function startOfDay(text: string): number | undefined {
  const [year, month, day] = [numberAt(text, 0, 4), numberAt(text, 5, 7), numberAt(text, 8, 10)];
  const isDay = text[4] === "-" && text[7] === "-" && day >= 1 && day <= daysInMonth(year, month);
  return isDay ? dayNumber(year, month, day) * SECONDS_PER_DAY : undefined;
}

/** NaN if one of the characters is not a digit. A response has a thousand times, and a pattern creates many strings. */
function numberAt(text: string, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index += 1) {
    const digit = text.charCodeAt(index) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

const ZERO = 48;

/** What follows the seconds. `offset` is in seconds. */
function endingOf(text: string): { readonly fraction: string; readonly offset: number } | undefined {
  if (text.length === 20 && text[19] === "Z") return { fraction: "", offset: 0 };
  const parts = /^(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/.exec(text.slice(19));
  const [hour, minute] = [Number(parts?.[3] ?? 0), Number(parts?.[4] ?? 0)];
  if (parts === null || hour > 23 || minute > 59) return undefined;
  const offset = (parts[2] === "-" ? -1 : 1) * (hour * 3600 + minute * 60);
  return { fraction: withoutTrailingZeros(parts[1] ?? ""), offset };
}

export function formatInstant(instant: Instant): string {
  return `${writeUtc(instant.seconds)}${instant.fraction === "" ? "" : `.${instant.fraction}`}Z`;
}

/** Unix seconds with the fraction, as far as a double can hold it. Never rounded up to the next second. */
export function secondsOf({ seconds, fraction }: Instant): number {
  return seconds + Number(`0.${fraction.slice(0, 6)}0`);
}

export function compareInstants(a: Instant, b: Instant): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  // Without trailing zeros, digits after the decimal point sort like text: "49" < "5" < "51".
  if (a.fraction === b.fraction) return 0;
  return a.fraction < b.fraction ? -1 : 1;
}

/**
 * Formats a time as Unix seconds. Uses RFC 3339 for fractions of a second, which Unix seconds would drop, and
 * for times before 1970, because the service reads a leading minus as an offset from its clock.
 */
export function toWire(instant: Instant): string {
  return instant.fraction === "" && instant.seconds >= 0 ? String(instant.seconds) : formatInstant(instant);
}

export function atSecond(seconds: number): Instant {
  return { seconds: Math.floor(seconds), fraction: "" };
}

/** In RFC 3339 format, without fractional seconds. */
export function showSeconds(seconds: number): string {
  return formatInstant(atSecond(seconds));
}

/** In the API's format. */
export function wireOf(seconds: number): string {
  return toWire(atSecond(seconds));
}

/** The pattern `/0+$/` takes quadratic time on a long run of zeros in the middle of the text. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

export function fromWire(text: string): Instant {
  if (/^\d+$/.test(text)) return { seconds: Number(text), fraction: "" };
  const instant = parseRfc3339(text);
  if (instant === undefined) throw new Error(`"${text}" was not written by toWire`);
  return instant;
}

/** `problem` is printed after `--from "…": `, and `next` on a separate line. */
export interface RefusedTime {
  readonly problem: string;
  readonly next?: string;
}

const ACCEPTED = "a time such as now, -24h, 2026-11-21, 2026-11-21T08:54:00Z or 1795251240";

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

const RELATIVE = "must be a whole number of s, m, h or d, counted back from now";

/** Multiples of accepted units. Months have no fixed length, and a capital M may mean month, so both are left out. */
const UNITS: readonly (readonly [RegExp, number, string])[] = [
  [/^([sS]|secs?|seconds?)$/, 1, "s"],
  [/^(m|mins?|minutes?)$/, 1, "m"],
  [/^([hH]|hrs?|hours?)$/, 1, "h"],
  [/^([dD]|days?)$/, 1, "d"],
  [/^([wW]|wks?|weeks?)$/, 7, "d"],
];

function explainRefusedTime(text: string): RefusedTime {
  if (/^\d+$/.test(text)) return explainDigits(text);
  const [, amount, unit = ""] = /^-?(\d{1,9}) ?([A-Za-z]*)(?: ago)?$/.exec(text) ?? [];
  const [, factor, known] = UNITS.find(([pattern]) => pattern.test(unit)) ?? [];
  if (factor !== undefined) return { problem: RELATIVE, next: `use -${Number(amount) * factor}${known}` };
  if (/^(?!\d+[ap]m$)-?(?:\d+\.?\d*|\.\d+)[a-z]*$/i.test(text))
    return { problem: RELATIVE, next: "e.g. -24h" };
  const [date, ...parts] = /^(\d{4})-(\d{2})-(\d{2})(?![\d-])/.exec(text) ?? [];
  if (date === undefined) return { problem: `must be ${ACCEPTED}` };
  const [year = 0, month = 0, day = 0] = parts.map(Number);
  return (
    explainDate(year, month, day) ?? explainTimeOfDay(date, text.replace(" ", "T").replace(/ ?UTC$/i, ""))
  );
}

function explainDigits(text: string): RefusedTime {
  const date = undashedDate(text);
  if (date !== undefined) return { problem: "dates must have dashes", next: `did you mean ${date}?` };
  const problem = "Unix seconds have at most 11 digits";
  if (text.length !== 13) return { problem, next: `use ${ACCEPTED}` };
  const [seconds, fraction] = [text.slice(0, 10), text.slice(10)];
  // Dropping a fraction other than zero would change the time.
  const use = fraction === "000" ? seconds : `${writeUtc(Number(seconds))}.${fraction}Z`;
  return { problem: `${problem}; this looks like milliseconds`, next: `use ${use}` };
}

function explainDate(year: number, month: number, day: number): RefusedTime | undefined {
  const name = MONTHS[month - 1];
  if (name === undefined) return { problem: `invalid month ${month}; months are 01 to 12` };
  const days = daysInMonth(year, month);
  if (day >= 1 && day <= days) return undefined;
  return { problem: `${name} ${year} has ${days} days` };
}

function explainTimeOfDay(date: string, text: string): RefusedTime {
  const withColon = text.replace(
    /([+-]\d\d)(\d\d)?$/,
    (_, hours: string, minutes = "00") => `${hours}:${minutes}`,
  );
  const meant = [`${text}Z`, text, withColon].find((each) => readTimeBound(each, atSecond(0)) !== undefined);
  const problem = "must be a date, or a date, T, a time, and Z for UTC or an offset such as +02:00";
  return { problem, next: meant === undefined ? `e.g. ${date} or ${date}T08:54:00Z` : `use ${meant}` };
}
