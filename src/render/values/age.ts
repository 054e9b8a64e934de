import type { Instant } from "../../time/time.ts";

const STEPS = [
  { below: 60, unit: 1, name: "s" },
  { below: 3600, unit: 60, name: "m" },
  { below: 2 * 86_400, unit: 3600, name: "h" },
  { below: 60 * 86_400, unit: 86_400, name: "d" },
  { below: 730 * 86_400, unit: 30 * 86_400, name: "mo" },
] as const;

/** `3m ago`, `in 2h`, `now`. `now`: milliseconds since the epoch. */
export function showAge(instant: Instant, now: number): string {
  const passed = Math.floor(now / 1000) - instant.seconds;
  const size = Math.abs(passed);
  if (size === 0) return "now";
  const step = STEPS.find(({ below }) => size < below) ?? { unit: 365 * 86_400, name: "y" };
  const length = `${Math.floor(size / step.unit)}${step.name}`;
  return passed > 0 ? `${length} ago` : `in ${length}`;
}
