import { fail, type Failure } from "../../contract/failure.ts";
import { formatDuration } from "../../contract/duration.ts";
import type { ErrorBody } from "../answer/error-body.ts";

/**
 * Milliseconds. A service can request any wait, by mistake even years. The client does not begin a longer one than this,
 * and other commands with the same key are blocked no longer than this.
 */
export const maxServiceWait = 3_600_000;

export function isWaitTooLong({ details: { retryAfter } }: Failure): boolean {
  return retryAfter !== undefined && retryAfter > maxServiceWait;
}

/** The failure of a request whose response requested such a wait. */
export function waitTooLong({ details }: Failure): Failure {
  const wait = formatDuration(details.retryAfter ?? 0);
  const limit = formatDuration(maxServiceWait);
  const { status, why, retryable, body, retryAfter } = details;
  return fail("wait_too_long", `the service requested a wait of ${wait}, longer than the limit of ${limit}`, {
    status,
    why,
    retryable,
    body,
    retryAfter,
  });
}

/**
 * Milliseconds the service asks to wait: the header Retry-After (RFC 9110: whole seconds, or a date), else the
 * body's `retry_after` in seconds. A date is measured against the answer's own Date header, so that a wrong local
 * clock changes nothing; without one it says nothing. Undefined when nothing usable was said.
 */
export function retryAfterMilliseconds(
  headers: ReadonlyMap<string, string>,
  body: ErrorBody,
): number | undefined {
  const header = headers.get("retry-after")?.trim();
  if (header !== undefined) {
    if (/^\d+$/u.test(header)) return Number(header) * 1000;
    const date = parseHttpDate(header);
    const now = parseHttpDate(headers.get("date") ?? "");
    if (date !== undefined && now !== undefined) return Math.max(0, date - now);
  }
  const seconds = body.fields.get("retry_after");
  return seconds !== undefined && /^\d+$/u.test(seconds) ? Number(seconds) * 1000 : undefined;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** IMF-fixdate, RFC 850 and asctime, which RFC 9110 5.6.7 makes every recipient accept; milliseconds. */
export function parseHttpDate(text: string): number | undefined {
  const match =
    /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/u.exec(
      text,
    ) ??
    /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/u.exec(
      text,
    ) ??
    /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/u.exec(
      text,
    );
  const groups = match?.groups;
  if (groups === undefined) return undefined;
  const month = months.indexOf(groups["month"] ?? "");
  const day = Number(groups["day"]);
  const [hour = 99, minute = 99, second = 99] = (groups["time"] ?? "").split(":").map(Number);
  if (month < 0 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined;
  const year = fullYear(groups["year"] ?? "");
  const date = new Date(Date.UTC(year, month, day));
  // 30 February would be a day of March, and the year 0026 one of the last century.
  const isThere = date.getUTCMonth() === month && date.getUTCFullYear() === year;
  // A leap second is the first one of the next minute, also of the next year.
  return isThere ? Date.UTC(year, month, day, hour, minute, second) : undefined;
}

/** Two digits of RFC 850 name a year of the last century from 70 on: no service answers from before 1970. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}
