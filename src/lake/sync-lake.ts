import { Failure } from "../base/failure.ts";
import { diskAdvice, outputFailure } from "../base/files/file-errors.ts";
import { folderBelow, lookAt } from "../base/files/paths.ts";
import { placesOf } from "./assets-file.ts";
import { confirmPeriod, readRange } from "./reading/read-range.ts";
import { planDataset, partsOf, type Task } from "./coverage.ts";
import { type Dataset, isPoolList, type TimeRange } from "./dataset.ts";
import { findLakeFiles } from "./files/lake-files.ts";
import { findFiles, type FoundFile, heldIn, type LakeFileState } from "./files/stored-periods.ts";
import type { Footer } from "./footer.ts";
import { beginRun } from "./reading/lake-run.ts";
import { periodAt, periodsBetween, placeOf } from "./layout.ts";
import { clearWork, dropCopies, type Keeper } from "./files/place-period.ts";
import { completeTokens, findMissing, type TokenKey } from "./files/token-table.ts";
import { writeViews } from "./files/views.ts";
import type { Expected } from "./reading/pull-range.ts";
import { planMark } from "./reading/lake-reach.ts";
import { candleReach } from "../api/tier.ts";
import { isDue, syncList } from "./reading/sync-list.ts";
import { publishWaiting } from "./reading/waiting-parts.ts";
import type { Lake } from "./lake.ts";

export interface SyncResult {
  /** Newly lost rows, counts that disagree, and damaged files that cannot be replaced. */
  readonly problems: number;
  /** Tokens that could not be fetched. */
  readonly unknownTokens: number;
  /** How many datasets failed. */
  readonly failed: number;
}

export interface LakePlan {
  readonly present: number;
  readonly tasks: readonly Task[];
  readonly files: ReadonlyMap<Dataset, ReadonlyMap<string, LakeFileState>>;
  /** Damaged or misplaced files that the run does not replace, each with its problem and what to do. */
  readonly strays: readonly string[];
  /** Datasets with a directory that this user cannot read: which days they have is unknown, so none are requested. */
  readonly closed: ReadonlyMap<Dataset, Failure>;
}

/** In seconds. If the local clock differs more from the service's, the plan is made again. */
const clockTolerance = 60;

/**
 * Keeps a directory complete. How the data flows:
 *
 *     names and footers of the files          findFiles
 *        ↓
 *     what is missing: ranges, confirms       planDataset     pure; the oldest rows come first, before the service drops
 *        ↓                                                    them
 *     rows of a time range                    pullRange       read like any pull, staged in .dexdata/work with a
 *        ↓                                                    checkpoint after each page
 *     a witness for the start of each period  takeRows        at most one request per dataset, at the end of the run
 *        ↓
 *     rows of a period                        mergeRows       pure; earlier rows, except where they were read again
 *        ↓
 *     complete, open or lost                  judgePeriod     pure; only by evidence that points at rows
 *        ↓
 *     ….part in .dexdata/work                 writePart       written, synced, read back, compared
 *        ↓
 *     month=2026-11/rows.parquet              placePeriods    joined with the other days of its state, and renamed:
 *                                                             always the earlier file or the new one
 *
 * There is no list of files. Every run derives what is missing from the files themselves, so a file that was deleted or
 * damaged is simply missing, and a run that was killed at any point is continued by the next one.
 */
