import { counted, grouped } from "../../../base/text/words.ts";
import { formatDuration } from "../../../api/duration.ts";

/** Keyless and free credits return after 30 days. Billing periods are about as long. */
const hoursPerMonth = 30 * 24;
const hour = 3_600_000;

/** For commands that run without an end. */
export function creditsPerMonth(creditsPerHour: number): number {
  return creditsPerHour * hoursPerMonth;
}

export function costOverTime(creditsPerHour: number): string {
  return `${counted(creditsPerHour, "credit")}/hour, ${grouped(String(creditsPerMonth(creditsPerHour)))} a month`;
}

/** `left` has only digits. Undefined if the service has not said it, or if they last longer than a month. */
export function creditsLast(left: string | undefined, creditsPerHour: number): string | undefined {
  if (left === undefined || Number(left) === 0 || creditsPerHour === 0) return undefined;
  const hours = Number(left) / creditsPerHour;
  // They are renewed before they are used up.
  if (hours > hoursPerMonth) return undefined;
  return `your ${grouped(left)} credits last ${formatDuration(roughly(hours * hour))}`;
}

/** In whole minutes, and from two hours on in whole hours, because the cost is not exact either. */
function roughly(milliseconds: number): number {
  const unit = milliseconds < 2 * hour ? hour / 60 : hour;
  return Math.max(hour / 60, Math.floor(milliseconds / unit) * unit);
}
