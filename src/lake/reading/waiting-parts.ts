import { linesOfFile } from "../../base/files/synced-file.ts";
import { counted } from "../../base/text/words.ts";
import { groupBy } from "../../base/group-by.ts";
import { completeAge, type Part } from "../coverage.ts";
import { type Dataset, nameOfDataset } from "../dataset.ts";
import type { Footer } from "../footer.ts";
import { lostRange, newestRow } from "./lake-reach.ts";
import type { PeriodUpdate } from "../periods/judge-period.ts";
import { isOfDataset, type LakeRow, readLakeRow } from "../periods/lake-rows.ts";
import type { LakeRun, Waiting } from "./lake-run.ts";
import { type Period, placeOf } from "../layout.ts";
import { dropStaged, type StagedRows } from "./pull-range.ts";

/** Rows of this dataset and of the time range that was requested. `foreign` is the number of others. */
function rowsOf({ file, range }: StagedRows) {
  const { dataset, from, to = Number.POSITIVE_INFINITY } = range;
  const all = linesOfFile(file).map((text) => readLakeRow(dataset.kind, text));
  // The end of the range is inclusive.
  const isAsked = ({ at }: LakeRow): boolean => at.seconds >= from && at.seconds <= to;
  const isOwn = (row: LakeRow): boolean => isAsked(row) && isOfDataset(dataset, row);
  const rows = dataset.kind === "transactions" ? all.filter(isOwn) : all;
  return { rows, foreign: all.length - rows.length };
}

/**
 * Rows are listed from newest to oldest, so the older ones came with the last page of a period, or after it. Candles that
 * are out of reach are refused, so they need no witness.
 */
function isWitnessed(run: LakeRun, { wanted: { dataset }, oldest, step }: Waiting, from: number): boolean {
  const created = dataset.created ?? run.creations.get(dataset) ?? Number.NEGATIVE_INFINITY;
  const isSeen = oldest <= from || created >= from || run.witnesses.slice(step).some((at) => at <= from);
  return dataset.kind !== "transactions" || isSeen;
}

/**
 * The start of the oldest period that would be complete if a response of this run showed that it has ended, and that the
 * service has the time before it.
 */
function unwitnessed(run: LakeRun, waiting: Waiting): number | undefined {
  const { staged, parts } = waiting;
  if (!staged.isProven) return undefined;
  // If a killed run has read the rows, this one may not have had a response yet.
  const isUntold = !run.clock.isHeard() && !run.clock.isSilent();
  return parts.find(({ period, from, to }) => {
    const isOver = staged.present >= period.to + completeAge && to === period.to;
    return isOver && (isUntold || !isWitnessed(run, waiting, from));
  })?.from;
}

/**
 * Takes what was read: publishes it, or keeps it staged until `publishWaiting`, because a single request at the end of
 * the run can be a witness for all periods of all pools.
 */
export async function takeRows(run: LakeRun, read: Omit<Waiting, "oldest" | "step">): Promise<void> {
  const step = run.witnesses.length;
  await run.oneAtATime(async () => {
    const found = rowsOf(read.staged);
    const oldest = found.rows.reduce(
      (before, { at }) => Math.min(before, at.seconds),
      Number.POSITIVE_INFINITY,
    );
    const waiting = { ...read, oldest, step };
    if (read.wanted.dataset.kind === "transactions" && read.staged.earlier !== "all" && found.rows.length > 0)
      run.witnesses.push(oldest);
    if (unwitnessed(run, waiting) === undefined) await publishParts(run, waiting, found);
    else run.waiting.push(waiting);
  });
}

