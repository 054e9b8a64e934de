import { bothBudgets, type Budget, unbounded } from "../../client/spending/budget.ts";
import { runBudget } from "../../client/spending/run-budget.ts";
import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import { dailyBudget } from "./daily-budget.ts";
import type { RunOptions } from "../run-options.ts";

/** What this run may spend: `--max-credits`, and of the day's budget what is left. The sandbox has no day to spend. */
export function budgetOf(
  context: Context,
  { maxCredits, settings }: RunOptions,
  target: Pick<Target, "rest" | "key" | "isSimulated">,
  warn: (line: string) => void,
): Budget {
  const ofRun = maxCredits === undefined ? unbounded : runBudget(maxCredits);
  const { value: most, source } = settings.budget_daily;
  if (most === undefined || target.isSimulated) return ofRun;
  const changedBy =
    source === "environment" ? "DEXDATA_BUDGET_DAILY" : "dexdata config set budget.daily <credits>";
  return bothBudgets(ofRun, dailyBudget(context, target, { most, changedBy }, warn));
}
