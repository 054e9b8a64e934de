import { transactionReach } from "../api/endpoints/pool-transactions.ts";
import { candleLength, type Dataset, type TimeRange } from "./dataset.ts";
import type { Footer, LostRange } from "./footer.ts";
import { type FileState, type Period, periodsBetween } from "./layout.ts";

/** In seconds. The service may add rows late, and a reorganization may replace them. */
const hour = 3600;
const day = 24 * hour;

/** Rows younger than this are read again by the next run. */
export const settlingTime = hour;
/** Rows that were read less than this long ago are not read again. */
export const justNow = 60;
/** A period is complete when it has been read in full at this age or later. */
export const completeAge = day;
/** The service counts a day again at this age, when its rows can still be fetched. */
const recountAge = 4 * day;
/** Incomplete periods are requested again, once a day, until this long after their end. */
const retryPeriod = 30 * day;

/** A file of the directory, as its name and footer describe it. */
export interface Held {
  readonly state: FileState;
  /** Undefined for a file that cannot be read, or that belongs elsewhere. */
  readonly footer: Footer | undefined;
}

/** What a run has to do about a period. `from` is the start of the missing rows. */
type Need =
  | { readonly what: "read"; readonly from: number }
  /** Compare a complete file of transactions with the service's count. */
  | { readonly what: "confirm" };

interface PlanOptions {
  readonly dataset: Dataset;
  /** In Unix seconds. */
  readonly present: number;
  /** Ask again for rows that the service did not have. */
  readonly isForced: boolean;
  /** Why the plan's limits may have hidden rows, such as `plan free`. A different plan may get them. */
  readonly plan: string;
  /** In seconds; undefined if the plan does not limit candles. */
  readonly candleReach: number | undefined;
}

/** Undefined if there is nothing to do. */
export function needOf(options: PlanOptions, period: Period, held: Held | undefined): Need | undefined {
  const { dataset, present, isForced, plan } = options;
  const begin = Math.max(period.from, dataset.from);
  const all: Need = { what: "read", from: begin };
  const footer = held?.footer;
  if (held === undefined || footer === undefined || footer.period.from > begin) return all;
  const age = present - period.to;
  if (footer.lost.some((range) => isForced || isOfOtherPlan(range, plan))) return all;
  if (held.state === "lost") {
    const tried = Math.max(...footer.lost.map(({ seen_at }) => seen_at));
    const isRefused = footer.lost.some(({ why }) => isOfPlan(why));
    return !isRefused && age < retryPeriod && isDue(present, tried, day) ? all : undefined;
  }
  if (held.state === "rows") return needOfComplete(options, period, footer);
  // A clock was wrong.
  if (footer.settled_to > present) return all;
  if (age >= completeAge) return isAttemptDue(options, period, footer) ? all : undefined;
  if (footer.settled_to >= period.to) return undefined;
  const length = candleLength(dataset);
  // A run that was killed has just read these rows.
  const isFresh = footer.settled_to > begin && footer.settled_to > present - settlingTime - justNow;
  // A candle is stored when it is over.
  const isEarly = length === undefined ? isFresh : footer.settled_to + length > present;
  return isEarly ? undefined : { what: "read", from: footer.settled_to };
}

/** Why there are no rows before the day on which the pool was created. */
export const notCreated = "created";

/** The rows of the file, and of the days before it, that the service did not have. */
export const lostRanges = ({ lost, before = [] }: Pick<Footer, "lost" | "before">): readonly LostRange[] => [
  ...before.filter(({ why }) => why !== notCreated),
  ...lost,
];

const textOf = ({ from, to, why }: LostRange): string => `${from} ${to} ${why}`;

/** The ranges that a file does not have yet, whenever they were seen. */
export function addedRanges(
  known: readonly LostRange[] = [],
  ranges: readonly LostRange[] = [],
): readonly LostRange[] {
  const texts = new Set(known.map(textOf));
  return ranges.filter((range) => !texts.has(textOf(range)));
}

/** Ranges that follow each other for the same reason become one. */
export function joinRanges(ranges: readonly LostRange[]): readonly LostRange[] {
  const joined: LostRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last?.to === range.from && last.why === range.why) joined.splice(-1, 1, { ...last, to: range.to });
    else joined.push(range);
  }
  return joined;
}

