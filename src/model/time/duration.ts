import { usageFailure } from "../failure.ts";

const unitMilliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `500ms`, `30s`, `1.5m`, `2h`, `1d` → milliseconds, more than 0. A bare number has no unit and is refused. */
export function readDuration(label: string, typed: string): number {
  const milliseconds = parseDuration(typed);
  if (milliseconds !== undefined) return milliseconds;
  throw usageFailure(`${label}: ${durationProblem}, more than 0`, unitHint(typed));
}

export const durationProblem = "must be a duration such as 500ms, 30s, 5m or 1h";

/** Undefined where it is none, or 0. */
export function parseDuration(typed: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smhd])$/u.exec(typed);
  const milliseconds = Number(match?.[1]) * (unitMilliseconds[match?.[2] ?? ""] ?? Number.NaN);
  return milliseconds > 0 ? milliseconds : undefined;
}

/** What to type instead of a number without a unit. */
export function unitHint(typed: string): string | undefined {
  return /^\d+$/u.test(typed) && Number(typed) > 0 ? `did you mean ${typed}s?` : undefined;
}
