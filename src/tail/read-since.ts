import { usageFailure } from "../contract/failure.ts";
import { parseTimeBound } from "../time/time.ts";
import { longestBackfill } from "./feeds.ts";

/** What is just so old when it is typed would be refused as too old when the service reads it, so many seconds later. */
const onTheWay = 5;

/** Where a stream of candles begins, in unix seconds. `name`: what it was given as; `now`: milliseconds. */
export function readSince(name: string, typed: string, now: number): number {
  const label = `${name} "${typed}"`;
  const instant = parseTimeBound(typed, now);
  if ("problem" in instant) throw usageFailure(`${label}: ${instant.problem}`, instant.next);
  const age = Math.floor(now / 1000) - instant.seconds;
  if (age < 0) throw usageFailure(`${label}: lies in the future`, "leave it out to begin now");
  if (age > longestBackfill)
    throw usageFailure(
      `${label}: streams keep the last 15 minutes`,
      "ask for older candles with: dexdata ohlcv",
    );
  return instant.seconds + Math.max(0, age + onTheWay - longestBackfill);
}
