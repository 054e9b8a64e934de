import type { Endpoint } from "../../../api/endpoint.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import { counted, grouped } from "../../../base/text/words.ts";
import { formatDuration } from "../../../api/duration.ts";
import type { LocalRow } from "../../render/renderer.ts";
import type { LocalOutputFlags } from "../flags/shared-flags.ts";
import { beyondPlan, type Target } from "../../../client/target.ts";
import { formatOf, writeRecord } from "../output/local-output.ts";
import type { Report } from "../report.ts";

/** Keyless and free credits return after 30 days. Billing periods are about as long. */
const hoursPerMonth = 30 * 24;
const hour = 3_600_000;

/** Takes a fraction, because a request every six hours is 120 a month, not 720. */
export function creditsPerMonth(creditsPerHour: number): number {
  return Math.round(creditsPerHour * hoursPerMonth);
}

export function costOverTime(creditsPerHour: number): string {
  const perMonth = grouped(String(creditsPerMonth(creditsPerHour)));
  return `${counted(Math.ceil(creditsPerHour), "credit")}/hour, ${perMonth} a month`;
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

type Figures = LocalRow & { readonly certainty: string; readonly basis: string };

/** In a table, a sentence replaces the figures that are unknown. Programs get every field. */
export async function writeEstimate(
  context: Context,
  flags: LocalOutputFlags,
  figures: Figures,
): Promise<ExitCode> {
  if (figures.certainty !== "unknown" || formatOf(context, flags) !== "table")
    return await writeRecord(context, flags, figures);
  const { certainty, basis, ...others } = figures;
  await context.stdout.write(`${certainty}: ${basis}; --max-credits sets a limit\n`);
  const known = Object.entries(others).filter(([, value]) => value !== null);
  return await writeRecord(context, flags, Object.fromEntries(known));
}

/** For commands that run without an end. */
export async function writeHourlyEstimate(
  { context, report }: { readonly context: Context; readonly report: Pick<Report, "warn"> },
  flags: LocalOutputFlags,
  { command, plan }: Endpoint,
  target: Target,
  { requests, credits }: { readonly requests: number; readonly credits: number },
): Promise<ExitCode> {
  const beyond = beyondPlan(command, plan, target);
  if (beyond !== undefined) report.warn(beyond);
  return await writeRecord(context, flags, {
    requests_per_hour: Math.ceil(requests),
    credits_per_hour: Math.ceil(credits),
    credits_per_month: creditsPerMonth(credits),
  });
}
