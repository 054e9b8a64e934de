import { isLoopback } from "../api/host.ts";
import { usageFailure } from "../base/failure.ts";
import { parseTimeBound, showSeconds } from "../base/time/time.ts";

/**
 * Reads the time that replaces the clock. `source` is the flag or variable with the text `typed`. Both times are in
 * milliseconds since the epoch.
 */
export function readReplacedClock(source: string, typed: string, clock: number): number {
  const instant = parseTimeBound(typed, clock);
  if ("problem" in instant) throw usageFailure(`${source} "${typed}": ${instant.problem}`, instant.next);
  return instant.seconds * 1000 + Number(`0.${instant.fraction}0`) * 1000;
}

/** Undefined for a service on this machine, which may have the same clock, as `dexdata sandbox --clock` does. */
export function warningOfClock(
  rest: string,
  { source, now }: { readonly source: string; readonly now: number },
  user: "run" | "client",
): string | undefined {
  if (isLoopback(new URL(rest).hostname)) return undefined;
  return `${source} is set, so this ${user} uses ${showSeconds(now / 1000)} as the current time`;
}
