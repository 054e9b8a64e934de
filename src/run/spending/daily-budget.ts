import {
  bothBudgets,
  type Budget,
  countedAsSpent,
  runBudget,
  unbounded,
} from "../../client/spending/credit-budget.ts";
import type { Target } from "../../client/connection/target.ts";
import type { Context } from "../../context/context.ts";
import { fail, Failure } from "../../contract/failure.ts";
import { describeError } from "../../files/file-errors.ts";
import { sizeOf } from "../../files/paths.ts";
import { member } from "../../json/raw-json.ts";
import { updateStateFile } from "../../files/update-json-file.ts";
import { accountFile, removeUnusedAccounts } from "./open-pace.ts";
import type { RunOptions } from "../run-options.ts";

interface Spent {
  /** A UTC date such as `2026-11-21`. */
  readonly day: string;
  readonly credits: number;
}

/**
 * All processes on this machine share one budget per UTC day, service and key (or no key). Credits are recorded before
 * a request and released if it was free, so a killed process leaves the amount too high, not too low. The hint suggests
 * `changedBy`, a command or an environment variable.
 */
function dailyBudget(
  context: Context,
  target: Pick<Target, "rest" | "key">,
  most: number,
  changedBy: string,
  warn: (line: string) => void,
): Budget {
  const file = accountFile(context, "budget", target);
  let last: Promise<unknown> = Promise.resolve();

  /** One at a time, because parallel changes in the same process would only wait for each other's lock. */
  const change = async (by: (spent: Spent) => Spent): Promise<Spent> => {
    const turn = last.then(async () => {
      return await updateStateFile(context, file, (before) => {
        const now = context.clock.now();
        const size = before === undefined ? sizeOf(file) : undefined;
        const isNew = before === undefined && size === undefined;
        if (isNew) removeUnusedAccounts(context, "budget");
        // A machine crash can leave a new file empty.
        if (size === 0) warn(`ignoring ${file}: it is empty, so no spending is recorded for today`);
        const isBlank = isNew || size === 0;
        const after = by(isBlank ? { day: dayOf(now), credits: 0 } : readSpent(before, file, dayOf(now)));
        return { after, result: after };
      });
    });
    last = turn.catch(() => undefined);
    try {
      return await turn;
    } catch (cause) {
      const isOurs = cause instanceof Failure && ["daily_budget", "budget_not_kept"].includes(cause.code);
      if (isOurs || context.signal.aborted) throw cause;
      throw notKept(file, describeError(cause), cause);
    }
  };

  return {
    claim: async (credits) => {
      const { day } = await change((spent) => {
        if (spent.credits + credits > most) throw passed(most, changedBy, spent, credits);
        return { ...spent, credits: spent.credits + credits };
      });
      return {
        settle: async (cost) => {
          if (cost === credits) return;
          // A request from before midnight does not affect the new day. Credits that cannot be released remain
          // recorded.
          await change((spent) =>
            spent.day === day ? { day, credits: spent.credits - (credits - cost) } : spent,
          ).catch(() => undefined);
        },
      };
    },
  };
}

/** An unreadable file must not count as zero, because the run could then exceed the budget. */
function readSpent(content: unknown, file: string, today: string): Spent {
  const [day, credits] = [member(content, "day"), member(content, "credits")];
  if (typeof day !== "string" || typeof credits !== "number") throw notKept(file, "unexpected content");
  return day === today ? { day, credits } : { day: today, credits: 0 };
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function passed(most: number, changedBy: string, spent: Spent, credits: number): Failure {
  const end = dayOf(Date.parse(spent.day) + 86_400_000);
  return fail(
    "daily_budget",
    `budget.daily of ${most} reached: ${countedAsSpent(spent.credits)} today, next request costs ${credits}; resets at ${end}T00:00:00Z`,
    { next: `change the budget with ${changedBy}` },
  );
}

function notKept(file: string, why: string, cause?: unknown): Failure {
  return fail("budget_not_kept", `cannot record the spending for budget.daily in ${file}: ${why}`, {
    cause,
  });
}

/** Combines `--max-credits` with what is left of the daily budget, which the sandbox does not have. */
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
  return bothBudgets(ofRun, dailyBudget(context, target, most, changedBy, warn));
}
