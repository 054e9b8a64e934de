import { areSame } from "../../base/json/pattern.ts";
import { toBytes } from "../../base/text/text-hash.ts";
import { createPlainTimes } from "../../base/time/plain-times.ts";
import { type Instant, parseRfc3339 } from "../../base/time/time.ts";
import type { Place } from "./row-checks.ts";
import type { Row } from "./row.ts";
import type { RowKind } from "./row-kind.ts";

export function createTimeReader(name: string): (row: Row) => Instant | undefined {
  const readPlain = createPlainTimes();
  return (row) => {
    const found = row.find(name);
    if (found === undefined) return undefined;
    const seconds = readPlain(found.view, found.from, found.to);
    return Number.isNaN(seconds) ? parseRfc3339(row.text(name) ?? "") : { seconds, fraction: "" };
  };
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
