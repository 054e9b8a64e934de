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
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smhd])$/u.exec(typed);
  const milliseconds = Number(match?.[1]) * (unitMilliseconds[match?.[2] ?? ""] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  const next = /^\d+$/u.test(typed) && Number(typed) > 0 ? `did you mean ${typed}s?` : undefined;
  throw usageFailure(`${label}: must be a duration such as 500ms, 30s, 5m or 1h, more than 0`, next);
}
