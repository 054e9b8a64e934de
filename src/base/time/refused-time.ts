import { daysInMonth, undashedDate, writeUtc } from "./calendar.ts";

/** `problem` is printed after `--from "…": `, and `next` on a separate line. */
export interface RefusedTime {
  readonly problem: string;
  readonly next?: string;
}

const ACCEPTED = "a time such as now, -24h, 2026-11-21, 2026-11-21T08:54:00Z or 1795251240";

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** Multiples of accepted units. Months have no fixed length, and a capital M may mean month, so both are left out. */
const UNITS: readonly (readonly [RegExp, number, string])[] = [
  [/^([sS]|secs?|seconds?)$/, 1, "s"],
  [/^(m|mins?|minutes?)$/, 1, "m"],
  [/^([hH]|hrs?|hours?)$/, 1, "h"],
  [/^([dD]|days?)$/, 1, "d"],
  [/^([wW]|wks?|weeks?)$/, 7, "d"],
  [/^([yY]|yrs?|years?)$/, 365, "d"],
];

export function explainRefusedTime(text: string): RefusedTime {
  if (text === "") return { problem: "must not be empty", next: `use ${ACCEPTED}` };
  if (text.trim() !== text) return { problem: "must not start or end with a space", next: `use ${ACCEPTED}` };
  if (/^\d+$/.test(text)) return explainDigits(text);
  const relative = /^([+-]?)(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(text);
  if (relative !== null) return explainRelative(relative[1] ?? "", relative[2] ?? "", relative[3] ?? "");
  const dated = /^(\d{4})-(\d{2})-(\d{2})(?![\d-])/.exec(text);
  if (dated === null) return { problem: `must be ${ACCEPTED}` };
  return (
    explainDate(Number(dated[1]), Number(dated[2]), Number(dated[3])) ??
    explainTimeOfDay(dated[0], text.slice(dated[0].length))
  );
}

function explainDigits(text: string): RefusedTime {
  const date = undashedDate(text);
  if (date !== undefined) return { problem: "dates must have dashes", next: `did you mean ${date}?` };
  const problem = "Unix seconds have at most 11 digits";
  const subSeconds = new Map(
    [13, 16, 19].map((length, index) => [length, ["milli", "micro", "nano"][index]]),
  );
  const unit = subSeconds.get(text.length);
  if (unit !== undefined) {
    const fraction = text.slice(10);
    const seconds = text.slice(0, 10);
    // Dropping a fraction other than zero would change the time.
    const use = /^0+$/.test(fraction) ? seconds : `${writeUtc(Number(seconds))}.${fraction}Z`;
    return { problem: `${problem}; this looks like ${unit}seconds`, next: `use ${use}` };
  }
  return { problem, next: `use ${ACCEPTED}` };
}

function explainRelative(sign: string, amount: string, unit: string): RefusedTime {
  if (sign === "+")
    return { problem: "must not be in the future; relative times count back from now, e.g. -24h" };
  if (unit === "") return { problem: "must have a unit: s, m, h or d" };
  if (!/^\d{1,9}$/.test(amount)) return { problem: "must be a whole number followed by s, m, h or d" };
  const problem = `unknown unit "${unit}"; must be s, m, h or d`;
  const known = UNITS.find(([pattern]) => pattern.test(unit));
  return known === undefined
    ? { problem }
    : { problem, next: `use -${Number(amount) * known[1]}${known[2]}` };
}

function explainDate(year: number, month: number, day: number): RefusedTime | undefined {
  const name = MONTHS[month - 1];
  if (name === undefined) return { problem: `invalid month ${month}; months are 01 to 12` };
  const days = daysInMonth(year, month);
  if (day >= 1 && day <= days) return undefined;
  return { problem: `${name} ${year} has ${days} days` };
}

/** `rest` is not empty. */
function explainTimeOfDay(date: string, rest: string): RefusedTime {
  const time = /^([Tt ])(\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)? ?(.*)$/.exec(rest);
  const problem = "must be a date, or a date and a time with an offset, separated by T";
  if (time === null) return { problem, next: `use ${date} or ${date}T08:54:00Z` };
  const [, separator, hour = "", minute = "", second, fraction = "", offset = ""] = time;
  if (Number(hour) > 23) return { problem: `invalid hour ${hour}; hours are 00 to 23` };
  if (Number(minute) > 59) return { problem: `invalid minute ${minute}; minutes are 00 to 59` };
  if (Number(second ?? 0) > 59) return { problem: `invalid second ${second}; seconds are 00 to 59` };
  const written = `${date}T${hour}:${minute}:${second ?? "00"}${fraction}`;
  if (offset === "")
    return {
      problem: "must have an offset; add Z for UTC, or an offset such as +02:00",
      next: `use ${written}Z`,
    };
  return explainOffset(offset, written, separator === " ", second === undefined);
}

function explainOffset(offset: string, written: string, spaced: boolean, noSeconds: boolean): RefusedTime {
  const problem = "must end with Z for UTC or an offset such as +02:00";
  const [zone, hour, minute = "00"] = /^(?:[Zz]|([+-]\d{2}):?(\d{2})?)$/.exec(offset) ?? [];
  // It may be a time zone, such as PST, so suggesting Z would silently change the time.
  if (zone === undefined) return { problem };
  if (Math.abs(Number(hour ?? 0)) > 23 || Number(minute) > 59) {
    return { problem: `invalid offset ${offset}; offsets are -23:59 to +23:59` };
  }
  const next = `use ${written}${hour === undefined ? "Z" : `${hour}:${minute}`}`;
  if (spaced) return { problem: "must have a T, not a space, between date and time", next };
  return { problem: noSeconds ? "must include seconds" : problem, next };
}
