/** Results are the same in every time zone. The Gregorian calendar also applies before 1582 (as in RFC 3339). */

export const SECONDS_PER_DAY = 86_400;

/** Returns 0 for an invalid month. */
export function daysInMonth(year: number, month: number): number {
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

/** Converts `20261121` to `2026-11-21`; undefined if the eight digits are not a valid date. */
export function undashedDate(text: string): string | undefined {
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
