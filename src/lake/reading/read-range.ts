import { createPart, textOfFile } from "../../base/files/synced-file.ts";
import { transactionReach } from "../../api/endpoints/pool-transactions.ts";
import { addedRanges, justNow, notCreated, type Part, partsOf } from "../coverage.ts";
import type { LostRange } from "../footer.ts";
import { type LakeRun, rangeText } from "./lake-run.ts";
import { folderOf, periodAt, periodsBetween } from "../layout.ts";
import { workFile } from "../files/place-period.ts";
import { dropStaged, type Expected, pullRange, type Pulled } from "./pull-range.ts";
import { isWithinReach, lostRange, probeReach, type Reach, reachOfPlan } from "./lake-reach.ts";
import { takeRows } from "./waiting-parts.ts";
import { plainList } from "../../client/list-plan.ts";
import { readPages } from "../../client/read-pages.ts";
import { factsOfKind, argsOf, nameOfDataset, type TimeRange } from "../dataset.ts";
import { readLakeRow } from "../periods/lake-rows.ts";
import { rewriteFooter } from "../periods/publish-period.ts";

/** Reads a time range and publishes its periods. Returns the time ranges to read instead if it cannot be read at once. */
export async function readRange(
  run: LakeRun,
  wanted: TimeRange,
  width: number,
  expected: Expected | undefined,
): Promise<readonly TimeRange[]> {
  const { dataset } = wanted;
  const reach = await reachFor(run, wanted);
  const given = await run.inTurn(dataset, async () => await giveUpStart(run, wanted, reach));
  const range = { ...wanted, from: given.from };
  if (range.from >= (range.to ?? Number.POSITIVE_INFINITY)) return [];
  const mark = workFile(run.root, JSON.stringify({ dataset: folderOf(dataset) }), "divided");
  const divide = (parts: readonly Part[]): readonly TimeRange[] =>
    parts.map(({ from, to }, index) => ({
      dataset,
      from: index === 0 ? wanted.from : from,
      to: index === parts.length - 1 ? range.to : to,
    }));
  const known = partsOf(range, run.present());
  if (known.length > 1 && textOfFile(mark) !== undefined) return divide(known);
  const pulled = await pull(run, range, width, expected);
  if (pulled === undefined) return [wanted];
  if (pulled === "unchanged") return [];
  const parts = partsOf(range, pulled === "too-large" ? run.present() : pulled.present);
  if (pulled === "too-large" || (!pulled.isProven && parts.length > 1)) {
    if (pulled !== "too-large") dropStaged(pulled.file);
    // If this run is killed, the next one reads the periods without asking for all of them again.
    createPart(mark).close();
    return divide(parts);
  }
  await takeRows(run, { staged: pulled, parts, wanted, reach, before: given.before });
  // An earlier run began to read this range, so the rows since then are missing.
  if (pulled.earlier !== undefined && run.present() - pulled.present >= justNow) run.incomplete.add(dataset);
  return [];
}

/** Transactions are asked for once if a time range begins earlier than usual. A plan's limit is known after a rejection. */
async function reachFor(run: LakeRun, { dataset, from }: TimeRange): Promise<Reach | undefined> {
  const { reaches, client } = run;
  const isUsual = from >= run.present() - transactionReach;
  if (dataset.kind === "transactions" && !isUsual && !reaches.has(dataset))
    reaches.set(dataset, probeReach(client, dataset, run.present()));
  return dataset.kind === "transactions" && isUsual ? undefined : await reaches.get(dataset);
}

/** In seconds. Whether a pool existed earlier is worth a request. */
const worthAsking = 30 * 86_400;

/**
 * Gives up what cannot be read: days before the pool was created, days that the service no longer has, and those that
 * the plan excludes. Transactions that are out of reach are cut silently, so their day is read from its start. Returns
 * where reading begins, in Unix seconds, and days before the first file that a later period has to record as missing.
 */