/** `attempt` runs the work of one dataset, and reports its failure. */
export async function publishWaiting(
  run: LakeRun,
  attempt: (dataset: Dataset, work: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const open = run.waiting.splice(0);
  const lacking = () =>
    open.flatMap((waiting) => {
      const from = unwitnessed(run, waiting);
      return from === undefined ? [] : [{ dataset: waiting.wanted.dataset, from }];
    });
  const asked = new Set<Dataset>();
  for (;;) {
    const [next] = lacking()
      .filter(({ dataset }) => !asked.has(dataset))
      .toSorted((one, other) => one.from - other.from);
    if (next === undefined) break;
    const { dataset, from } = next;
    asked.add(dataset);
    await attempt(dataset, async () => {
      // Candles need no witness, only a response: its date shows that their day has ended.
      if (dataset.kind !== "transactions") return void (await newestRow(run.client, dataset, run.present()));
      const latest = Math.max(...lacking().flatMap((each) => (each.dataset === dataset ? [each.from] : [])));
      // No row is older than the first period, but one may be older than the last.
      const at =
        (await newestRow(run.client, dataset, from)) ??
        (latest > from ? await newestRow(run.client, dataset, latest) : undefined);
      if (at !== undefined) run.witnesses.push(at);
    });
  }
  for (const { dataset } of lacking()) await attempt(dataset, async () => await run.creation(dataset));
  for (const waiting of open)
    await attempt(
      waiting.wanted.dataset,
      async () => await publishParts(run, waiting, rowsOf(waiting.staged)),
    );
}

async function publishParts(
  run: LakeRun,
  waiting: Waiting,
  { rows, foreign }: ReturnType<typeof rowsOf>,
): Promise<void> {
  const { staged, parts, wanted, reach, before } = waiting;
  const { range, present, isProven: isCounted } = staged;
  const { dataset } = range;
  run.events.read(rows.length);
  const isProven = isCounted && foreign === 0;
  if (foreign > 0)
    run.complain(
      `${nameOfDataset(dataset)}: the service returned ${counted(foreign, "row")} of another pool or time range; the files stay open`,
    );
  // Days that no file has yet are written together, because each change writes the whole file of the month.
  const publishMonth = async (days: Iterable<readonly [number, Part]>): Promise<void> => {
    const fresh: Omit<PeriodUpdate, "isClockSure">[] = [];
    for (const [index, { period, from, to }] of days) {
      const own = rows.filter(({ at }) => at.seconds >= period.from && at.seconds < period.to);
      const end = range.to === undefined && to < period.to ? undefined : to;
      const total = totalOf(staged, rows, own, to);
      const part = { from, to: end, present, isProven };
      const known = { isWitnessed: isWitnessed(run, waiting, from), before: index === 0 ? before : [] };
      const held = await run.look(dataset, period);
      const lost = lostIn(period, from, staged, { wanted, reach }, held?.footer);
      const update = { dataset, period, held, rows: own, part, total, lost, ...known };
      if (held === undefined) fresh.push(update);
      else await run.release([update]);
      const isOver = present >= period.to + completeAge;
      if (isOver && !isCounted)
        run.complain(
          `${nameOfDataset(dataset)}, ${period.name}: the service counts ${total ?? "other"} rows, but returns ${own.length}; ${held?.footer?.state === "rows" ? "the complete file stays as it is" : "the file stays open"}`,
        );
      run.events.done();
    }
    await run.release(fresh);
  };
  const places = groupBy(parts.entries(), ([, { period }]) => placeOf(dataset, period));
  for (const days of places.values()) await run.inTurn(dataset, async () => await publishMonth(days));
  dropStaged(staged.file);
}

/** Rows at the end of the range belong to the next period, but the service may count them. */
function totalOf(
  { total, isCounted, isProven }: StagedRows,
  all: readonly LakeRow[],
  own: readonly LakeRow[],
  end: number,
): number | undefined {
  if (isCounted) return own.length;
  if (total === undefined || isProven) return undefined;
  return total - all.filter(({ at }) => at.seconds >= end).length;
}

/** While candles were read, more of the start may have moved out of the plan's reach. */
function lostIn(
  period: Period,
  from: number,
  { range, ended }: StagedRows,
  { wanted, reach }: Pick<Waiting, "wanted" | "reach">,
  footer: Footer | undefined,
) {
  const isCut = reach !== undefined && from === range.from && wanted.from < range.from;
  if (!isCut || wanted.dataset.kind === "transactions") return [];
  const begin = Math.max(period.from, wanted.from);
  const limit = Math.max(from, ended - reach.length);
  return begin < limit ? [lostRange({ begin, limit, present: ended }, footer, reach.why)] : [];
}
