import path from "node:path";
import { bothBudgets, type Budget, runBudget, unbounded } from "../../../client/credit-budget.ts";
import type { Target } from "../../../client/target.ts";
import type { Context } from "../../../base/context/context.ts";
import { fail, Failure } from "../../../base/failure.ts";
import { describeError } from "../../../base/files/file-errors.ts";
import { sizeOf } from "../../../base/files/paths.ts";
import { member } from "../../../base/json/json-scan.ts";
import { updateStateFile, removeUnused } from "../../../base/files/json-file.ts";
import type { RunOptions } from "../run-options.ts";
import { createPace, memoryStore, type PaceStore, type Pace } from "../../../client/pace.ts";
import { chooseRate, readPaceState } from "../../../client/pace-state.ts";
import type { Report } from "../report.ts";
import { createHash } from "node:crypto";
import { stagingSuffix } from "../../../base/files/replace-file.ts";
import { hashOfText } from "../../../base/text/text-hash.ts";
import { quoted } from "../../../base/text/words.ts";
import { findFolders } from "../../folders.ts";

/** All processes on this machine that use the key share its request rate. */
export function openPace(
  context: Context,
  { rpm }: Pick<RunOptions, "rpm">,
  target: Target,
  report: Pick<Report, "warn" | "pausing">,
): Pace {
  const rate = chooseRate(rpm, target.tier);
  // A sandbox in this process has its own rate limit, which other processes do not use.
  const isAlone = target.isSimulated || rate.kind === "unlimited";
  const store = isAlone ? memoryStore() : sharedStore(context, accountFile(context, "pace", target), report);
  return createPace(context, { rate, store, pausing: report.pausing });
}

/** If the shared file becomes unusable, this process continues alone with the last known state. */
function sharedStore(context: Context, file: string, { warn }: Pick<Report, "warn">): PaceStore {
  const own = memoryStore();
  let isShared = true;
  const update: PaceStore["update"] = async (change) => {
    if (!isShared) return await own.update(change);
    try {
      return await updateStateFile(context, file, (content) => {
        if (content === undefined) removeUnusedAccounts(context, "pace");
        const changed = change(readPaceState(content));
        void own.update(() => changed);
        return changed;
      });
    } catch (cause) {
      if (context.signal.aborted) throw cause;
      isShared = false;
      const why = describeError(cause);
      warn(`the request rate cannot be shared with other processes: ${why}`);
      return await own.update(change);
    }
  };
  return { update };
}

/** State that all processes on this machine share for each service and key. */
type Use = "pace" | "budget";

/** The file name is a hash of the service and the key (or no key). */
export function accountFile(context: Context, use: Use, { rest, key }: Pick<Target, "rest" | "key">): string {
  const { origin, pathname } = new URL(rest);
  const service = `${origin}${pathname.replace(/\/+$/u, "")}`;
  // The service is not secret, and loading node:crypto takes longer than the rest of a short run over plain http.
  const hash =
    key === undefined
      ? hashOfText(service)
      : createHash("sha256").update(`${service}\n${key}`).digest("hex").slice(0, 32);
  return path.join(findFolders(context).state, `${use}-${hash}.json`);
}

/** Runs whenever a new file is created, because a sandbox creates one for every new port. */
function removeUnusedAccounts(context: Context, use: Use): void {
  const names = new RegExp(`^${use}-[\\da-f]{16,32}\\.json(?:${stagingSuffix})?$`, "u");
  removeUnused(findFolders(context).state, names, context.clock.now());
}

/** The credits of one UTC day, such as `2026-11-21`. */
interface Day {
  readonly day: string;
  readonly credits: number;
}

interface Spending {
  /** Changes when a lost file is written again, so that each process notices and adds what it knows. */
  readonly series: string;
  /**
   * The last two days that were used, newest use first. If the clock is set back over midnight, spending continues on
   * the earlier day's count.
   */
  readonly days: readonly Day[];
}

