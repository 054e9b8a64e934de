import { candleWindow, wholeSeconds } from "../../client/candles/candle-slices.ts";
import type { Run } from "../answer-questions.ts";

/** How far a pull is. */
export interface PullState {
  /** Rows handed on, also by the runs before. */
  readonly rows: number;
  /** How many there are to be, at most, where that is known. */
  readonly rowsInAll: number | undefined;
  /** Things asked for one by one: those that are answered, of how many; undefined where it is one. */
  readonly inputs: { readonly answered: number; readonly of: number } | undefined;
  /** The part that is done, from 0 to 1; undefined where nobody knows. */
  readonly part: number | undefined;
  readonly requests: number;
  readonly credits: number;
}

export function pullState(run: Pick<Run, "questions" | "destination" | "open" | "last">): PullState {
  const { meter } = run.open.client;
  const { tally } = run.destination;
  const { asked } = run.questions;
  const inputs = asked.length > 1 ? { answered: tally.question, of: asked.length } : undefined;
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

function rowsWanted({
  questions,
  destination,
  last,
}: Pick<Run, "questions" | "destination" | "last">): number | undefined {
  const { limit, walk, endpoint } = questions;
  if (walk.subjects !== undefined) return walk.subjects.length;
  if (endpoint.reply.kind !== "cursor-pages" && endpoint.reply.kind !== "numbered-pages") return undefined;
  const left = last?.page.left ?? Number.POSITIVE_INFINITY;
  const wanted = Math.min(limit ?? Number.POSITIVE_INFINITY, destination.tally.rows + left);
  return Number.isFinite(wanted) ? wanted : undefined;
}

function partOf(
  { questions, destination, last }: Pick<Run, "questions" | "destination" | "last">,
  inputs: PullState["inputs"],
  rowsInAll: number | undefined,
): number | undefined {
  const { tally } = destination;
  if (inputs !== undefined) return inputs.answered / inputs.of;
  if (rowsInAll !== undefined) return Math.min(1, (tally.rows + tally.missing) / rowsInAll);
  // Where intervals have no trade rows are fewer than a window could hold, so it is the window that is measured.
  if (questions.endpoint.reply.kind !== "candles" || last === undefined) return undefined;
  const { start, end } = candleWindow(last.question.args);
  const [from, to] = [wholeSeconds(start), wholeSeconds(end)];
  const reached = last.page.next === undefined ? to : wholeSeconds(last.page.next.value);
  return (reached - from) / (to - from);
}
