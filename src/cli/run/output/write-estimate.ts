import type { Endpoint } from "../../../api/endpoint.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ExitCode } from "../../../base/exit-codes.ts";
import type { LocalRow } from "../../render/format.ts";
import type { LocalOutputFlags } from "../flags/shared-flags.ts";
import { beyondPlan, type Target } from "../../../client/target.ts";
import { creditsPerMonth } from "../spending/cost-over-time.ts";
import type { Report } from "../report.ts";
import { formatOf, writeRecord } from "./local-output.ts";

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
  const perMonth = creditsPerMonth(credits);
  const figures = { requests_per_hour: requests, credits_per_hour: credits, credits_per_month: perMonth };
  return await writeRecord(context, flags, figures);
}
