import path from "node:path";
import { showSeconds } from "../../base/time/time.ts";
import { folderBelow } from "../../base/files/folder-below.ts";
import { removeFile } from "../../base/files/paths.ts";
import { publish } from "../../base/files/publish.ts";
import { type Dataset, isPoolList } from "../dataset.ts";
import type { Footer } from "../footer.ts";
import { findFiles, type FoundFile, type LakeFileState, isWithin } from "./stored-periods.ts";
import { isIntact, joinPeriods, type StoredPeriod, type WrittenPart } from "./lake-file.ts";
import { fileNameOf, type FileState, folderOf, type Period, placeOf } from "../layout.ts";
import { copyAside, type Keeper, partIn, placePart, setAside } from "./place-file.ts";

export interface Placer extends Keeper {
  /** Rows of the dataset have changed on the disk, and are no longer in its files. */
  readonly damaged: (problem: string, dataset: Dataset) => void;
}

/**
 * Puts a period into the file of its state. In a file by month, the rows of other days do not change. The day is added to
 * the new file before it is removed from the old one, so that a reader always finds it.
 */
export async function placePeriod(
  placer: Placer,
  dataset: Dataset,
  period: Period,
  written: WrittenPart,
  kept: LakeFileState | undefined,
): Promise<string> {
  const place = placeOf(dataset, period);
  const folder = path.join(folderOf(dataset), place);
  const name = path.join(folder, fileNameOf(written.footer.state));
  if (place === period.name) {
    placePart(placer, folder, written, kept);
    return name;
  }
  const looked = await findFiles(placer, dataset, place);
  const files = looked.map((found) =>
    found.file === kept?.file ? { ...found, identity: kept.identity } : found,
  );
  const isOther = ({ footer }: { footer: Footer }): boolean => !isWithin(footer, period);
  const { file, footer } = written;
  // If the rows are those that the file has, all of its row groups can be copied.
  const isSame = kept?.footer !== undefined && kept.footer.rows_sha256 === footer.rows_sha256;
  const own: StoredPeriod = isSame ? { ...kept, footer } : written;
  const target = files.find(({ state }) => state === footer.state);
  await rewrite(placer, dataset, place, footer.state, target, [...othersIn(target, isOther), own]);
  removeFile(file);
  for (const found of files)
    if (found !== target && !found.periods.every(isOther))
      await rewrite(placer, dataset, place, found.state, found, othersIn(found, isOther));
  return name;
}

/** A killed run may have left a period in two files. The first one has it. */
export async function dropCopies(
  placer: Placer,
  dataset: Dataset,
  place: string,
  files: readonly FoundFile[],
): Promise<void> {
  const seen = new Set<number>();
  for (const found of files) {
    const own = found.periods.filter(({ footer }) => !seen.has(footer.period.to));
    if (own.length < found.periods.length) {
      const isOwn = (each: FoundFile["periods"][number]): boolean => own.includes(each);
      await rewrite(placer, dataset, place, found.state, found, othersIn(found, isOwn));
    }
    for (const { footer } of own) seen.add(footer.period.to);
  }
}

function othersIn(
  found: FoundFile | undefined,
  isOther: (period: FoundFile["periods"][number]) => boolean,
): readonly StoredPeriod[] {
  return (found?.periods ?? []).filter(isOther);
}

async function rewrite(
  placer: Placer,
  dataset: Dataset,
  place: string,
  state: FileState,
  found: FoundFile | undefined,
  wanted: readonly StoredPeriod[],
): Promise<void> {
  const { root, lock, damaged } = placer;
  const folder = path.join(folderOf(dataset), place);
  const named = path.join(folderBelow(root, folder), fileNameOf(state));
  const part = partIn(placer, `${folder}/${state}`);
  const isUsable = found?.problem === undefined;
  if (found?.problem !== undefined) {
    setAside(placer, found);
    damaged(`replaced ${found.file}: ${found.problem}; the earlier file is in .dexdata/replaced`, dataset);
  }
  const periods: StoredPeriod[] = [];
  const changed: StoredPeriod[] = [];
  for (const period of wanted) ((await isIntact(period.file, period.range)) ? periods : changed).push(period);
  for (const file of new Set(changed.map((period) => period.file))) copyAside(placer, { file });
  const days = changed.map(({ footer }) => showSeconds(footer.period.from).slice(0, 10));
  // The service has no history of a list of pools.
  const fate = isPoolList(dataset) ? "lost" : "read again";
  if (days.length > 0)
    damaged(
      `${named}: the rows of ${days.join(", ")} have changed and are ${fate}; the earlier file is in .dexdata/replaced`,
      dataset,
    );
  if (periods.length === 0) {
    publish(lock, named, part, undefined);
    removeFile(part);
    return;
  }
  await joinPeriods(
    part,
    periods.toSorted((one, other) => one.footer.period.from - other.footer.period.from),
  );
  publish(lock, part, named, isUsable ? found?.identity : undefined);
}
