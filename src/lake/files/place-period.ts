import { hash } from "node:crypto";
import path from "node:path";
import type { Context } from "../../base/context/context.ts";
import { groupBy } from "../../base/group-by.ts";
import { folderBelow, removeFile } from "../../base/files/paths.ts";
import type { FileLock } from "../../base/files/file-lock.ts";
import { identityOf, keepCopy, publish, removeOwn } from "../../base/files/synced-file.ts";
import { showSeconds } from "../../base/time/time.ts";
import { type Dataset, isPoolList } from "../dataset.ts";
import { fileNameOf, type FileState, folderOf, placeOf } from "../layout.ts";
import { isIntact, joinPeriods, type StoredPeriod, type WrittenPart } from "./lake-file.ts";
import { findFiles, type FoundFile, isWithin, type KnownPeriod } from "./stored-periods.ts";

/** What it takes to change a directory. */
export interface Keeper {
  readonly context: Pick<Context, "clock">;
  readonly root: string;
  readonly lock: FileLock;
  /** Data of different services must not be mixed. */
  readonly service: string;
  /** Rows of the dataset have changed on the disk, and are no longer in its files. */
  readonly damaged: (problem: string, dataset: Dataset) => void;
}

/** A file of unfinished work. `text` says what it has; addresses may be too long to be a part of one name. */
export function workFile(root: string, text: string, extension: string): string {
  const name = hash("sha256", text).slice(0, 16);
  return path.join(root, ".dexdata", "work", `${name}.${extension}`);
}

/** Parts carry the ID of the lock, so that a process that has lost it cannot write to another one's part. */
export function partIn({ root, lock }: Pick<Keeper, "root" | "lock">, name: string): string {
  return workFile(root, name, `${lock.id}.part`);
}

/** Removes what a finished run no longer needs: names of this program's own form only. */
export function clearWork(root: string): void {
  removeOwn(
    folderBelow(root, ".dexdata", "work"),
    /^[\da-f]{16}\.(?:ndjson|ndjson\.resume|divided|[\da-f]+-\d+\.part)$/u,
  );
}

/** Before a complete file loses rows. */
export function copyAside(keeper: Keeper, file: string): void {
  keepCopy(keeper.lock, file, replacedName(keeper, file));
}

/** A new name below `.dexdata/replaced`, in the same place there as the file has in the directory. */
function replacedName({ context, root }: Keeper, file: string): string {
  const at = showSeconds(context.clock.now() / 1000);
  const place = path.relative(root, file);
  // A file behind a link is not ours to move.
  folderBelow(root, path.dirname(place));
  for (let count = 1; ; count += 1) {
    const time = at.replaceAll(":", "") + (count === 1 ? "" : `-${count}`);
    const folder = folderBelow(root, ".dexdata", "replaced", time, path.dirname(place));
    const name = path.join(folder, path.basename(file));
    if (identityOf(name) === undefined) return name;
  }
}

/** A new file with one period, and what was read of the period before. */
interface NewPeriod {
  readonly known: KnownPeriod;
  readonly written: WrittenPart;
}

/**
 * Puts periods of one month and state into their file, where the rows of other days do not change. They are added to the
 * new file before they are removed from the old one, so that a reader always finds them. No file has those after the first
 * one yet. Returns the name of the file, relative to the root.
 */
export async function placePeriods(
  keeper: Keeper,
  [{ known, written }, ...more]: readonly [NewPeriod, ...NewPeriod[]],
): Promise<string> {
  const { root, lock } = keeper;
  const { dataset, period, held } = known;
  const { footer } = written;
  const place = placeOf(dataset, period);
  const name = path.join(folderOf(dataset), place, fileNameOf(footer.state));
  const named = path.join(folderBelow(root, path.dirname(name)), path.basename(name));
  const files = await usableFiles(keeper, known, footer.state);
  const isOther = (each: StoredPeriod): boolean => !isWithin(each.footer, period);
  const target = files.find(({ state }) => state === footer.state);
  if (place === period.name) publish(lock, written.file, named, target?.identity);
  else {
    const kept = held?.footer?.rows_sha256 === footer.rows_sha256 ? held : undefined;
    // If the rows are those that the file has, all of its row groups can be copied.
    const own = kept?.footer === undefined ? written : { ...kept, footer };
    const others = target?.periods.filter(isOther) ?? [];
    const days = [...others, own, ...more.map((each) => each.written)];
    await rewrite(keeper, dataset, target ?? { file: named, identity: undefined }, days);
    for (const { file } of [written, ...more.map((each) => each.written)]) removeFile(file);
  }
  for (const found of files)
    if (found !== target && !found.periods.every(isOther))
      await rewrite(keeper, dataset, found, found.periods.filter(isOther));
  return name;
}

