import { areSame } from "../../base/json/pattern.ts";
import { type TextBytes, toBytes } from "../../base/text/text-hash.ts";
import { type Instant, parseRfc3339 } from "../../base/time/time.ts";
import type { Place } from "./row-checks.ts";
import type { Row } from "./row.ts";
import type { RowKind } from "./row-kind.ts";

const PLAIN = /^[\d-]{10}T\d\d:[0-5]\d:[0-5]\dZ$/u;
const [COLON, LETTER_Z] = [58, 90];
/** The length of `2026-11-21T08:`. */
const hourLength = 14;
const plainLength = 20;

/** Neighboring rows share their date and hour, which are then parsed only once, and no string is created. */
export function createTimeReader(name: string): (row: Row) => Instant | undefined {
  let { view: hour } = toBytes("");
  let hourSeconds = 0;
  return (row) => {
    const found = row.find(name);
    if (found === undefined) return undefined;
    if (hour.byteLength > 0 && found.to - found.from === plainLength) {
      const within = areSame(hour, 0, hourLength, found.view, found.from) ? secondsOfHour(found) : -1;
      if (within >= 0) return { seconds: hourSeconds + within, fraction: "" };
    }
    const text = row.text(name) ?? "";
    const instant = parseRfc3339(text);
    if (instant !== undefined && PLAIN.test(text)) {
      hour = toBytes(text.slice(0, hourLength)).view;
      hourSeconds = Math.floor(instant.seconds / 3600) * 3600;
    }
    return instant;
  };
}

/** From the end of a plain time, such as `53:48Z`; -1 for any other text. */
function secondsOfHour({ view, from }: TextBytes): number {
  const digit = (at: number): number => view.getUint8(from + at) - 48;
  const [tens, minutes, tensOfSeconds, seconds] = [digit(14), digit(15), digit(17), digit(18)];
  const areDigits =
    isBelow(tens, 6) && isBelow(minutes, 10) && isBelow(tensOfSeconds, 6) && isBelow(seconds, 10);
  const isPlain = view.getUint8(from + 16) === COLON && view.getUint8(from + 19) === LETTER_Z;
  return areDigits && isPlain ? tens * 600 + minutes * 60 + tensOfSeconds * 10 + seconds : -1;
}

function isBelow(digit: number, limit: number): boolean {
  return digit >= 0 && digit < limit;
}

export function createPlaceReader({ assetFields, timeField }: RowKind): (row: Row) => Place {
  const timeOf = timeField === undefined ? () => undefined : createTimeReader(timeField);
  const [first = () => "", second] = assetFields.map(createRepeatedText);
  return (row) => {
    const asset = first(row);
    return { time: timeOf(row), asset: second === undefined ? asset : `${asset}:${second(row)}` };
  };
}

/** Most rows have the pool or token of the row above, and comparing bytes takes less time than creating a string. */
function createRepeatedText(name: string): (row: Row) => string {
  let last = "";
  let { view: bytes } = toBytes(last);
  return (row) => {
    const found = row.find(name);
    if (found === undefined) return "";
    const { view, from, to } = found;
    if (to - from === bytes.byteLength && areSame(bytes, 0, bytes.byteLength, view, from)) return last;
    last = row.text(name) ?? "";
    bytes = toBytes(last).view;
    return last;
  };
}
