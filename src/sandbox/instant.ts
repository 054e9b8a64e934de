/**
 * A time a request names, as the market can use it: trades fall on whole seconds, so of a fraction only its being
 * there matters. `seconds` is the whole second at or before it.
 */
export interface RequestInstant {
  readonly seconds: number;
  readonly hasFraction: boolean;
}

const SECONDS_PER: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Specification, endpoint 1: unix seconds, a relative offset with a leading minus, an RFC 3339 timestamp, or a date
 * at 00:00 UTC. Undefined for everything else. `now`: unix seconds of the sandbox's clock.
 */
export function readInstant(text: string, now: number): RequestInstant | undefined {
  // Thirteen digits are milliseconds, which the service does not take.
  if (/^\d{1,11}$/.test(text)) return whole(Number(text));
  const offset = /^-(\d{1,10})([smhd])$/.exec(text);
  if (offset !== null) return whole(now - Number(offset[1]) * (SECONDS_PER[offset[2] ?? ""] ?? 1));
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (date !== null) return startOfDay(date.slice(1));
  return readTimestamp(text);
}

/** Bounds are inclusive: the first whole second at or after the instant. */
export function atOrAfter(instant: RequestInstant): number {
  return instant.hasFraction ? instant.seconds + 1 : instant.seconds;
}

/** Whole unix seconds as RFC 3339 in UTC, `2026-09-28T13:07:35Z`. */
export function writeInstant(seconds: number): string {
  const day = Math.floor(seconds / 86_400);
  // Every row has an instant, most of a page lie on one day, and a Date costs more than the rest of a row.
  if (day !== writtenDay) {
    writtenDate = new Date(day * 86_400_000).toISOString().slice(0, -13);
    writtenDay = day;
  }
  const second = seconds - day * 86_400;
  return `${writtenDate}${pair(second / 3600)}:${pair((second / 60) % 60)}:${pair(second % 60)}Z`;
}

let writtenDay = Number.NaN;
let writtenDate = "";

function pair(value: number): string {
  return value < 10 ? `0${Math.floor(value)}` : `${Math.floor(value)}`;
}

/** The same with milliseconds, the form the service uses for pools: `2023-11-26T20:25:08.000Z`. */
export function writeInstantMs(seconds: number): string {
  return `${writeInstant(seconds).slice(0, -1)}.000Z`;
}

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

function readTimestamp(text: string): RequestInstant | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const day = startOfDay((match[1] ?? "").split("-"));
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4])];
  const [offsetHour, offsetMinute] = [Number(match[8] ?? 0), Number(match[9] ?? 0)];
  if (day === undefined || hour > 23 || minute > 59 || second > 60) return undefined;
  if (offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (offsetHour * 3600 + offsetMinute * 60) * (match[7] === "-" ? -1 : 1);
  const seconds = day.seconds + hour * 3600 + minute * 60 + second - offset;
  // RFC 3339, 5.7: a leap second stands at the end of a UTC day and nowhere else.
  if (second === 60 && seconds % 86_400 !== 0) return undefined;
  return { seconds, hasFraction: /[1-9]/.test(match[5] ?? "") };
}

/** Undefined for a day the calendar does not have: `Date` would roll it over into the next month. */
function startOfDay(parts: readonly string[]): RequestInstant | undefined {
  const [year = 0, month = 0, day = 0] = parts.map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) return undefined;
  return whole(date.getTime() / 1000);
}

function whole(seconds: number): RequestInstant {
  return { seconds, hasFraction: false };
}
