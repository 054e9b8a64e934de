/**
 * Works without time zones, locales or `Date`, so results are the same everywhere, even before 1582 (as in RFC 3339).
 */

export const SECONDS_PER_DAY = 86_400;

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const DAYS_BEFORE_1970 = 719_528;

/** Returns 0 for an invalid month. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0);
}

/** Returns the days since 1970-01-01. */
export function dayNumber(year: number, month: number, day: number): number {
  let days = daysBeforeYear(year) + day - 1 - DAYS_BEFORE_1970;
  for (let earlier = 1; earlier < month; earlier++) days += daysInMonth(year, earlier);
  return days;
}

/** Converts `20261121` to `2026-11-21`; undefined if the eight digits are not a valid date. */
export function undashedDate(text: string): string | undefined {
  const parts = /^(\d{4})(\d{2})(\d{2})$/.exec(text)?.slice(1) ?? [];
  const [year = 0, month = 0, day = 0] = parts.map(Number);
  return day >= 1 && day <= daysInMonth(year, month) ? parts.join("-") : undefined;
}

/** Years outside 0000 to 9999 have a sign and six digits, as in ISO 8601, because RFC 3339 does not support them. */
export function writeUtc(seconds: number): string {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const time = seconds - days * SECONDS_PER_DAY;
  const sinceYearZero = days + DAYS_BEFORE_1970;
  let year = Math.floor(sinceYearZero / 365.2425);
  // The estimate is off by at most two days, so one step is enough. Beyond 2^53 days, where a step has no effect, a
  // loop would never end.
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
