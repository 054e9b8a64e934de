import { type Instant, parseRfc3339 } from "../time/time.ts";
import type { Place } from "./row-checks.ts";
import type { Row } from "./row.ts";
import type { RowKind } from "./row-kind.ts";

const PLAIN = /^[\d-]{10}T\d\d:[0-5]\d:[0-5]\dZ$/u;
/** The length of `2026-11-21T08:`. */
const hourLength = 14;

/** Neighboring rows share their date and hour, which are then parsed only once. */
export function createTimeReader(): (text: string) => Instant | undefined {
  let hour = "-";
  let hourSeconds = 0;
  return (text) => {
    const isPlain = PLAIN.test(text);
    if (isPlain && text.startsWith(hour)) {
      const digit = (at: number): number => text.charCodeAt(at) - 48;
      const seconds = digit(14) * 600 + digit(15) * 60 + digit(17) * 10 + digit(18);
      return { seconds: hourSeconds + seconds, fraction: "" };
    }
    const instant = parseRfc3339(text);
    if (isPlain && instant !== undefined) {
      hour = text.slice(0, hourLength);
      hourSeconds = Math.floor(instant.seconds / 3600) * 3600;
    }
    return instant;
  };
}

export function createPlaceReader({ assetFields, timeField }: RowKind): (row: Row) => Place {
  const timeOf = createTimeReader();
  const [first, second] = assetFields;
  let last = "";
  return (row) => {
    const time = timeField === undefined ? undefined : row.text(timeField);
    let asset = first === undefined ? "" : (row.text(first) ?? "");
    if (second !== undefined) asset += `:${row.text(second) ?? ""}`;
    // The rules keep assets as keys. A slice would keep the chunk of its row in memory, so this is a copy.
    if (asset !== last) last = Buffer.from(asset).toString();
    return { time: time === undefined ? undefined : timeOf(time), asset: last };
  };
}