/**
 * A damaged file of the period or of its new state is set aside, because it may have rows that exist nowhere else. Other
 * damaged files stay until they can be replaced.
 */
async function usableFiles(
  keeper: Keeper,
  { dataset, period, held }: KnownPeriod,
  state: FileState,
): Promise<readonly FoundFile[]> {
  const files: FoundFile[] = [];
  for (const found of await findFiles(keeper.root, dataset, placeOf(dataset, period))) {
    const { file } = found;
    const own = file === held?.file ? held : undefined;
    const damaged = own?.footer === undefined ? own : undefined;
    const problem = found.problem ?? damaged?.problem;
    // Other days of the file can still be read.
    const isUsable = found.problem === undefined && damaged?.isPartly !== false;
    if (problem !== undefined && (own !== undefined || found.state === state)) {
      if (isUsable) copyAside(keeper, file);
      else publish(keeper.lock, file, replacedName(keeper, file), undefined);
      keeper.damaged(`replaced ${file}: ${problem}; the earlier file is in .dexdata/replaced`, dataset);
    }
    if (isUsable) files.push({ ...found, identity: own?.identity ?? found.identity });
  }
  return files;
}

/** A killed run may have left a period in two files. The first one has it. */
export async function dropCopies(
  keeper: Keeper,
  dataset: Dataset,
  files: readonly FoundFile[],
): Promise<void> {
  const seen = new Set<number>();
  for (const found of files) {
    const own = found.periods.filter(({ footer }) => !seen.has(footer.period.to));
    if (own.length < found.periods.length) await rewrite(keeper, dataset, found, own);
    for (const { footer } of own) seen.add(footer.period.to);
  }
}

/** Without periods, the file is removed. */
async function rewrite(
  keeper: Keeper,
  dataset: Dataset,
  { file, identity }: Pick<FoundFile, "file" | "identity">,
  wanted: readonly StoredPeriod[],
): Promise<void> {
  const { root, lock, damaged } = keeper;
  folderBelow(root, path.dirname(path.relative(root, file)));
  const part = partIn(keeper, file);
  const periods: StoredPeriod[] = [];
  const changed: StoredPeriod[] = [];
  for (const [source, own] of groupBy(wanted, (period) => period.file)) {
    // The periods of a file share row groups, so all of them are read at once, unless one has changed.
    const begin = Math.min(...own.map(({ range }) => range.begin));
    const areAll = await isIntact(source, { begin, end: Math.max(...own.map(({ range }) => range.end)) });
    for (const period of own)
      (areAll || (await isIntact(source, period.range)) ? periods : changed).push(period);
  }
  for (const source of new Set(changed.map((period) => period.file))) copyAside(keeper, source);
  const days = changed.map(({ footer }) => showSeconds(footer.period.from).slice(0, 10));
  // The service has no history of a list of pools.
  const fate = isPoolList(dataset) ? "lost" : "read again";
  if (days.length > 0)
    damaged(
      `${file}: the rows of ${days.join(", ")} have changed and are ${fate}; the earlier file is in .dexdata/replaced`,
      dataset,
    );
  if (periods.length === 0) {
    publish(lock, file, part, undefined);
    removeFile(part);
    return;
  }
  await joinPeriods(
    part,
    periods.toSorted((one, other) => one.footer.period.from - other.footer.period.from),
  );
  publish(lock, part, file, identity);
}
