import { answerAge, type Tier } from "../api/tier.ts";
import { parseRfc3339 } from "../base/time/time.ts";
import type { Answer } from "./connection/answer-body.ts";

/** How old the data of a response is. In milliseconds. */
export interface AnswerAge {
  /** The response can lack anything newer than this. In Unix milliseconds, on the service's clock. */
  readonly asOf: number;
  /** The time that the response spent in a cache. */
  readonly age: number;
  /** No header shows the age, so `age` is the longest time that a cache may keep the response. */
  readonly isBound: boolean;
  /** The same request probably gets the same response for this long; 0 if unknown. */
  readonly sameFor: number;
}

/** In milliseconds. A cache may drop a copy early, and a `max-age` of a day by mistake must not stop a run for a day. */
const longestSame = 300_000;

/**
 * Reads the `Date`, `Age` and `Cache-Control` headers. A copy in a cache may have the `Date` of its original, so the age
 * is subtracted only from the time of receipt. A response that comes from no cache shows how wrong the local clock is.
 */
export function createAgeReader(tier: Tier) {
  const delay = answerAge(tier) * 1000;
  let ahead: number | undefined;
  return ({ headers, received }: Pick<Answer, "headers" | "received">): AnswerAge => {
    const date = parseHttpDate(headers.get("date") ?? "");
    const known = /^(\d{1,8})$/u.exec(headers.get("age") ?? "")?.[1];
    const kept = [...(headers.get("cache-control") ?? "").matchAll(/\b(?:s-maxage|max-age)="?(\d{1,8})/giu)];
    const longest = Math.max(0, ...kept.map(([, seconds]) => Number(seconds))) * 1000;
    const age = known === undefined ? longest : Number(known) * 1000;
    if (date !== undefined && Number(known ?? 0) === 0) ahead = date - received;
    const present = received + (ahead ?? Math.max(0, (date ?? received) - received));
    const made = known === undefined ? (date ?? present) - age : Math.min(date ?? present, present - age);
    const sameFor = known === undefined ? 0 : Math.min(longestSame, Math.max(0, longest - age));
    return { asOf: made - delay, age, isBound: known === undefined && age > 0, sameFor };
  };
}

/**
 * The wait in milliseconds, from the Retry-After header (RFC 9110: integer seconds or a date) or else from
 * `retry_after` in the body (seconds). A date is compared with the response's Date header, so that a wrong local clock
 * does no harm. Without a Date header and seconds in the body, it is compared with `received`, the local time in
 * milliseconds.
 */
export function retryAfterMilliseconds(
  headers: ReadonlyMap<string, string>,
  body: { readonly fields: ReadonlyMap<string, string> },
  received: number,
): number | undefined {
  const header = headers.get("retry-after");
  if (header !== undefined && /^\d+$/u.test(header)) return Number(header) * 1000;
  const date = parseHttpDate(header ?? "");
  const now = parseHttpDate(headers.get("date") ?? "");
  if (date !== undefined && now !== undefined) return Math.max(0, date - now);
  const seconds = body.fields.get("retry_after");
  if (seconds !== undefined && /^\d+$/u.test(seconds)) return Number(seconds) * 1000;
  return date === undefined ? undefined : Math.max(0, date - received);
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const clockTime = String.raw`(?<time>\d{2}:\d{2}:\d{2})`;
const shortDay = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
/** The year 0026 is a mistake, and not a time. */
const fullYear = String.raw`(?<year>[1-9]\d{3})`;
const month = "(?<month>[A-Z][a-z]{2})";

/** RFC 9110, 5.6.7 requires recipients to accept all three formats: IMF-fixdate, RFC 850 and asctime. */
const dateForms = [
  String.raw`${shortDay}, (?<day>\d{2}) ${month} ${fullYear} ${clockTime} GMT`,
  String.raw`(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-${month}-(?<year>\d{2}) ${clockTime} GMT`,
  String.raw`${shortDay} ${month} (?<day>[ \d]\d) ${clockTime} ${fullYear}`,
].map((form) => new RegExp(`^${form}$`, "u"));

/** Milliseconds since the epoch, or undefined if the text is not a date. */
export function parseHttpDate(text: string): number | undefined {
  const groups = dateForms.map((form) => form.exec(text)?.groups).find((each) => each !== undefined);
  if (groups === undefined) return undefined;
  const { day = "", month: name = "", year = "", time = "" } = groups;
  // In RFC 850, a year has two digits.
  const century = year.length === 4 ? "" : Number(year) < 70 ? "20" : "19";
  const number = String(months.indexOf(name) + 1).padStart(2, "0");
  const instant = parseRfc3339(`${century}${year}-${number}-${day.replace(" ", "0")}T${time}Z`);
  return instant === undefined ? undefined : instant.seconds * 1000;
}