export const isOfPlan = (why: string): boolean => why.startsWith("plan ");

const isOfOtherPlan = ({ why }: LostRange, plan: string): boolean => isOfPlan(why) && why !== plan;

/** A time in the future was recorded by a wrong clock. */
const isDue = (present: number, last: number, wait: number): boolean =>
  last > present || present - last >= wait;

/** Two reads that lack the same rows have to be this far apart to mean anything. */
function needOfComplete(options: PlanOptions, period: Period, footer: Footer): Need | undefined {
  const { dataset, present } = options;
  const age = present - period.to;
  // This decides what is requested, and never what a period is.
  const reach = dataset.kind === "transactions" ? transactionReach : options.candleReach;
  const isInReach = reach === undefined || footer.period.from > present - reach;
  const { contradicted, total_at: counted, read_at: read, reread_at: reread } = footer;
  if (!isInReach) return undefined;
  if (contradicted !== undefined) {
    const wait = contradicted.absent_sha256 === null ? day : settlingTime;
    const isRetried = age < retryPeriod && isDue(present, contradicted.at, wait);
    return isRetried ? { what: "read", from: footer.period.from } : undefined;
  }
  if (dataset.kind !== "transactions") {
    const isRead = reread !== undefined || age < recountAge || present - (read ?? 0) < settlingTime;
    // The service does not count them, so they are read again, at once with those of the next period.
    return isRead ? undefined : { what: "read", from: footer.period.from };
  }
  const isCounted = counted === null || counted >= period.to + recountAge;
  return isCounted || age < recountAge ? undefined : { what: "confirm" };
}

/** An open file that is old enough to be complete, if only the service agreed. */
function isAttemptDue({ present }: PlanOptions, period: Period, footer: Footer): boolean {
  const { read_at: read } = footer;
  if (read === null || read < period.to + completeAge) return true;
  const isRetried = present - period.to < retryPeriod;
  return isRetried && isDue(present, read, needsSecondRead(footer) ? settlingTime : day);
}

/** A file that needs only a second read with the same result: it has no rows, or lacks earlier ones. */
export function needsSecondRead({ witnessed, contradicted, rows }: Footer): boolean {
  return witnessed === true && (contradicted !== undefined || rows === 0);
}

export interface Task {
  readonly what: "read" | "confirm";
  /** To confirm: one period of transactions. */
  readonly range: TimeRange;
}

/**
 * What is missing in one dataset. `heldIn` looks at the file of a period. Adjacent ranges become one time range.
 */
export function planDataset(
  options: PlanOptions,
  heldIn: (period: Period) => Held | undefined,
): readonly Task[] {
  const { dataset, present } = options;
  const found: { readonly what: Task["what"]; readonly from: number; to: number }[] = [];
  const files = periodsBetween(dataset, dataset.from, present).map((period) => ({
    period,
    held: heldIn(period),
  }));
  const before = files.flatMap(({ held }) => held?.footer?.before ?? []);
  for (const { period, held } of files) {
    if (held === undefined && isKnownToLack(options, period, before)) continue;
    const need = needOf(options, period, held);
    const last = found.at(-1);
    if (need?.what === "read" && last?.what === "read" && last.to === need.from) last.to = period.to;
    else if (need !== undefined) found.push({ ...period, ...need });
  }
  return found.map(({ what, from, to }) => ({
    what,
    range: { dataset, from, to: to > present ? undefined : to },
  }));
}

/** Whether the first file says that the service does not have this period. */
function isKnownToLack(
  { isForced, plan }: PlanOptions,
  period: Period,
  before: readonly LostRange[],
): boolean {
  const own = before.filter((range) => period.to <= range.to && period.to > range.from);
  return own.some((range) => range.why === notCreated || (!isForced && !isOfOtherPlan(range, plan)));
}

export interface Part {
  readonly period: Period;
  readonly from: number;
  readonly to: number;
}

/** The parts of a time range, oldest first. */
export function partsOf({ dataset, from, to }: TimeRange, present: number): readonly Part[] {
  const end = to ?? present;
  return periodsBetween(dataset, from, end).map((period) => ({
    period,
    from: Math.max(from, period.from),
    to: Math.min(end, period.to),
  }));
}
