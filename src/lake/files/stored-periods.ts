import path from "node:path";
import { describeFileError, errorCode, isOneFile } from "../../base/files/file-errors.ts";
import { fail } from "../../base/failure.ts";
import type { FileIdentity } from "../../base/files/paths.ts";
import { identityOf, openStored } from "../../base/files/synced-file.ts";
import { openParquet, type ParquetFile, readParquet, rowRanges } from "../../rows/parquet-file.ts";
import type { Dataset } from "../dataset.ts";
import { type Footer, foreignRows, readFooters } from "../footer.ts";
import {
  fileNameOf,
  type FileState,
  fileStates,
  folderOf,
  type Period,
  placeNamed,
  placeOf,
} from "../layout.ts";
import { UnreadableParquet } from "../../rows/parquet-format.ts";
import { readRows, type StoredPeriod } from "./lake-file.ts";

interface FileOnDisk {
  readonly file: string;
  readonly state: FileState;
  readonly identity: FileIdentity | undefined;
}

/** A period that can be read. */
type KeptFile = FileOnDisk & StoredPeriod;

interface DamagedFile extends FileOnDisk {
  readonly footer: undefined;
  readonly problem: string;
  /** Only these rows of the file have changed. */
  readonly isPartly: boolean;
}

/** A period in a file of the directory. */
export type LakeFileState = KeptFile | DamagedFile;

/** A period whose rows were read, as JSON. */
export type ReadFile = KeptFile & { readonly rows: readonly string[] };

/** A period, and what was read of it before. */
export interface KnownPeriod {
  readonly dataset: Dataset;
  readonly period: Period;
  readonly held: ReadFile | DamagedFile | undefined;
}

/** A file with the periods that it has, oldest first. */
export interface FoundFile extends FileOnDisk {
  readonly problem: string | undefined;
  readonly periods: readonly KeptFile[];
  /** Periods whose rows have changed; known only if every byte was read. */
  readonly changed: readonly (KeptFile & { readonly problem: string })[];
}

/** The period in its file. What the operating system says about one file is damage of that file. */
export async function readHeld(root: string, dataset: Dataset, period: Period): Promise<KnownPeriod["held"]> {
  const held = heldIn(await findFiles(root, dataset, placeOf(dataset, period)), period);
  if (held?.footer === undefined) return held;
  try {
    return { ...held, rows: await readRows(held.file, held.range, held.footer.rows_sha256) };
  } catch (cause) {
    const isPartly = cause instanceof UnreadableParquet;
    return { ...held, footer: undefined, problem: damageOf(cause), isPartly };
  }
}

/** What is wrong with a file. Anything else is thrown again. */
function damageOf(cause: unknown): string {
  if (cause instanceof UnreadableParquet) return cause.message;
  if (errorCode(cause) === "ELOOP") return "it is a link";
  if (isOneFile(cause)) return `it cannot be read (${describeFileError(cause)})`;
  throw cause;
}

export const isWithin = ({ period }: Footer, { from, to }: Period): boolean =>
  period.from >= from && period.from < to;

/** A file that cannot be read may have any period of its time. A killed run can leave a period in two files. */
export function heldIn(files: readonly FoundFile[], own: Period): LakeFileState | undefined {
  const kept = files.flatMap(({ periods }) => periods).find(({ footer }) => isWithin(footer, own));
  if (kept !== undefined) return kept;
  const changed = files.flatMap((found) => found.changed).find(({ footer }) => isWithin(footer, own));
  const damaged = changed ?? files.find(({ problem }) => problem !== undefined);
  if (damaged?.problem === undefined) return undefined;
  return { ...damaged, footer: undefined, problem: damaged.problem, isPartly: damaged === changed };
}

/** The files in one directory of a dataset: complete rows come first. `isRead` reads every byte. */
export async function findFiles(
  root: string,
  dataset: Dataset,
  name: string,
  isRead = false,
): Promise<readonly FoundFile[]> {
  const folder = path.join(root, folderOf(dataset), name);
  const place = placeNamed(dataset, name);
  if (place === undefined) return [];
  const files: FoundFile[] = [];
  for (const state of fileStates) {
    const file = path.join(folder, fileNameOf(state));
    const found = await readFound(file, state, dataset, place, isRead);
    if (found !== undefined) files.push(found);
  }
  return files;
}

async function readFound(
  file: string,
  state: FileState,
  dataset: Dataset,
  place: Period,
  isRead: boolean,
): Promise<FoundFile | undefined> {
  let source: ReturnType<typeof openStored>;
  try {
    source = openStored(file);
    if (source === undefined) return undefined;
    const { identity } = source;
    const parquet = openParquet(source);
    const footers = readFooters(file, parquet.receipt);
    if (footers === undefined) throw new UnreadableParquet("the footer is not one that dexdata writes");
    const foreign = foreignRows(footers, dataset, place);
    if (foreign !== undefined)
      throw new UnreadableParquet(`the file is in the wrong directory: it has ${foreign}`);
    const other = footers.find((footer) => footer.state !== state)?.state;
    if (other !== undefined)
      throw new UnreadableParquet(`the file has the wrong name: its days are ${other}`);
    const ranges = rowRanges(parquet, footers);
    const periods: KeptFile[] = [];
    const changed: (KeptFile & { readonly problem: string })[] = [];
    for (const [index, footer] of footers.entries()) {
      const range = ranges[index] ?? { begin: 0, end: 0 };
      const own = { file, state, footer, identity, range };
      const problem = isRead ? await changeIn(parquet, own) : undefined;
      if (problem === undefined) periods.push(own);
      else changed.push({ ...own, problem });
    }
    return { file, state, identity, problem: undefined, periods, changed };
  } catch (cause) {
    if (errorCode(cause) === "ENOTDIR") return undefined;
    const identity = identityOf(file);
    // Which files a closed directory has is unknown, so its rows must not be requested again.
    if (identity === undefined && errorCode(cause) === "EACCES")
      throw fail("output", `${path.dirname(file)}: ${describeFileError(cause)}`, { cause });
    return { file, state, identity, problem: damageOf(cause), periods: [], changed: [] };
  } finally {
    source?.close();
  }
}

async function changeIn(
  parquet: ParquetFile,
  { footer, range }: Pick<KeptFile, "footer" | "range">,
): Promise<string | undefined> {
  try {
    const { rows_sha256 } = await readParquet(parquet, undefined, range);
    return rows_sha256 === footer.rows_sha256 ? undefined : "the rows have changed";
  } catch (cause) {
    if (cause instanceof UnreadableParquet) return cause.message;
    throw cause;
  }
}
