/**
 * The Gregorian calendar in whole numbers, extended to the years before its introduction (as in RFC 3339). It does not use
 * the time zone, the locale or `Date`, so results are the same everywhere.
 */

export const SECONDS_PER_DAY = 86_400;

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAYS_BEFORE_1970 = 719_528;

/** The number of days of a month (from 1); 0 if there is no such month. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);
}

/** Days from 1970-01-01 to a date that exists; negative before it. */
export function dayNumber(year: number, month: number, day: number): number {
  let days = daysBeforeYear(year) + day - 1 - DAYS_BEFORE_1970;
  for (let earlier = 1; earlier < month; earlier++) days += daysInMonth(year, earlier);
  return days;
}

/** `20261121` as `2026-11-21`; undefined if the eight digits are not a date. */
export function undashedDate(text: string): string | undefined {
  const parts = /^(\d{4})(\d{2})(\d{2})$/.exec(text)?.slice(1) ?? [];
  const [year = 0, month = 0, day = 0] = parts.map(Number);
  return day >= 1 && day <= daysInMonth(year, month) ? parts.join("-") : undefined;
}

/**
 * Formats unix seconds as `2026-11-21T08:54:00`, in UTC. Years outside 0000 to 9999 get a sign and six digits as in
 * ISO 8601, because RFC 3339 does not support them.
 */
export function writeUtc(seconds: number): string {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const time = seconds - days * SECONDS_PER_DAY;
  const sinceYearZero = days + DAYS_BEFORE_1970;
  let year = Math.floor(sinceYearZero / 365.2425);
  // The estimate by the mean year is off by two days at most, so one step corrects it. A loop until a match might never
  // end: beyond 2^53 days a step changes nothing, and the service can send any number.
  if (daysBeforeYear(year) > sinceYearZero) year--;
  else if (daysBeforeYear(year + 1) <= sinceYearZero) year++;
  let day = sinceYearZero - daysBeforeYear(year) + 1;
  let month = 1;
  while (month < 12 && day > daysInMonth(year, month)) {
    day -= daysInMonth(year, month);
    month++;
  }
  const clock = [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60].map(twoDigits).join(":");
  return `${writeYear(year)}-${twoDigits(month)}-${twoDigits(day)}T${clock}`;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Days from 0000-01-01: leap years are the multiples of 4, except centuries not divisible by 400. */
function daysBeforeYear(year: number): number {
  return 365 * year + Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400);
}

function writeYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
