import { invalidInput } from "../base/failure.ts";

const unitMilliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Converts `500ms`, `30s`, `1.5m`, `2h` or `1d` to milliseconds (more than 0). Rejects a bare number. `bound` is for the
 * message.
 */
export function readDuration(
  label: string,
  typed: string,
  bound: "more than 0" | "or 0" = "more than 0",
): number {
  const milliseconds = parseDuration(typed);
  if (milliseconds !== undefined) return milliseconds;
  throw invalidInput(label, `${durationProblem}, ${bound}`, unitHint(typed));
}

export const durationProblem = "must be a duration such as 500ms, 30s, 5m or 1h";

/** In milliseconds; undefined if the string is 0 or not a duration. */
export function parseDuration(typed: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smhd])$/u.exec(typed);
  const milliseconds = Number(match?.[1]) * (unitMilliseconds[match?.[2] ?? ""] ?? Number.NaN);
  return milliseconds > 0 ? milliseconds : undefined;
}

/** Suggests seconds for a number without a unit. */
export function unitHint(typed: string): string | undefined {
  return /^\d+$/u.test(typed) && Number(typed) > 0 ? `did you mean ${typed}s?` : undefined;
}

const centuryDays = 36_500;

/** Exact, in one unit, as flags accept it: `90m`, `49h`. */
export function exactDuration(milliseconds: number): string {
  const unit = ["h", "m", "s"].find((each) => milliseconds % (unitMilliseconds[each] ?? 1) === 0) ?? "ms";
  return `${milliseconds / (unitMilliseconds[unit] ?? 1)}${unit}`;
}

/**
 * For people: `500ms`, `1.2s`, `2m5s`, `1h`, `3d4h`. Precise to 0.1 s below a minute, to the second below two days, and to
 * the hour above that. Rounded up, so that no wait appears shorter than it is.
 */
export function formatDuration(milliseconds: number): string {
  if (milliseconds <= 999) return `${Math.ceil(milliseconds)}ms`;
  const tenths = Math.ceil(milliseconds / 100);
  if (tenths < 600) return `${tenths / 10}s`;
  const seconds = Math.ceil(milliseconds / 1000);
  const hours = Math.ceil(seconds / 3600);
  if (hours > centuryDays * 24) return "more than a hundred years";
  const parts =
    seconds > 2 * 86_400
      ? ([
          [Math.floor(hours / 24), "d"],
          [hours % 24, "h"],
        ] as const)
      : ([
          [Math.floor(seconds / 3600), "h"],
          [Math.floor(seconds / 60) % 60, "m"],
          [seconds % 60, "s"],
        ] as const);
  return parts.map(([count, unit]) => (count === 0 ? "" : `${count}${unit}`)).join("");
}

/** Rounds up to seconds. */
export function formatSeconds(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds <= 0 ? "0s" : formatDuration(seconds * 1000);
}
