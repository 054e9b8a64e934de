import { isPaged, traitsOf } from "../../../api/reply.ts";
import type { Client } from "../../../client/client.ts";
import type { SeenKeys } from "../../../client/seen-keys.ts";
import { nextOf, type Page } from "../../../client/page.ts";
import { earlierOf } from "../../../client/meter.ts";
import { type RunInput, serviceOf } from "../../run/run-options.ts";
import type { Run } from "../../run/with-run.ts";
import type { PullPlan } from "../input/pull-plan.ts";
import type { OutputClaim, WantedDestination } from "../../../rows/claim-file.ts";
import type { RowsOutput } from "../../../rows/rows-output.ts";
import type { Encoder } from "../../../rows/out-file.ts";
import type { ParquetTarget, WrittenRows } from "../../../rows/parquet-writer.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import { counted } from "../../../base/text/words.ts";
import type { PullState } from "../../run/progress.ts";
import type { PullTotals, CheckpointHeader } from "../../../rows/checkpoint-lines.ts";
import { candleWindow, wholeSeconds } from "../../../client/candle-windows.ts";
import type { ListPlan } from "../../../client/list-plan.ts";
import { createHash } from "node:crypto";
import { type Endpoint, type ApiRequest, withRepeated } from "../../../api/endpoint.ts";
import type { Param } from "../../../api/param.ts";
import { fail } from "../../../base/failure.ts";
import { isSameService, namesIn } from "../../../api/host.ts";
import { formatInstant, fromWire, wireOf } from "../../../base/time/time.ts";

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

type Query = CheckpointHeader["query"];

const labels: Readonly<Record<string, string>> = {
  pageSize: "--page-size",
  limit: "--limit",
  missing: "--missing",
};

function shownPart(name: string, param: Param | undefined, value: string | undefined): string {
  if (value === undefined) return "not set";
  if (name === "service") return namesIn(value);
  // The checkpoint may have been edited, so the value may not be a time.
  const isTime = param?.kind.kind === "time" && /^\d{1,11}$/u.test(value);
  return isTime ? formatInstant(fromWire(value)) : value;
}

/** Everything that determines which rows are fetched and how. Two runs can share a file only if all of it matches. */
export function queryOf({ plan, options, to }: Pick<PlannedPull, "plan" | "options" | "to">): Query {
  const { endpoint, argSets, list, timed, ...rest } = plan;
  const { pageSize, isStrict, start } = list;
  const isOfPages = isPaged(endpoint.reply) && list.kind !== "once";
  const only = argSets.length === 1 ? argSets[0] : undefined;
  const query: Record<string, string> = {
    command: endpoint.raw === undefined ? endpoint.id : `api ${endpoint.raw.path}`,
    service: serviceOf(options),
    "--output": options.format,
    "--fields": options.fields?.join(",") ?? (options.hasAllFields ? "*" : "all"),
    "--columns": options.columns?.join(",") ?? "all",
  };
  if (options.encoder !== undefined) query["packing"] = options.encoder.name;
  if (to.pattern !== undefined) query["--out"] = to.pattern;
  if (options.prefix !== undefined) query["--prefix"] = options.prefix.join(",");
  for (const [name, value] of only === undefined ? [] : withRepeated(endpoint, only))
    query[`parameter: ${name}`] = value;
  if (only === undefined) query["inputs"] = digest(argSets.map((args) => [...args]));
  if (list.kind === "batch") query["inputs"] = digest(list.subjects);
  if (timed !== undefined) {
    const inputs = timed.inputs.map((input, index) => ({ ...input, lead: timed.lead?.cells[index] }));
    query["inputs"] = digest([inputs, timed.assets, timed.quote]);
  }
  const parts = {
    ...rest,
    pageSize,
    isStrict,
    ...(isOfPages && { start, wanted: rest.limit }),
    ...(rest.days && list.kind !== "candles" && { until: wireOf(rest.days.to) }),
    ...(timed && { lead: timed.lead?.header }),
    ...partsOf(list),
  };
  for (const [name, value] of Object.entries(parts)) query[name] = JSON.stringify(value) ?? "all";
  return query;
}

/** Checkpoints contain these names. */
function partsOf(list: ListPlan): Readonly<Record<string, unknown>> {
  switch (list.kind) {
    case "list":
    case "made":
      return {};
    case "once":
      return { once: list.as };
    case "batch":
      return { fillMissing: list.fillMissing };
    case "candles":
      return { candles: { now: list.now, fill: list.fill, address: list.address } };
    case "pools":
      return { ofPool: { param: list.param, tokens: list.tokens, maxRowsRead: list.maxRowsRead } };
  }
}

/** Does not depend on the order of the parts. */
export function queryDigest(query: Query): string {
  return digest(Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

export function checkSameQuery(file: string, begun: Query, asked: Query, endpoint: Endpoint): void {
  for (const name of new Set([...Object.keys(begun), ...Object.keys(asked)])) {
    if (begun[name] === asked[name]) continue;
    if (name === "service" && isSameService(begun[name] ?? "", asked[name] ?? "")) continue;
    const wireName = /^parameter: (.*)$/u.exec(name)?.[1];
    const param = endpoint.params.find((each) => each.name === wireName);
    const label = param?.flag === undefined ? (wireName ?? labels[name] ?? name) : `--${param.flag}`;
    const [was, is] = [begun[name], asked[name]].map((value) => shownPart(name, param, value));
    // Digests of long input lists would explain nothing.
    const difference = name === "inputs" ? "the inputs are different" : `${label}: ${was} then, ${is} now`;
    throw fail("checkpoint", `cannot resume ${file}: it belongs to a different query (${difference})`, {
      next: "repeat the original command, or start over with --force instead of --resume",
    });
  }
}
