import { parseTimeBound, type RefusedTime, SECONDS_PER_DAY, showSeconds } from "./time.ts";

/** One or more UTC days, in Unix seconds. */
export interface Days {
  readonly from: number;
  /** The midnight after the last day. */
  readonly to: number;
  /** The user typed `today` as the last day, so its later rows are not expected. */
  readonly endsNow: boolean;
}

/** `now` is in milliseconds. Days that have not begun are rejected, because they have no rows. */
export function parseDays(text: string, now: number): Days | RefusedTime {
  const [first = "", last = first, ...rest] = text.split("..");
  const [from, to] = [first, last].map((word) => startOfDay(word, now));
  const [begin, end] = [6, 1].map((days) => dateOf(startOfToday(now) - days * SECONDS_PER_DAY));
  const accepted = `use a day such as ${end}, yesterday or today, or a range such as ${begin}..${end}`;
  if (typeof from === "object") return from;
  if (typeof to === "object") return to;
  if (from === undefined || to === undefined || rest.length > 0)
    return { problem: "must be a UTC day or a range of days", next: accepted };
  if (from > to) return { problem: "the first day is after the last", next: `use ${last}..${first}` };
  if (to > startOfToday(now)) return { problem: "must not be in the future", next: accepted };
  return { from, to: to + SECONDS_PER_DAY, endsNow: last === "today" };
}

const dateOf = (seconds: number): string => showSeconds(seconds).slice(0, 10);

/** Undefined unless the word is `today` or `yesterday`, or looks like a date. */
function startOfDay(word: string, now: number): number | RefusedTime | undefined {
  if (!/^(?:today|yesterday|\d{4}-?\d\d-?\d\d)$/u.test(word)) return undefined;
  const day = parseTimeBound(word, now);
  return "problem" in day ? day : day.seconds;
}

/** The end of the time range to request, in Unix seconds. Rows of the future do not exist. */
export function endOfRange({ from, to }: Days, now: number): number {
  return Math.max(from + 1, Math.min(to, Math.floor(now / 1000)));
}

/** For example, `2026-11-25` or `2026-11-20 to 2026-11-25`. */
export function nameOfDays({ from, to }: Days): string {
  const [first, last] = [from, to - 1].map(dateOf);
  return first === last ? `${first}` : `${first} to ${last}`;
}

function startOfToday(now: number): number {
  return Math.floor(now / 1000 / SECONDS_PER_DAY) * SECONDS_PER_DAY;
}
