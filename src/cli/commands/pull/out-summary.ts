import { isDocument } from "../../../client/list-plan.ts";
import { counted } from "../../../base/text/words.ts";
import { restOf } from "./continuation.ts";
import { cutOffReason, lateStart, type Pull } from "./pull.ts";
import { unsettledDays } from "./report-end.ts";

/** For example, `28,787 rows in swaps.ndjson, complete`. Counts the rows of earlier runs, too. */
export function outSummary(run: Pull, out: string, exit: number): string {
  return `${contentOf(run)} in ${placeOf(run, out)}${stateOf(run, exit)}`;
}

function contentOf({ plan, options, reached: { totals } }: Pull): string {
  if (options.picture === "chart") return `chart of ${counted(totals.rows, "candle")}`;
  return counted(totals.rows, isDocument(plan.list) ? "response" : "row");
}

function placeOf({ options, destination }: Pull, out: string): string {
  const files = options.pattern === undefined ? [] : (destination.files() ?? []);
  if (options.pattern === undefined || files.length === 1) return files[0]?.file ?? out;
  return `${counted(files.length, "file")} (${out})`;
}

/**
 * A list that the limit cut short is not called complete, although the pull has every row that it was to fetch. Whether
 * a response that is printed as a single document has all rows is unknown.
 */
function stateOf(run: Pull, exit: number): string {
  const { plan, reached } = run;
  const { missing, proof } = reached.totals;
  const reason = whyIncomplete(run, exit);
  if (reason !== null) return `, incomplete: ${reason}`;
  if (plan.list.kind === "once") return "";
  // With --missing skip, the run succeeds although the file lacks prices that were requested.
  if (missing > 0) return `, ${counted(missing, "price")} missing`;
  // A resumed pull may have nothing left to fetch, and then it has no last page.
  const isCut = plan.limit !== undefined && proof === undefined;
  return isCut || restOf(run).more === true ? ", limit reached" : ", complete";
}

/** A result can be incomplete even though the run did not fail. */
export function whyIncomplete(run: Pull, exit: number): string | null {
  const { totals } = run.reached;
  const cutOff = cutOffReason(run);
  if (cutOff !== undefined) return cutOff;
  const unsettled = unsettledDays(run);
  if (totals.refused === 0 && unsettled !== undefined) return unsettled.problem;
  if (exit === 0) return lateStart(run) ?? null;
  return totals.refused > 0
    ? `${counted(totals.refused, "input")} rejected`
    : `${counted(totals.missing, "price")} missing`;
}
