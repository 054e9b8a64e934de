import { compareInstants, fromWire, type Instant, parseRfc3339, toWire } from "../../time/time.ts";

/** The instant so many seconds later, as on the wire; never later than what was asked for. */
export function upperBound({ seconds, fraction }: Instant, later: number, asked: string | undefined): string {
  const instant = { seconds: seconds + later, fraction };
  return asked !== undefined && compareInstants(fromWire(asked), instant) < 0 ? asked : toWire(instant);
}

/** A bound that only the service can read, as the `-1h` of a raw call, moves with the service's clock. */
export function isFixed(bound: string): boolean {
  return /^\d+$/u.test(bound) || parseRfc3339(bound) !== undefined;
}