export async function syncLake(lake: Lake, begun: LakePlan): Promise<SyncResult> {
  /** In all files. */
  const tokens = [...begun.files].flatMap(([dataset, own]) =>
    [...own.values()].flatMap(({ footer }) => tokensOf(dataset, footer)),
  );
  const found = findLakeFiles(lake.root);
  let isChanged = false;
  const published: Lake["events"]["published"] = async (file) => {
    isChanged = true;
    tokens.push(...tokensOf(file.dataset, file.footer));
    await lake.events.published(file);
  };
  const run = beginRun({ ...lake, events: { ...lake.events, published } });
  const failed = new Set<Dataset>();
  folderBelow(lake.root, ".dexdata", "work");
  for (const problem of [...begun.strays, ...foreignFiles(found.foreign)]) run.complain(problem);
  let plan = begun;
  let tasks = [...begun.tasks];

  /** One asset that fails is named once, and the others are completed. Undefined if it fails. */
  const attempt = async <T>(dataset: Dataset, work: () => Promise<T>): Promise<T | undefined> => {
    if (failed.has(dataset)) return undefined;
    try {
      return await work();
    } catch (cause) {
      const failure = failureOf(cause);
      if (failure === undefined || endsRun(lake, failure, dataset, failed.size)) throw cause;
      if (!failed.has(dataset)) lake.events.failed(dataset, failure);
      failed.add(dataset);
      return undefined;
    }
  };

  const perform = async (task: Task, width: number): Promise<readonly Task[]> => {
    const { what, range } = task;
    const { dataset } = range;
    const ranges = await attempt(dataset, async () => {
      if (isPoolList(dataset)) return await syncList(run, dataset, plan.files.get(dataset));
      return what === "read"
        ? await readRange(run, range, width, expectedIn(plan, range))
        : await run.inTurn(dataset, async () => await confirmPeriod(run, range));
    });
    return (ranges ?? []).map((each) => ({ what: "read", range: each }));
  };

  const performAll = async (all: readonly Task[]): Promise<void> => {
    await inParallel(lake, all, perform);
    await publishWaiting(run, attempt);
  };

  for (const [dataset, failure] of begun.closed) await attempt(dataset, () => Promise.reject(failure));
  // The newest rows are missing in any case, and the response to them shows the service's time.
  const first = !lake.clock.isHeard() ? tasks.findLast(reachesPresent) : undefined;
  if (first !== undefined) {
    const rest = await perform(first, lake.parallel);
    tasks = [...rest, ...tasks.filter((task) => task !== first)];
    if (Math.abs(run.present() - plan.present) > clockTolerance) {
      plan = await planLake(run, lake.datasetsAt(run.present()), run.present());
      const isDone = (task: Task): boolean =>
        rest.length === 0 && task.range.dataset === first.range.dataset && reachesPresent(task);
      // With a wrong clock, no period of a list would be due, and nothing would say that it was not read.
      const isKept = ({ range }: Task): boolean => lake.clock.isWrong() && isPoolList(range.dataset);
      tasks = [...tasks.filter(isKept), ...plan.tasks.filter((task) => !isKept(task) && !isDone(task))];
    }
  }
  lake.events.planned(tasks.reduce((sum, { range }) => sum + partsOf(range, run.present()).length, 0));
  await performAll(tasks);
  if (run.incomplete.size > 0) {
    plan = await planLake({ ...run, isForced: false }, [...run.incomplete], run.present());
    await performAll(plan.tasks);
  }
  const unknownTokens = await completeTokens(lake, tokens, run.present());
  if (begun.closed.size === 0)
    writeViews(lake.context, lake.root, (isChanged ? findLakeFiles(lake.root) : found).files);
  if (failed.size === 0) clearWork(lake.root);
  return { problems: run.problems(), unknownTokens, failed: failed.size };
}

const failureOf = (cause: unknown): Failure | undefined =>
  cause instanceof Failure ? cause : outputFailure(cause);

/** How many tokens a run will request, without those of transactions that no file has yet. */
export async function countNewTokens(root: string, { files, present }: LakePlan): Promise<number> {
  const tokens = [...files].flatMap(([dataset, own]) => [
    ...tokensOf(dataset, undefined),
    ...[...own.values()].flatMap(({ footer }) => tokensOf(dataset, footer)),
  ]);
  return (await findMissing(root, tokens, present)).missing.length;
}

function tokensOf({ network, address, kind }: Dataset, footer: Footer | undefined): readonly TokenKey[] {
  const own = kind === "token-ohlcv" ? [address] : (footer?.tokens ?? []);
  return own.map((token) => ({ network, token }));
}

const notReplaced = "; sync does not replace it: move or delete it";
const onlyCopy = "; the service has no history of pools, so sync keeps the file: restore it from a backup";

const foreignFiles = (names: readonly string[]): readonly string[] =>
  names
    .filter((file) => file.endsWith(".parquet"))
    .map((file) => `${file}: it is not a file of dexdata sync${notReplaced}`);

