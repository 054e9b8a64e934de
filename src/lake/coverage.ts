import { candleLength, type Dataset } from "./dataset.ts";
import type { Footer } from "./footer.ts";
import { type FileState, type Period, periodsBetween } from "./layout.ts";

/** In seconds. The service may add rows late, and a reorganization may replace them. */
const hour = 3600;
const day = 24 * hour;

/** Rows younger than this are read again by the next run. */
export const settlingTime = hour;
/** A period is complete when it has been read in full at this age or later. */
export const completeAge = day;
/** The service counts a day again at this age, when its rows can still be fetched. */
const recountAge = 4 * day;
/** The public service returns transactions of the last 7 days only (wire-facts 4.6). */
export const usualReach = 7 * day;

/** A file of the directory, as its name and footer describe it. */
export interface Held {
  readonly state: FileState;
  /** Undefined for a file that cannot be read, or that belongs elsewhere; `problem` says why. */
  readonly footer: Footer | undefined;
  readonly problem?: string;
}

/** What a run has to do about a period. `from` is the start of the missing rows. */
export type Need =
  | { readonly what: "nothing" }
  | { readonly what: "read"; readonly from: number }
  | { readonly what: "count" };

export interface Wish {
  readonly dataset: Dataset;
  /** In Unix seconds. */
  readonly present: number;
  /** Ask again for rows that the service did not have. */
  readonly isForced: boolean;
  /** Why the plan's limits may have hidden rows, such as `plan free`. A different plan may get them. */
  readonly plan: string;
}

const nothing: Need = { what: "nothing" };

export function needOf(wish: Wish, period: Period, held: Held | undefined): Need {
  const { dataset, present, isForced, plan } = wish;
  const begin = Math.max(period.from, dataset.from);
  const all: Need = { what: "read", from: begin };
  const footer = held?.footer;
  if (held === undefined || footer === undefined || footer.period.from > begin) return all;
  const age = present - period.to;
  if (footer.lost.some(({ why }) => isForced || (why.startsWith("plan ") && why !== plan))) return all;
  if (held.state === "lost") return nothing;
  if (held.state === "rows") {
    const isCounted = footer.total_at === null || footer.total_at >= period.to + recountAge;
    const isInReach = period.from > present - usualReach;
    return !isCounted && age >= recountAge && isInReach ? { what: "count" } : nothing;
  }
  // If the service's count disagreed, another attempt a day later is enough.
  const isRead = footer.read_at !== null && footer.read_at >= period.to + completeAge;
  const isTried = isRead && present - (footer.read_at ?? 0) < day;
  if (age >= completeAge) return isTried ? nothing : all;
  if (footer.settled_to >= period.to) return nothing;
  const length = candleLength(dataset);
  // A candle is stored when it is over.
  if (length !== undefined && footer.settled_to + length > present) return nothing;
  return { what: "read", from: footer.settled_to };
}

/** A time range to read at once, in Unix seconds. `to` is undefined if it ends at the service's present time. */
export interface Stretch {
  readonly dataset: Dataset;
  readonly from: number;
  readonly to: number | undefined;
}

export interface Plan {
  readonly stretches: readonly Stretch[];
  readonly counts: readonly { readonly dataset: Dataset; readonly period: Period }[];
}

/** What is missing in one dataset. `heldIn` looks at the file of a period. Adjacent ranges become one stretch. */
export function planDataset(wish: Wish, heldIn: (period: Period) => Held | undefined): Plan {
  const { dataset, present } = wish;
  const stretches: { from: number; to: number }[] = [];
  const counts: Plan["counts"][number][] = [];
  for (const period of periodsBetween(dataset, dataset.from, present)) {
    const need = needOf(wish, period, heldIn(period));
    if (need.what === "count") counts.push({ dataset, period });
    if (need.what !== "read") continue;
    const last = stretches.at(-1);
    if (last?.to === need.from) last.to = period.to;
    else stretches.push({ from: need.from, to: period.to });
  }
  return {
    counts,
    stretches: stretches.map(({ from, to }) => ({ dataset, from, to: to > present ? undefined : to })),
  };
}

/** The parts of a stretch in its periods, oldest first. `end` is where the stretch ends. */
export function partsOf(
  { dataset, from }: Stretch,
  end: number,
): readonly { readonly period: Period; readonly from: number; readonly to: number }[] {
  return periodsBetween(dataset, from, end).map((period) => ({
    period,
    from: Math.max(from, period.from),
    to: Math.min(end, period.to),
  }));
}
