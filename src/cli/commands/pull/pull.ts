import { isPaged, traitsOf } from "../../../api/reply.ts";
import type { Client } from "../../../client/client.ts";
import type { SeenKeys } from "../../../client/seen-keys.ts";
import { nextOf, type Page } from "../../../client/page.ts";
import { earlierOf } from "../../../client/meter.ts";
import type { Context } from "../../../base/context/context.ts";
import { isDocument } from "../../../client/list-plan.ts";
import type { Presentation } from "../../render/renderer.ts";
import { drawsUnicode, readsUnicode } from "../../render/terminal.ts";
import type { RunInput, RunOptions } from "../../run/run-options.ts";
import type { Run } from "../../run/with-run.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { OutputClaim, WantedDestination } from "../../../rows/claim-file.ts";
import type { RowsOutput } from "../../../rows/rows-output.ts";
import type { Encoder } from "../../../rows/out-file.ts";
import type { ParquetTarget, WrittenRows } from "../../../rows/parquet-writer.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import { counted } from "../../../base/text/words.ts";
import type { PullState } from "../../run/progress.ts";
import type { PullTotals } from "../../../rows/checkpoint-lines.ts";
import { candleWindow, wholeSeconds } from "../../../client/candle-windows.ts";
import type { ApiRequest, Args } from "../../../api/endpoint.ts";

export interface TypedCommand extends RunInput {
  /** Excludes the flags. */
  readonly command: readonly string[];
}

/** A pull before its first request. The options have the clock of its first run. */
export interface PlannedPull extends Run, TypedCommand {
  readonly plan: PullPlan;
  readonly to: WantedDestination;
  readonly claim: OutputClaim | undefined;
  readonly reached: Reached;
}

/** How far the pull has come. */
interface Reached {
  /** Across all runs. */
  readonly totals: PullTotals;
  last: { readonly request: ApiRequest; readonly page: Page } | undefined;
}

export interface OpenedPull extends PlannedPull {
  readonly client: Client;
}

export interface Pull extends OpenedPull {
  readonly destination: RowsOutput;
  readonly seen: SeenKeys;
  readonly parquet: ParquetOutput | undefined;
}

export interface ParquetOutput {
  readonly target: ParquetTarget;
  readonly encoder: Encoder;
  /** Empty until all rows have been written. A path with fields has several files. */
  readonly written: () => readonly WrittenRows[];
  /** One line for each column with values that do not fit. */
  readonly notes: () => readonly string[];
}

/** What the user typed to select the format. */
export function formatLabel({ output, out }: SharedValues): string {
  return output === undefined ? `--out "${out}"` : `--output ${output}`;
}

/** Why the list is shorter than requested, although it continues; undefined unless --max-rows-read ended it. */
export function cutOffReason({ plan, reached: { totals } }: PlannedPull): string | undefined {
  const isCutOff = plan.list.kind === "pools" && totals.unfinished > 0;
  if (!isCutOff || totals.rows >= (plan.limit ?? Number.POSITIVE_INFINITY)) return undefined;
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

/** Whether inputs failed, or prices are missing that must not be. */
export function lacksInputs({ plan, reached: { totals } }: Pick<PlannedPull, "plan" | "reached">): boolean {
  return totals.refused > 0 || (totals.missing > 0 && plan.missing === "fail");
}

/** What the oldest response of all runs is from, in Unix milliseconds: newer rows may be missing. */
export function asOfPull({ claim, client }: OpenedPull): number | undefined {
  return earlierOf(claim?.interrupted?.progress?.asOf, client.meter.asOf);
}

export function pullState({ client, plan, sources, reached: { totals, last } }: OpenedPull): PullState {
  const { argSets, endpoint, named } = plan;
  const { requests, credits } = client.meter;
  const { rows, question, missing } = totals;
  if (argSets.length > 1) {
    const subject = named[question];
    const label = subject && (sources.names.labelOf(subject) ?? subject.label);
    const inputs = { answered: question, of: argSets.length, label, noun: "input" };
    return { rows, rowsInAll: undefined, inputs, part: question / argSets.length, requests, credits };
  }
  const rowsInAll = rowsWanted(plan, rows, last?.page.left);
  const part = rowsInAll === undefined ? undefined : Math.min(1, (rows + missing) / rowsInAll);
  // Intervals without trades have no row, so progress is measured by time.
  const isByTime = traitsOf(endpoint.reply).isCandles && last !== undefined;
  return { rows, rowsInAll, inputs: undefined, part: isByTime ? partOfTime(last) : part, requests, credits };
}

function rowsWanted({ limit, list, endpoint }: PullPlan, rows: number, left?: number): number | undefined {
  if (list.kind === "batch") return list.subjects.length;
  if (!isPaged(endpoint.reply)) return undefined;
  const wanted = Math.min(limit ?? Number.POSITIVE_INFINITY, rows + (left ?? Number.POSITIVE_INFINITY));
  return Number.isFinite(wanted) ? wanted : undefined;
}

function partOfTime({ request, page }: NonNullable<Reached["last"]>): number {
  const { start, end } = candleWindow(request.args);
  const [from, to] = [wholeSeconds(start), wholeSeconds(end)];
  const next = nextOf(page);
  const reached = next === undefined ? to : wholeSeconds(next.value);
  return (reached - from) / (to - from);
}

export function presentationOf(
  { env }: Pick<Context, "env">,
  options: RunOptions,
  plan: PullPlan,
): Omit<Presentation, "output" | "isContinued"> {
  return {
    ...options,
    ...plan,
    isWhole: isDocument(plan.list),
    queried: queriedFields(plan.argSets[0]),
    isUnicode: options.picture === undefined ? readsUnicode(env) : drawsUnicode(env),
    chart: options.picture === "chart" ? plan.argSets[0] : undefined,
    hasSparks: options.picture === "spark",
    // A date or -1h stands for a time, which the table shows.
    hasAges: plan.timed === undefined,
    lead: plan.timed?.lead?.header,
    parquet: undefined,
    findAsset: undefined,
    before: undefined,
    isOn: undefined,
  };
}

/** For example, `created_at` for `created_after`, and `liquidity_usd` for `liquidity_usd_min`. */
function queriedFields(args: Args = new Map()): readonly string[] {
  const filters = [...args.keys()].filter((name) => /_(?:after|before|min|max)$/u.test(name));
  const filtered = filters.map((name) =>
    name.replace(/_(?:min|max)$/u, "").replace(/_(?:after|before)$/u, "_at"),
  );
  return [args.get("order_by"), ...filtered].filter((field) => field !== undefined);
}
