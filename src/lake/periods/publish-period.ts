import type { Published } from "../lake.ts";
import path from "node:path";
import { removeFile } from "../../base/files/paths.ts";
import type { Dataset } from "../dataset.ts";
import { groupBy } from "../../base/group-by.ts";
import { addedRanges, completeAge, notCreated } from "../coverage.ts";
import type { Footer } from "../footer.ts";
import type { KnownPeriod, ReadFile } from "../files/stored-periods.ts";
import { footerOf, judgePeriod, type PeriodUpdate } from "./judge-period.ts";
import { writePart, type WrittenPart } from "../files/lake-file.ts";
import { type LakeRow, readLakeRow, sortRows, mergeRows } from "./lake-rows.ts";
import { folderOf } from "../layout.ts";
import type { WrittenRows } from "../../rows/parquet-writer.ts";
import { copyAside, type Keeper, partIn, placePeriods } from "../files/place-period.ts";

/** A new file with one period, which is not in the directory yet. */
interface WrittenPeriod {
  readonly known: KnownPeriod;
  readonly written: WrittenPart;
  readonly counts: Pick<Published, "revised" | "withdrawn" | "twins">;
}

/**
 * Replaces the file of a period, unless it already says the same. Several periods are days of one month that no file has
 * yet: those of one state get into their file together, because each change writes all of it.
 */
export async function publishPeriods(
  keeper: Keeper,
  updates: readonly PeriodUpdate[],
  see: (published: Published, update: PeriodUpdate) => Promise<void>,
): Promise<void> {
  const all: (WrittenPeriod & { readonly known: PeriodUpdate })[] = [];
  try {
    for (const update of updates) {
      const period = await writePeriod(keeper, update);
      if (period !== undefined) all.push({ ...period, known: update });
    }
    for (const own of groupBy(all, ({ written }) => written.footer.state).values()) {
      const file = await placePeriods(keeper, own);
      for (const period of own) await see(describe(period, file), period.known);
    }
  } finally {
    // A full disk has no room for what a failure would leave.
    for (const { written } of all) removeFile(written.file);
  }
}

/** Undefined if the file stays as it is. */
async function writePeriod(keeper: Keeper, update: PeriodUpdate): Promise<WrittenPeriod | undefined> {
  const { dataset, held } = update;
  const kept = held?.footer === undefined ? undefined : held;
  const earlier = (kept?.rows ?? []).map((text) => readLakeRow(dataset.kind, text));
  const { verdict, rows, merged } = decide(update, earlier);
  if (verdict.does === "note" && kept !== undefined)
    return await changeFooter(keeper, { ...update, held: kept }, { contradicted: verdict.contradicted });
  if (verdict.does !== "write") return undefined;
  const changes = createComparison(dataset, merged.reread);
  const written = await writePart(
    partOf(keeper, update),
    dataset.kind,
    rows.map(({ text }) => text),
    (summary) => footerOf({ service: keeper.service, update, verdict, rows, summary }),
    changes.see,
  );
  if (kept !== undefined && contentOf(kept.footer) === contentOf(written.footer)) {
    removeFile(written.file);
    return undefined;
  }
  if (kept?.state === "rows" && verdict.dropsAbsent) copyAside(keeper, kept.file);
  return { known: update, written, counts: { ...changes.counts(), twins: merged.twins } };
}

const partOf = (keeper: Keeper, { dataset, period }: KnownPeriod): string =>
  partIn(keeper, path.join(folderOf(dataset), period.name));

function describe({ known: { dataset, held }, written, counts }: WrittenPeriod, file: string): Published {
  const added = addedRanges(held?.footer?.before, written.footer.before);
  const lostBefore = added.filter(({ why }) => why !== notCreated);
  return { ...written, dataset, file, ...counts, lostBefore };
}

