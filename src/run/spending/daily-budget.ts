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
import { saidOf } from "../../files/file-fault.ts";
import { sizeOf } from "../../files/paths.ts";
import { member } from "../../json/raw-json.ts";
import { updateStateFile } from "../../files/update-json-file.ts";
import { accountFile, removeUnusedAccounts } from "./open-pace.ts";
import type { RunOptions } from "../run-options.ts";

/** `budget.daily` in credits, and what changes it. */
interface DailyTerms {
  readonly most: number;
  /** A command or a variable: goes before ` changes it`. */
  readonly changedBy: string;
}

interface Spent {
  /** `2026-11-21`, UTC. */
  readonly day: string;
  readonly credits: number;
}

/**
 * What all processes of this machine may spend in a UTC day, with this key (or none) on this service. Credits are
 * noted before a request leaves and taken back when it cost nothing, so a process that is killed in between has
 * spent too much on paper rather than too much in truth.
 */
function dailyBudget(
  context: Context,
  target: Pick<Target, "rest" | "key">,
  { most, changedBy }: DailyTerms,
  warn: (line: string) => void,
): Budget {
  const file = accountFile(context, "budget", target);
  let last: Promise<unknown> = Promise.resolve();

  /** One change at a time in this process: they would only wait for each other's lock. */
  const change = async (by: (spent: Spent) => Spent): Promise<Spent> => {
    const turn = last.then(async () => {
      return await updateStateFile(context, file, (before) => {
        const now = context.clock.now();
        const size = before === undefined ? sizeOf(file) : undefined;
        const isNew = before === undefined && size === undefined;
        if (isNew) removeUnusedAccounts(context, "budget");
        // What a crash of the machine leaves of a file that was just created.
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
      throw notKept(file, saidOf(cause), cause);
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
          // At midnight a new count has begun, which this request is no part of. What cannot be given back stays
          // counted as spent, which is no reason to fail.
          await change((spent) =>
            spent.day === day ? { day, credits: spent.credits - (credits - cost) } : spent,
          ).catch(() => undefined);
        },
      };
    },
  };
}

/** Counted anew each day. What cannot be read is no count of nothing: the budget would be passed unseen. */
function readSpent(content: unknown, file: string, today: string): Spent {
  const [day, credits] = [member(content, "day"), member(content, "credits")];
  if (typeof day !== "string" || typeof credits !== "number")
    throw notKept(file, "it does not hold what this program writes there");
  return day === today ? { day, credits } : { day: today, credits: 0 };
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function passed(most: number, changedBy: string, spent: Spent, credits: number): Failure {
  const end = dayOf(Date.parse(spent.day) + 86_400_000);
  return fail(
    "daily_budget",
    `budget.daily ${most}: ${countedAsSpent(spent.credits)} today, and the next request would cost ${credits}; the day ends at ${end}T00:00:00Z, ${changedBy} changes the budget`,
    { next: undefined },
  );
}

function notKept(file: string, why: string, cause?: unknown): Failure {
  return fail("budget_not_kept", `budget.daily cannot be kept in ${file}: ${why}`, {
    cause,
  });
}

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
