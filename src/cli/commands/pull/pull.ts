import { isPaged, traitsOf } from "../../../api/reply.ts";
import type { Client } from "../../../client/client.ts";
import type { SeenKeys } from "../../../client/seen-keys.ts";
import { nextOf } from "../../../client/page-end.ts";
import { earlierOf } from "../../../client/meter.ts";
import { isCutOff, type Page } from "../../../client/page.ts";
import type { Context } from "../../../base/context/context.ts";
import type { Question } from "../../../api/args.ts";
import type { RunInput } from "../../run/run-options.ts";
import type { Run } from "../../run/with-run.ts";
import type { Questions } from "../input/questions.ts";
import type { Claimed, WantedDestination } from "../../../rows/claim-file.ts";
import type { Destination } from "../../../rows/destination.ts";
import type { ParquetOutput } from "./parquet-output.ts";
import { counted } from "../../../base/text/counted.ts";
import type { PullState } from "../../render/progress/progress-parts.ts";
import type { Tally } from "../../../rows/pull.ts";
import { candleWindow, wholeSeconds } from "../../../client/candle-windows.ts";

export interface TypedCommand extends RunInput {
  /** Excludes the flags. */
  readonly command: readonly string[];
  readonly outer: Context;
}

/** A pull before its first request. The options have the clock of its first run. */
export interface PlannedPull extends Run, TypedCommand {
  readonly questions: Questions;
  readonly to: WantedDestination;
  readonly claimed: Claimed | undefined;
  readonly reached: Reached;
}

/** How far the pull has come. */
export interface Reached {
  /** Across all runs. */
  readonly tally: Tally;
  last: { readonly question: Question; readonly page: Page } | undefined;
  /** How many lists have more rows than the limit, if there are several. */
  unfinished: number;
  /** Why the service may lack rows of `--day`, although its lists are complete. */
  doubt: string | undefined;
}

export interface OpenedPull extends PlannedPull {
  readonly client: Client;
}

export interface Pull extends OpenedPull {
  readonly destination: Destination;
  readonly seen: SeenKeys;
  readonly parquet: ParquetOutput | undefined;
}

/** Why the list is shorter than requested, although it continues; undefined unless --max-rows-read ended it. */
export function cutOffReason({ questions, reached: { last, tally } }: PlannedPull): string | undefined {
  if (
    last === undefined ||
    !isCutOff(last.page) ||
    tally.rows >= (questions.limit ?? Number.POSITIVE_INFINITY)
  )
    return undefined;
  return `stopped after ${counted(tally.rowsRead ?? 0, "row")} read (--max-rows-read)`;
}

/** What the oldest response of all runs is from, in Unix milliseconds: newer rows may be missing. */
export function asOfPull({ claimed, client }: OpenedPull): number | undefined {
  return earlierOf(claimed?.interrupted?.progress?.asOf, client.meter.asOf);
}

export function pullState(run: OpenedPull): PullState {
  const { meter } = run.client;
  const { tally } = run.reached;
  const { asked } = run.questions;
  const subject = asked.length > 1 ? run.questions.named[tally.question] : undefined;
  const label = subject && (run.sources.names.labelOf(subject) ?? subject.label);
  const inputs =
    asked.length > 1 ? { answered: tally.question, of: asked.length, label, noun: "input" } : undefined;
  const rowsInAll = inputs === undefined ? rowsWanted(run) : undefined;
  return {
    rows: tally.rows,
    rowsInAll,
    inputs,
    part: partOf(run, inputs, rowsInAll),
    requests: meter.requests,
    credits: meter.credits,
  };
}

function rowsWanted({ questions, reached: { tally, last } }: PlannedPull): number | undefined {
  const { limit, walk, endpoint } = questions;
  if (walk.kind === "batch") return walk.subjects.length;
  if (!isPaged(endpoint.reply)) return undefined;
  const left = last?.page.left ?? Number.POSITIVE_INFINITY;
  const wanted = Math.min(limit ?? Number.POSITIVE_INFINITY, tally.rows + left);
  return Number.isFinite(wanted) ? wanted : undefined;
}

function partOf(
  { questions, reached: { tally, last } }: PlannedPull,
  inputs: PullState["inputs"],
  rowsInAll: number | undefined,
): number | undefined {
  if (inputs !== undefined) return inputs.answered / inputs.of;
  if (rowsInAll !== undefined) return Math.min(1, (tally.rows + tally.missing) / rowsInAll);
  // Intervals without trades have no row, so progress is measured by time.
  if (!traitsOf(questions.endpoint.reply).isCandles || last === undefined) return undefined;
  const { start, end } = candleWindow(last.question.args);
  const [from, to] = [wholeSeconds(start), wholeSeconds(end)];
  const next = nextOf(last.page);
  const reached = next === undefined ? to : wholeSeconds(next.value);
  return (reached - from) / (to - from);
}
