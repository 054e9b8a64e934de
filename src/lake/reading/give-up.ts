import { addedRanges, notCreated, partsOf, type TimeRange } from "../coverage.ts";
import { type Dataset, nameOfDataset } from "../dataset.ts";
import type { LostRange } from "../footer.ts";
import { lostRange, type Reach } from "./lake-reach.ts";
import { creation, type LakeRun, rangeText } from "./lake-run.ts";
import { periodAt, periodsBetween } from "../layout.ts";
import { rewriteFooter } from "../periods/publish-period.ts";

/** In seconds. Whether a pool existed earlier is worth a request. */
const worthAsking = 30 * 86_400;

/**
 * Gives up what cannot be read: days before the pool was created, days that the service no longer has, and those that
 * the plan excludes. Transactions that are out of reach are cut silently, so their day is read from its start. Returns
 * where reading begins, in Unix seconds, and days before the first file that a later period has to record as missing.
 */
export async function giveUpStart(
  run: LakeRun,
  wanted: TimeRange,
  reach: Reach | undefined,
): Promise<{ readonly before: readonly LostRange[]; readonly from: number }> {
  const { dataset } = wanted;
  const created = await createdBefore(run, wanted);
  const first = created === undefined ? wanted.from : Math.max(wanted.from, periodAt(dataset, created).from);
  const limit = reach === undefined ? first : Math.max(first, run.present() - reach.length);
  const isStart = wanted.from <= dataset.from;
  const before = [
    ...(await giveUpBefore(run, wanted, { limit: first, why: notCreated, isStart })),
    ...(await giveUpBefore(run, { ...wanted, from: first }, { limit, why: reach?.why ?? "", isStart })),
  ];
  const from = dataset.kind === "transactions" ? Math.max(first, periodAt(dataset, limit).from) : limit;
  return { before: await told(run, wanted, before), from };
}

/** One request for a pool whose history is asked for from long ago. */
async function createdBefore(run: LakeRun, { dataset, from }: TimeRange): Promise<number | undefined> {
  const isLongAgo = from <= dataset.from && from < run.present() - worthAsking;
  if (dataset.created !== undefined || !isLongAgo || dataset.kind === "token-ohlcv") return dataset.created;
  return await creation(run, dataset);
}

interface Limit {
  readonly limit: number;
  readonly why: string;
  /** Whether the dataset begins here, so that its first file can stand for the days before it. */
  readonly isStart: boolean;
}

/** A complete file keeps its name, and a damaged one stays, because nothing can replace it. */
async function giveUpBefore(
  run: LakeRun,
  wanted: TimeRange,
  { limit, why, isStart }: Limit,
): Promise<readonly LostRange[]> {
  const { dataset } = wanted;
  let before: LostRange | undefined;
  let mayBegin = isStart;
  for (const { period, from } of partsOf(wanted, Math.min(limit, wanted.to ?? limit))) {
    if (period.to > limit) continue;
    const held = await run.look(dataset, period);
    if (held?.footer !== undefined && (held.state === "rows" || why === notCreated)) continue;
    if (held !== undefined && held.footer === undefined) {
      mayBegin = false;
      run.complain(
        `${held.file}: ${held.problem}; the service no longer has its rows, so the file was left as it is`,
      );
      continue;
    }
    const present = run.present();
    if (held === undefined && mayBegin) {
      before = { from: before?.from ?? from, to: period.to, why, seen_at: present };
      continue;
    }
    mayBegin = false;
    const lost = [lostRange({ begin: from, limit: period.to, present }, held?.footer, why)];
    const part = { from: period.to, to: period.to, present, isProven: false };
    const known = { isWitnessed: false, isSound: true, before: before === undefined ? [] : [before] };
    await run.release({ dataset, period, held, rows: [], part, total: undefined, lost, ...known });
    before = undefined;
  }
  return before === undefined ? [] : [before];
}

/**
 * If this time range does not read the next period, the next file records the loss now. It may be a later one, which
 * says that the days between are missing, too. Returns what is left to record.
 */
async function told(
  run: LakeRun,
  { dataset, to }: TimeRange,
  before: readonly LostRange[],
): Promise<readonly LostRange[]> {
  const last = before.at(-1);
  if (last === undefined) return before;
  const isRead = to === undefined || to > last.to;
  const [next, held] = await nextFile(run, dataset, last.to, isRead);
  if (next === undefined || held?.footer === undefined || (isRead && held.state !== "rows")) return before;
  const known = held.footer.before ?? [];
  const fresh = addedRanges(known, before);
  if (fresh.length === 0) return [];
  const all = [...fresh, ...known].toSorted((one, other) => one.from - other.from);
  const published = await rewriteFooter(run, dataset, next, held, { before: all });
  await run.events.published(published);
  for (const range of published.lostBefore) run.complain(`${nameOfDataset(dataset)}: ${rangeText(range)}`);
  return [];
}

/** The period at this time and its file, or the first later one that has a file. */
async function nextFile(run: LakeRun, dataset: Dataset, from: number, isFirst: boolean) {
  for (const period of periodsBetween(dataset, from, run.present())) {
    const held = await run.look(dataset, period);
    if (isFirst || held !== undefined) return [period, held] as const;
  }
  return [];
}
