import { traitsOf } from "../../../api/reply.ts";
import { counted } from "../../../base/text/words.ts";
import { estimate } from "../../run/spending/estimate.ts";
import type { Report } from "../../run/report.ts";
import type { PullPlan } from "../input/pull-plan.ts";

/** In credits. A person who types such a command may not expect more. */
const maxUnannounced = 20;

/**
 * A table on a terminal is rarely read to its end, so its cost is shown before it is spent. `left` is the number of rows
 * after the first page, if only that page contains it.
 */
export function announceCost(plan: PullPlan, report: Report, left: number | undefined): void {
  const { credits = 0, rows = 0 } =
    left === undefined
      ? estimate(plan, undefined)
      : { credits: Math.ceil(left / plan.list.pageSize), rows: left };
  if (credits <= maxUnannounced) return;
  const { isCandles } = traitsOf(plan.endpoint.reply);
  const shorter = isCandles ? ", or use a longer --interval" : "";
  const found = `${counted(rows, "row")} for about ${counted(credits, "credit")}`;
  report.hint(`reading ${isCandles ? "up to " : ""}${found}; to save them, use --out FILE${shorter}`);
}