/** What becomes of the file, and its rows if it is written. `earlier` are the rows of the file so far. */
export function decide(update: PeriodUpdate, earlier: readonly LakeRow[]) {
  const { dataset, period, part } = update;
  const merged = mergeRows(dataset, period, earlier, update.rows, part, settledIn(update));
  const verdict = judgePeriod(update, merged.absent);
  const drops = verdict.does === "write" && verdict.dropsAbsent;
  const rows = drops ? merged.rows : sortRows([...merged.rows, ...merged.absent]);
  return { verdict, rows, merged };
}

/**
 * Settled rows do not disappear, but rows of an open file that can still change do. After a day, the service may have
 * stopped keeping a row, so it disappears only if the service has returned an older one.
 */
function settledIn({ dataset, held, part, rows, isWitnessed }: PeriodUpdate): number {
  if (held?.footer === undefined) return Number.NEGATIVE_INFINITY;
  if (held.footer.state !== "open") return Number.POSITIVE_INFINITY;
  if (dataset.kind !== "transactions" || isWitnessed) return held.footer.settled_to;
  const kept = rows.reduce((oldest, { at }) => Math.min(oldest, at.seconds), part.present - completeAge);
  return Math.max(held.footer.settled_to, kept);
}

/** Writes a period, and puts it into the file of its state. */
export async function replacePeriod(...period: Parameters<typeof writeRows>): Promise<Published> {
  return await placeOne(period[0], await writeRows(...period));
}

async function placeOne(keeper: Keeper, period: WrittenPeriod): Promise<Published> {
  return describe(period, await placePeriods(keeper, [period]));
}

async function writeRows(
  keeper: Keeper,
  known: KnownPeriod,
  rows: readonly string[],
  footerOfRows: (written: WrittenRows) => Footer,
): Promise<WrittenPeriod> {
  const written = await writePart(partOf(keeper, known), known.dataset.kind, rows, footerOfRows);
  return { known, written, counts: { revised: 0, withdrawn: 0, twins: 0 } };
}

type ReadPeriod = KnownPeriod & { readonly held: ReadFile };

/** The rows stay as they are. */
export async function rewriteFooter(
  keeper: Keeper,
  known: ReadPeriod,
  changes: Partial<Footer>,
): Promise<Published> {
  return await placeOne(keeper, await changeFooter(keeper, known, changes));
}

async function changeFooter(keeper: Keeper, known: ReadPeriod, changes: Partial<Footer>) {
  const footer = { ...known.held.footer, ...changes, service: keeper.service };
  return await writeRows(keeper, known, known.held.rows, () => footer);
}

/** In seconds. The time of an attempt is updated after a day, because the next attempt depends on it. */
const attemptTime = 86_400;

/** If only the time up to which rows are settled has moved, the file stays as it is, and a later run reads more again. */
function contentOf({ settled_to, unsettled, dexdata: _version, lost, before, ...content }: Footer): string {
  const ranges = lost.map(({ seen_at, ...range }) => [range, Math.floor(seen_at / attemptTime)]);
  const earlier = before?.map(({ seen_at: _seen, ...range }) => range);
  const settled = content.state === "open" ? undefined : [settled_to, unsettled];
  // Those of files have their members in the order of the schema.
  const sorted = Object.entries(content).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([sorted, ranges, earlier, settled]);
}

/** Compares the rows that were read again with their earlier versions. Both are as files have them. */
export function createComparison({ kind }: Pick<Dataset, "kind">, reread: readonly LakeRow[]) {
  const earlier = new Map(reread.map(({ key, text }) => [key, text]));
  let [found, revised] = [0, 0];
  return {
    see: (line: string): void => {
      if (earlier.size === 0) return;
      const text = earlier.get(readLakeRow(kind, line).key);
      if (text === undefined) return;
      found += 1;
      if (text !== line && !line.includes('"other":')) revised += 1;
    },
    counts: () => ({ revised, withdrawn: Math.max(0, earlier.size - found) }),
  };
}