/** The spending in the file that all processes on this machine share for a service and key (or no key). */
function openSpending(context: Context, target: Pick<Target, "rest" | "key">, warn: (line: string) => void) {
  const file = accountFile(context, "budget", target);
  // Credits that are already spent are recorded even if the run was interrupted. The lock limits the wait.
  const unending = { ...context, signal: new AbortController().signal };
  let last: Promise<unknown> = Promise.resolve();
  /** As this process last wrote it. The count never falls below it, even if the file is removed or emptied. */
  let own: Spending | undefined;

  const readFile = (before: unknown): Spending => {
    const size = before === undefined ? sizeOf(file) : undefined;
    const isNew = before === undefined && size === undefined;
    if (isNew) removeUnusedAccounts(context, "budget");
    // A machine crash can leave a new file empty.
    if (size === 0 && own === undefined)
      warn(`ignoring ${file}: it is empty, so no spending is recorded for today`);
    if (!isNew && size !== 0) return withOwn(readSpending(before, file), own);
    return { series: Math.floor(context.random() * 2 ** 48).toString(16), days: own?.days ?? [] };
  };

  /** One at a time, because parallel changes in the same process would only wait for each other's lock. */
  const change = async (day: string, by: (spent: Day) => number, locking: Context = unending) => {
    const turn = last.then(async () => {
      const update = await updateStateFile(locking, file, (before) => {
        const { series, days } = readFile(before);
        const spent = days.find((each) => each.day === day) ?? { day, credits: 0 };
        const changed = { day, credits: by(spent) };
        const earlier = days.find((each) => each.day !== day);
        const after = { series, days: earlier === undefined ? [changed] : [changed, earlier] };
        return { after: { ...changed, earlier, series }, result: { after, changed } };
      });
      own = update.after;
      return update.changed;
    });
    last = turn.catch(() => undefined);
    try {
      return await turn;
    } catch (cause) {
      const isOurs = cause instanceof Failure && ["daily_budget", "budget_not_kept"].includes(cause.code);
      if (isOurs || locking.signal.aborted) throw cause;
      throw notKept(file, describeError(cause), cause);
    }
  };

  const today = (): string => dayOf(context.clock.now());

  return {
    change,
    today,
    settled: async (): Promise<void> => {
      await last;
    },
  };
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
  const { change, today, settled } = openSpending(context, target, warn);

  return {
    claim: async (credits) => {
      const add = (spent: Day): number => {
        if (spent.credits + credits > most)
          throw passed(most, changedBy, spent, `next request costs ${credits}`);
        return spent.credits + credits;
      };
      const { day } = await change(today(), add, context);
      return {
        settle: async (cost) => {
          if (cost === credits) return;
          // Credits that cannot be released remain recorded.
          await change(day, (spent) => Math.max(0, spent.credits - (credits - cost))).catch(() => undefined);
        },
      };
    },
    // Also writes the file for 0 credits, because a budget that cannot be recorded must not open a stream either.
    record: async (credits) => {
      const spent = await change(today(), (before) => before.credits + credits);
      if (spent.credits >= most) throw passed(most, changedBy, spent, "next event costs 1");
    },
    settled,
  };
}

/** An unreadable file must not count as zero, because the run could then exceed the budget. */
function readSpending(content: unknown, file: string): Spending {
  const [series, earlier] = [member(content, "series") ?? "", member(content, "earlier")];
  const days = [content, ...(earlier === undefined ? [] : [earlier])].map(readDay);
  const known = days.filter((each) => each !== undefined);
  if (typeof series !== "string" || known.length < days.length)
    throw notKept(
      file,
      "unexpected content",
      undefined,
      `to count from 0 again today, run: rm ${quoted(file)}`,
    );
  return { series, days: known };
}

function readDay(value: unknown): Day | undefined {
  const [day, credits] = [member(value, "day"), member(value, "credits")];
  const isCount = typeof credits === "number" && Number.isSafeInteger(credits) && credits >= 0;
  return typeof day === "string" && isCount ? { day, credits } : undefined;
}

/** If another process has written a lost file again, it may not have known all of this process's credits. */
function withOwn(read: Spending, own: Spending | undefined): Spending {
  if (own === undefined || own.series === read.series) return read;
  const days = read.days.map(({ day, credits }) => {
    const known = own.days.find((each) => each.day === day)?.credits ?? 0;
    return { day, credits: Math.max(credits, known) };
  });
  const others = own.days.filter(({ day }) => !days.some((each) => each.day === day));
  return { series: read.series, days: [...days, ...others].slice(0, 2) };
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function passed(most: number, changedBy: string, spent: Day, cost: string): Failure {
  const end = dayOf(Date.parse(spent.day) + 86_400_000);
  return fail(
    "daily_budget",
    `budget.daily of ${most} reached: ${spent.credits} spent today, ${cost}; resets at ${end}T00:00:00Z`,
    { next: `change the budget with ${changedBy}` },
  );
}

function notKept(file: string, why: string, cause?: unknown, next?: string): Failure {
  const problem = `cannot record the spending for budget.daily in ${file}: ${why}`;
  return fail("budget_not_kept", problem, { cause, ...(next !== undefined && { next }) });
}

/** For `doctor`: finds and records the spending as a command would. Undefined without a budget. */
export async function spentToday(
  context: Context,
  { settings }: Pick<RunOptions, "settings">,
  target: Pick<Target, "rest" | "key">,
  warn: (line: string) => void,
) {
  const { value: most } = settings.budget_daily;
  if (most === undefined) return undefined;
  const { change, today } = openSpending(context, target, warn);
  const { credits: spent } = await change(today(), ({ credits }) => credits);
  return { most, spent, changedBy: changeBudgetWith(settings) };
}

/** Combines `--max-credits` with what is left of the daily budget, which the sandbox does not have. */
export function budgetOf(
  context: Context,
  { maxCredits, spent, settings }: RunOptions,
  target: Pick<Target, "rest" | "key" | "isSimulated">,
  warn: (line: string) => void,
): Budget {
  const before = spent === undefined ? 0 : spent.credits + spent.creditsInDoubt;
  const ofRun = maxCredits === undefined ? unbounded : runBudget(maxCredits, "--max-credits", before);
  const { value: most } = settings.budget_daily;
  if (most === undefined || target.isSimulated) return ofRun;
  return bothBudgets(ofRun, dailyBudget(context, target, most, changeBudgetWith(settings), warn));
}

function changeBudgetWith({ budget_daily: { source } }: RunOptions["settings"]): string {
  return source === "environment" ? "DEXDATA_BUDGET_DAILY" : "dexdata config set budget.daily <credits>";
}
