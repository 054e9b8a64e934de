/** Uses only the UTC functions of `Date`, so results are the same in every time zone, even before 1582 (as in RFC 3339). */

export const SECONDS_PER_DAY = 86_400;

/** Returns 0 for an invalid month. */
export function daysInMonth(year: number, month: number): number {
  return month >= 1 && month <= 12 ? dayNumber(year, month + 1, 1) - dayNumber(year, month, 1) : 0;
}

/** Returns the days since 1970-01-01. */
export function dayNumber(year: number, month: number, day: number): number {
  // `Date.UTC` would take the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day) / 1000 / SECONDS_PER_DAY;
}

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
