import { isPaged, traitsOf } from "../../../api/reply.ts";
import type { SeenKeys } from "../../../client/pages/seen-keys.ts";
import { nextOf } from "../../../client/pages/judge.ts";
import { isCutOff, type Page } from "../../../client/pages/page.ts";
import type { Context } from "../../../base/context/context.ts";
import type { Question } from "../../../api/args.ts";
import type { TypedFlags, Values } from "../../run/flags/flag.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";
import type { NameFinder } from "../../run/asset-names.ts";
import type { OpenClient } from "../../run/open-client.ts";
import type { Report } from "../../run/report.ts";
import type { RunOptions } from "../../run/run-options.ts";
import type { Questions } from "../input/questions.ts";
import type { Destination } from "../../../rows/pull/destination.ts";
import type { EndpointFlags } from "../flags/endpoint-flags.ts";
import { candleWindow, wholeSeconds } from "../../../client/candles/candle-slices.ts";
import type { ParquetOutput } from "./parquet-output.ts";
import { counted } from "../../../base/text/counted.ts";
import type { PullState } from "../../render/progress/progress-parts.ts";

export interface TypedCommand {
  /** Excludes the flags. */
  readonly command: readonly string[];
  readonly input: {
    readonly flags: SharedValues & Partial<Values<Pick<EndpointFlags, "chart" | "spark">>>;
    readonly typed: TypedFlags;
  };
  readonly outer: Context;
}

export interface Pull {
  readonly context: Context;
  readonly options: RunOptions;
  readonly questions: Questions;
  readonly report: Report;
  readonly open: OpenClient;
  readonly destination: Destination;
  readonly seen: SeenKeys;
  readonly typed: TypedCommand;
  /** Only for Parquet. */
  readonly parquet?: ParquetOutput | undefined;
  last?: { readonly question: Question; readonly page: Page };
  /** How many lists have more rows than the limit, if there are several. */
  unfinished?: number;
}

/** Why the list is shorter than requested, although it continues; undefined unless --max-rows-read ended it. */
export function cutOffReason({ last, questions, destination: { tally } }: Pull): string | undefined {
  if (
    last === undefined ||
    !isCutOff(last.page) ||
    tally.rows >= (questions.limit ?? Number.POSITIVE_INFINITY)
  )
    return undefined;
  return `stopped after ${counted(tally.rowsRead ?? 0, "row")} read (--max-rows-read)`;
}

export function pullState(run: Pull, names: NameFinder): PullState {
  const { meter } = run.open.client;
  const { tally } = run.destination;
  const { asked } = run.questions;
  const subject = asked.length > 1 ? run.questions.named[tally.question] : undefined;
  const label = subject && (names.labelOf(subject) ?? subject.label);
  const inputs = asked.length > 1 ? { answered: tally.question, of: asked.length, label } : undefined;
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

function rowsWanted({ questions, destination, last }: Pull): number | undefined {
  const { limit, walk, endpoint } = questions;
  if (walk.subjects !== undefined) return walk.subjects.length;
  if (!isPaged(endpoint.reply)) return undefined;
  const left = last?.page.left ?? Number.POSITIVE_INFINITY;
  const wanted = Math.min(limit ?? Number.POSITIVE_INFINITY, destination.tally.rows + left);
  return Number.isFinite(wanted) ? wanted : undefined;
}

function partOf(
  { questions, destination, last }: Pull,
  inputs: PullState["inputs"],
  rowsInAll: number | undefined,
): number | undefined {
  const { tally } = destination;
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
