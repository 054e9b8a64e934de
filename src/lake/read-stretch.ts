import { createPart, linesOfFile, textOfFile } from "../files/stored-file.ts";
import { completeAge, partsOf, type Stretch, usualReach } from "./coverage.ts";
import { nameOfDataset } from "./dataset.ts";
import type { Footer } from "./footer.ts";
import { type LakeRow, readLakeRow } from "./lake-row.ts";
import { type LakeRun, workFolder } from "./lake-run.ts";
import { folderOf, type Period } from "./layout.ts";
import {
  dropStaged,
  type Expected,
  pullStretch,
  type Pulled,
  stagedName,
  type StagedRows,
} from "./pull-stretch.ts";
import { lostRange, probeReach, type Reach, reachOfPlan } from "./lake-reach.ts";

type Part = ReturnType<typeof partsOf>[number];

/** Reads a stretch and publishes its periods. Returns the stretches to read instead if it cannot be read at once. */
export async function readStretch(
  run: LakeRun,
  wanted: Stretch,
  width: number,
  expected: Expected | undefined,
): Promise<readonly Stretch[]> {
  const reach = await reachFor(run, wanted);
  const limit = reach === undefined ? wanted.from : run.present() - reach.length;
  if (reach !== undefined && limit > wanted.from) await giveUpBefore(run, wanted, limit, reach);
  const stretch = { ...wanted, from: Math.max(wanted.from, limit) };
  if (stretch.from >= (stretch.to ?? Number.POSITIVE_INFINITY)) return [];
  const mark = `${workFolder(run.root)}/${stagedName({ dataset: folderOf(wanted.dataset) })}.divided`;
  const divide = (parts: readonly Part[]): readonly Stretch[] =>
    parts.map(({ from, to }, index) => ({
      dataset: wanted.dataset,
      from: index === 0 ? wanted.from : from,
      to: index === parts.length - 1 ? stretch.to : to,
    }));
  const partsUntil = (present: number): readonly Part[] => partsOf(stretch, stretch.to ?? present);
  const known = partsUntil(run.present());
  if (known.length > 1 && textOfFile(mark) !== undefined) return divide(known);
  const pulled = await pull(run, stretch, width, expected);
  if (pulled === undefined) return [wanted];
  if (pulled.kind === "unchanged") return [];
  const parts = partsUntil(pulled.kind === "staged" ? pulled.present : run.present());
  if (pulled.kind === "too-large" || (!pulled.isProven && parts.length > 1)) {
    if (pulled.kind === "staged") dropStaged(pulled.file);
    // If this run is killed, the next one reads the periods without asking for all of them again.
    createPart(mark).close();
    return divide(parts);
  }
  await publishParts(run, pulled, parts, { wanted, reach });
  dropStaged(pulled.file);
  return [];
}

/** Transactions are asked for once if a stretch begins earlier than usual. A plan's limit is known after a rejection. */
async function reachFor(run: LakeRun, { dataset, from }: Stretch): Promise<Reach | undefined> {
  const { reaches, client } = run;
  const isUsual = from >= run.present() - usualReach;
  if (dataset.kind === "transactions" && !isUsual && !reaches.has(dataset))
    reaches.set(dataset, probeReach(client, dataset, run.present()));
  return await reaches.get(dataset);
}

/** Undefined if the plan does not include the start of the stretch. */
async function pull(
  run: LakeRun,
  stretch: Stretch,
  width: number,
  expected: Expected | undefined,
): Promise<Pulled | undefined> {
  const { context, client, lock, root, present, reaches } = run;
  const puller = { context, client: { ...client, width }, lock, work: workFolder(root), present };
  try {
    return await pullStretch(puller, stretch, expected);
  } catch (cause) {
    const reach = reachOfPlan(cause, client.target.tier);
    const isNew = reach !== undefined && stretch.from < present() - reach.length;
    if (!isNew || reaches.has(stretch.dataset)) throw cause;
    reaches.set(stretch.dataset, Promise.resolve(reach));
    return undefined;
  }
}

/** Records that the periods before `limit` are lost. A damaged file stays, because nothing can replace it. */
async function giveUpBefore(run: LakeRun, wanted: Stretch, limit: number, { why }: Reach): Promise<void> {
  const { dataset } = wanted;
  for (const { period, from } of partsOf(wanted, Math.min(limit, wanted.to ?? limit))) {
    if (period.to > limit) continue;
    const held = await run.look(dataset, period);
    if (held !== undefined && held.footer === undefined) {
      run.complain(
        `${held.file}: ${held.problem ?? "damaged"}; the service no longer has its rows, so the file stays`,
      );
      continue;
    }
    const present = run.present();
    const lost = [lostRange({ begin: from, limit: period.to, present }, held?.footer, why)];
    const part = { from: period.to, to: period.to, present, isProven: false };
    await run.release({ dataset, period, held, rows: [], part, total: undefined, lost });
  }
}

interface Asked {
  /** Before its start was moved to what the service still has. */
  readonly wanted: Stretch;
  readonly reach: Reach | undefined;
}

async function publishParts(
  run: LakeRun,
  staged: StagedRows,
  parts: readonly Part[],
  asked: Asked,
): Promise<void> {
  const { stretch, present, isProven } = staged;
  const { dataset } = stretch;
  const rows = linesOfFile(staged.file).map((text) => readLakeRow(dataset.kind, text));
  run.events.read(rows.length);
  for (const { period, from, to } of parts) {
    const own = rows.filter(({ at }) => at.seconds >= period.from && at.seconds < period.to);
    const held = await run.look(dataset, period);
    const end = stretch.to === undefined && to < period.to ? undefined : to;
    const total = totalOf(staged, rows, own, to);
    const lost = lostIn(period, from, staged, asked, held?.footer);
    const part = { from, to: end, present, isProven };
    await run.release({ dataset, period, held, rows: own, part, total, lost });
    if (!isProven && present >= period.to + completeAge)
      run.complain(
        `${nameOfDataset(dataset)}, ${period.name}: the service counts ${total ?? "other"} rows, but returns ${own.length}; the file stays open`,
      );
    run.events.done(1);
  }
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

/** While the stretch was read, more of its start may have moved out of reach. */
function lostIn(
  period: Period,
  from: number,
  { stretch, ended }: StagedRows,
  { wanted, reach }: Asked,
  footer: Footer | undefined,
) {
  const isCut = reach !== undefined && from === stretch.from && wanted.from < stretch.from;
  if (!isCut) return [];
  const begin = Math.max(period.from, wanted.from);
  const limit = Math.max(from, ended - reach.length);
  return begin < limit ? [lostRange({ begin, limit, present: ended }, footer, reach.why)] : [];
}
