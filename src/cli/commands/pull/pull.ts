import { isPaged, traitsOf } from "../../../api/reply.ts";
import type { Client } from "../../../client/client.ts";
import type { SeenKeys } from "../../../client/seen-keys.ts";
import { isCutOff, nextOf, type Page } from "../../../client/page.ts";
import { earlierOf } from "../../../client/meter.ts";
import type { Context } from "../../../base/context/context.ts";
import type { ApiRequest } from "../../../api/args.ts";
import type { RunInput } from "../../run/run-options.ts";
import type { NamedFiles } from "../../run/output/own-files.ts";
import type { Run } from "../../run/with-run.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { OutputClaim, WantedDestination } from "../../../rows/claim-file.ts";
import type { RowsOutput } from "../../../rows/rows-output.ts";
import type { ParquetOutput } from "./parquet-output.ts";
import { counted } from "../../../base/text/words.ts";
import type { PullState } from "../../render/progress/progress-parts.ts";
import type { PullTotals } from "../../../rows/checkpoint-lines.ts";
import { candleWindow, wholeSeconds } from "../../../client/candle-windows.ts";

export interface TypedCommand extends RunInput, NamedFiles {
  /** Excludes the flags. */
  readonly command: readonly string[];
  readonly outer: Context;
}

/** A pull before its first request. The options have the clock of its first run. */
export interface PlannedPull extends Run, TypedCommand {
  readonly plan: PullPlan;
  readonly to: WantedDestination;
  readonly claim: OutputClaim | undefined;
  readonly reached: Reached;
}

/** How far the pull has come. */
export interface Reached {
  /** Across all runs. */
  readonly totals: PullTotals;
  last: { readonly request: ApiRequest; readonly page: Page } | undefined;
  /** How many lists have more rows than the limit, if there are several. */
  unfinished: number;
  /** Why the service may lack rows of `--day`, although its lists are complete. */
  doubt: string | undefined;
}

export interface OpenedPull extends PlannedPull {
  readonly client: Client;
}

export interface Pull extends OpenedPull {
  readonly destination: RowsOutput;
  readonly seen: SeenKeys;
  readonly parquet: ParquetOutput | undefined;
}

/** Why the list is shorter than requested, although it continues; undefined unless --max-rows-read ended it. */
export function cutOffReason({ plan, reached: { last, totals } }: PlannedPull): string | undefined {
  if (last === undefined || !isCutOff(last.page) || totals.rows >= (plan.limit ?? Number.POSITIVE_INFINITY))
    return undefined;
  return `stopped after ${counted(totals.rowsRead ?? 0, "row")} read (--max-rows-read)`;
}

/**
 * Why a list that was read to its end is not complete: the user chose a later start. A resumed pull has the rows before
 * its position. Fewer rows than the list, as with a limit, are no claim about the list.
 */
export function lateStart({ plan, reached: { totals } }: PlannedPull): string | undefined {
  const { start } = plan.list;
  const isFirst = start === undefined || (start.flag === "page" && start.value === "1");
  if (isFirst || (plan.limit !== undefined && totals.proof === undefined)) return undefined;
  return `the pull started at ${start.flag === "page" ? `page ${start.value}` : "a cursor"}`;
}

/** What the oldest response of all runs is from, in Unix milliseconds: newer rows may be missing. */
export function asOfPull({ claim, client }: OpenedPull): number | undefined {
  return earlierOf(claim?.interrupted?.progress?.asOf, client.meter.asOf);
}

export function pullState(run: OpenedPull): PullState {
  const { meter } = run.client;
  const { totals } = run.reached;
  const { argSets } = run.plan;
  const subject = argSets.length > 1 ? run.plan.named[totals.question] : undefined;
  const label = subject && (run.sources.names.labelOf(subject) ?? subject.label);
  const inputs =
    argSets.length > 1 ? { answered: totals.question, of: argSets.length, label, noun: "input" } : undefined;
  const rowsInAll = inputs === undefined ? rowsWanted(run) : undefined;
  return {
    rows: totals.rows,
    rowsInAll,
    inputs,
    part: partOf(run, inputs, rowsInAll),
    requests: meter.requests,
    credits: meter.credits,
  };
}

function rowsWanted({ plan, reached: { totals, last } }: PlannedPull): number | undefined {
  const { limit, list, endpoint } = plan;
  if (list.kind === "batch") return list.subjects.length;
  if (!isPaged(endpoint.reply)) return undefined;
  const left = last?.page.left ?? Number.POSITIVE_INFINITY;
  const wanted = Math.min(limit ?? Number.POSITIVE_INFINITY, totals.rows + left);
  return Number.isFinite(wanted) ? wanted : undefined;
}

function partOf(
  { plan, reached: { totals, last } }: PlannedPull,
  inputs: PullState["inputs"],
  rowsInAll: number | undefined,
): number | undefined {
  if (inputs !== undefined) return inputs.answered / inputs.of;
  if (rowsInAll !== undefined) return Math.min(1, (totals.rows + totals.missing) / rowsInAll);
  // Intervals without trades have no row, so progress is measured by time.
  if (!traitsOf(plan.endpoint.reply).isCandles || last === undefined) return undefined;
  const { start, end } = candleWindow(last.request.args);
  const [from, to] = [wholeSeconds(start), wholeSeconds(end)];
  const next = nextOf(last.page);
  const reached = next === undefined ? to : wholeSeconds(next.value);
  return (reached - from) / (to - from);
}