async function giveUpStart(
  run: LakeRun,
  wanted: TimeRange,
  reach: Reach | undefined,
): Promise<{ readonly before: readonly LostRange[]; readonly from: number }> {
  const { dataset } = wanted;
  const isStart = wanted.from <= dataset.from;
  // One request for a pool whose history is asked for from long ago.
  const isLongAgo = isStart && wanted.from < run.present() - worthAsking;
  const isAsked = isLongAgo && dataset.kind !== "token-ohlcv";
  const created = isAsked ? await run.creation(dataset) : dataset.created;
  const first = created === undefined ? wanted.from : Math.max(wanted.from, periodAt(dataset, created).from);
  const limit = reach === undefined ? first : Math.max(first, run.present() - reach.length);
  const before = [
    ...(await giveUpBefore(run, wanted, first, notCreated, isStart)),
    ...(await giveUpBefore(run, { ...wanted, from: first }, limit, reach?.why ?? "", isStart)),
  ];
  const from = dataset.kind === "transactions" ? Math.max(first, periodAt(dataset, limit).from) : limit;
  return { before: await told(run, wanted, before), from };
}

/**
 * A complete file keeps its name, and a damaged one stays, because nothing can replace it. If the dataset begins here, its
 * first file can stand for the days before it.
 */
async function giveUpBefore(
  run: LakeRun,
  wanted: TimeRange,
  limit: number,
  why: string,
  isStart: boolean,
): Promise<readonly LostRange[]> {
  const { dataset } = wanted;
  let before: LostRange | undefined;
  let mayBegin = isStart;
  for (const { period, from } of partsOf(wanted, limit)) {
    if (period.to > limit) continue;
    const held = await run.look(dataset, period);
    if (held?.footer !== undefined && (held.state === "rows" || why === notCreated)) continue;
    if (held !== undefined && held.footer === undefined) {
      mayBegin = false;
      run.complain(`${held.file}: ${held.problem}; the service no longer has all of its rows`);
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
    const known = { isWitnessed: false, before: before === undefined ? [] : [before] };
    await run.release([{ dataset, period, held, rows: [], part, total: undefined, lost, ...known }]);
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
  for (const period of periodsBetween(dataset, last.to, run.present())) {
    const held = await run.look(dataset, period);
    if (held === undefined && !isRead) continue;
    if (held?.footer === undefined || (isRead && held.state !== "rows")) break;
    const known = held.footer.before ?? [];
    const fresh = addedRanges(known, before);
    if (fresh.length === 0) return [];
    const all = [...fresh, ...known].toSorted((one, other) => one.from - other.from);
    const published = await rewriteFooter(run, { dataset, period, held }, { before: all });
    await run.events.published(published);
    for (const range of published.lostBefore) run.complain(`${nameOfDataset(dataset)}: ${rangeText(range)}`);
    return [];
  }
  return before;
}

/** Undefined if the plan does not include the start of the time range. */
async function pull(
  run: LakeRun,
  range: TimeRange,
  width: number,
  expected: Expected | undefined,
): Promise<Pulled | undefined> {
  const { client, present, reaches } = run;
  try {
    return await pullRange(run, range, width, expected);
  } catch (cause) {
    const reach = reachOfPlan(cause, client.target.tier);
    const isNew = reach !== undefined && range.from < present() - reach.length;
    if (!isNew || reaches.has(range.dataset)) throw cause;
    const { kind, interval } = range.dataset;
    const isSeen = [...reaches.keys()].some((each) => each.kind === kind && each.interval === interval);
    if (!isSeen && !(await isWithinReach(client, range.dataset, reach, present()))) throw cause;
    reaches.set(range.dataset, Promise.resolve(reach));
    return undefined;
  }
}

/** Compares a complete day of transactions with the service's count. Returns the time range to read if it has changed. */
export async function confirmPeriod(run: LakeRun, wanted: TimeRange): Promise<readonly TimeRange[]> {
  const { dataset } = wanted;
  const period = periodAt(dataset, wanted.from);
  const held = await run.look(dataset, period);
  const from = held?.footer?.period.from ?? period.from;
  const range = { dataset, from, to: period.to };
  if (held?.footer === undefined) return [range];
  const { footer } = held;
  const { endpoint } = factsOfKind(dataset.kind);
  const args = argsOf(range, period.to);
  for await (const page of readPages(run.client, endpoint, args, plainList(100))) {
    const present = run.present();
    const { rows, left } = page;
    // The newest rows come first. Those at the end of the range belong to the next day.
    const beyond = rows.texts().filter((text) => readLakeRow(dataset.kind, text).at.seconds >= period.to);
    const total = left === undefined ? undefined : rows.length + left - beyond.length;
    if (total !== undefined && total !== footer.rows) return [range];
    const known = { dataset, period, held: { ...held, footer } };
    await run.events.published(await rewriteFooter(run, known, { total_at: present }));
    break;
  }
  run.events.done();
  return [];
}