/** Looks at every file. The reads of the oldest rows come first. */
export async function planLake(
  lake: Omit<Keeper, "lock"> &
    Pick<Lake, "isForced" | "client"> & { readonly lock: Lake["lock"] | undefined },
  datasets: readonly Dataset[],
  present: number,
): Promise<LakePlan> {
  const { root, isForced, client, lock } = lake;
  const files = new Map<Dataset, Map<string, LakeFileState>>();
  const tasks: Task[] = [];
  const strays: string[] = [];
  const closed = new Map<Dataset, Failure>();
  const look = async (dataset: Dataset): Promise<void> => {
    const own = new Map<string, LakeFileState>();
    const found = new Map<string, readonly FoundFile[]>();
    for (const { name, from } of placesOf(root, dataset)) {
      const there = await findFiles(root, dataset, name, isForced);
      if (placeOf(dataset, periodAt(dataset, from)) !== name) {
        strays.push(
          ...there.map(({ file }) => `${file}: the files of this dataset are by ${dataset.by}${notReplaced}`),
        );
        continue;
      }
      if (lock !== undefined) await dropCopies({ ...lake, lock }, dataset, there);
      found.set(name, there);
    }
    // The clock that set the start of a list may have been ahead.
    const from = isPoolList(dataset) ? Math.min(dataset.from, present) - 1 : dataset.from;
    for (const period of periodsBetween(dataset, from, present)) {
      const held = heldIn(found.get(placeOf(dataset, period)) ?? [], period);
      if (held !== undefined) own.set(period.name, held);
    }
    files.set(dataset, own);
    const used = new Set([...own.values()].map(({ file }) => file));
    const isWritten = !isPoolList(dataset) || isDue(own, present);
    for (const { file, problem } of [...found.values()].flat().flatMap((each) => [each, ...each.changed]))
      if (problem !== undefined && !(isWritten && used.has(file)))
        strays.push(`${file}: ${problem}${used.has(file) ? onlyCopy : notReplaced}`);
    const { tier } = client.target;
    const options = { dataset, present, isForced, plan: planMark(tier), candleReach: candleReach[tier] };
    if (!isPoolList(dataset)) tasks.push(...planDataset(options, ({ name }) => own.get(name)));
    // The service has only the present.
    else if (isWritten) tasks.push({ what: "read", range: { dataset, from: present, to: present + 1 } });
  };
  for (const dataset of datasets)
    try {
      await look(dataset);
    } catch (cause) {
      const failure = failureOf(cause);
      if (failure?.code !== "output") throw cause;
      closed.set(dataset, failure);
    }
  return {
    present,
    files,
    strays,
    closed,
    tasks: tasks.toSorted((one, other) => startOf(one) - startOf(other)),
  };
}

/** Lists come first, because the service keeps no history of them. */
const startOf = ({ range: { dataset, from } }: Task): number =>
  isPoolList(dataset) ? Number.NEGATIVE_INFINITY : from;

const reachesPresent = ({ range }: Task): boolean => range.to === undefined;

/** Together, the tasks have at most as many requests under way as --parallel allows. */
async function inParallel(
  { parallel }: Lake,
  first: readonly Task[],
  perform: (task: Task, width: number) => Promise<readonly Task[]>,
): Promise<void> {
  const waiting = [...first];
  const running = new Set<Promise<void>>();
  let used = 0;
  const work = async (task: Task, width: number): Promise<void> => {
    used += width;
    waiting.unshift(...(await perform(task, width).finally(() => (used -= width))));
  };
  try {
    while (waiting.length + running.size > 0) {
      const task = used < parallel ? waiting.shift() : undefined;
      if (task === undefined) await Promise.race(running);
      else {
        const width = Math.max(1, Math.floor((parallel - used) / (waiting.length + 1)));
        const done = work(task, width).finally(() => running.delete(done));
        running.add(done);
      }
    }
  } finally {
    // After a failure, the others are only waited for.
    await Promise.allSettled(running);
  }
}

/** A plan, a firewall or another server that refuses these many assets, and has not let one pass, refuses all. */
const maxRefused = 3;

/** Whether the other assets would fail as well, or the disk has to be seen to first. */
function endsRun(
  { context, lock, root, clock }: Lake,
  { exit, status, code, details }: Failure,
  dataset: Dataset,
  failed: number,
): boolean {
  if (context.signal.aborted || !lock.isHeld()) return true;
  // Errors about one file are damage of that file.
  if (code === "output") return diskAdvice(details.cause) !== undefined || lookAt(root) === undefined;
  if (code === "settings") return true;
  // A search that has not matched any pool yet says nothing about the others.
  if (exit === 2) return status === undefined && !isPoolList(dataset);
  if (exit === 7 && status === undefined) return !clock.isHeard();
  const isPage = exit === 7 && status !== undefined && status < 500;
  if (status === 403 || isPage) return !clock.isHeard() && failed >= maxRefused;
  return exit === 4 || exit === 5 || exit === 6;
}

/** What the files have after the start of a time range that ends at the present. */
function expectedIn({ files, present }: LakePlan, range: TimeRange): Expected | undefined {
  if (range.to !== undefined || range.dataset.kind !== "transactions") return undefined;
  let rows = 0;
  let newest: unknown;
  for (const { period, from } of partsOf(range, present)) {
    const held = files.get(range.dataset)?.get(period.name);
    const footer = held?.footer;
    if (held?.state !== "open" || footer === undefined) return undefined;
    // A day that is old enough is read in full, whatever its number of rows.
    const isRest = from === footer.settled_to;
    if (!isRest && from !== footer.period.from) return undefined;
    if (!isRest && footer.settled_to >= period.to) return undefined;
    rows += isRest ? footer.unsettled : footer.rows;
    newest = footer.last ?? newest;
  }
  return { rows, newest };
}
