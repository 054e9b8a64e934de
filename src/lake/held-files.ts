import path from "node:path";
import { describeFileError, errorCode, isOneFile } from "../base/files/file-errors.ts";
import { folderBelow } from "../base/files/folder-below.ts";
import { type FileIdentity, type FolderLock, identityOf, publish } from "../base/files/publish.ts";
import { openStored } from "../base/files/stored-file.ts";
import { openParquet, readParquet, UnreadableParquet } from "../rows/parquet/parquet-file.ts";
import type { Held } from "./coverage.ts";
import type { Dataset } from "./dataset.ts";
import { foreignPart, readFooter } from "./footer.ts";
import { fileNameOf, type FileState, fileStates, folderOf, type Period } from "./layout.ts";

export interface HeldFile extends Held {
  readonly file: string;
  readonly identity: FileIdentity | undefined;
}

export interface Looking {
  readonly root: string;
  /** Reads every byte of the file, not only its footer. */
  readonly isFull: boolean;
  /** Without it, nothing is changed. */
  readonly lock: FolderLock | undefined;
}

/** The file of a period. What the operating system says about one file is damage of that file. */
export async function findHeld(
  { root, isFull, lock }: Looking,
  dataset: Dataset,
  period: Period,
): Promise<HeldFile | undefined> {
  const folder = path.join(root, folderOf(dataset), period.name);
  for (const state of fileStates) {
    const file = path.join(folder, fileNameOf(state));
    const held = await readHeld(file, state, dataset, period, isFull);
    if (held?.footer === undefined || held.footer.state === state) {
      if (held !== undefined) return held;
      continue;
    }
    // A run was killed between writing the complete file and renaming it.
    const named = path.join(folder, fileNameOf(held.footer.state));
    if (lock === undefined) return { ...held, state: held.footer.state };
    if (identityOf(named) !== undefined)
      return { ...held, footer: undefined, problem: `${path.basename(named)} exists as well` };
    folderBelow(root, folderOf(dataset), period.name);
    publish(lock, file, named, undefined);
    return { ...held, file: named, state: held.footer.state };
  }
  return undefined;
}

async function readHeld(
  file: string,
  state: FileState,
  dataset: Dataset,
  period: Period,
  isFull: boolean,
): Promise<HeldFile | undefined> {
  const unusable = (problem: string): HeldFile => ({
    file,
    state,
    footer: undefined,
    problem,
    identity: identityOf(file),
  });
  let source: ReturnType<typeof openStored>;
  try {
    source = openStored(file);
    if (source === undefined) return undefined;
    const parquet = await openParquet(source);
    const footer = readFooter(parquet.receipt);
    if (footer === undefined) return unusable("the footer is not one that dexdata writes");
    const foreign = foreignPart(footer, dataset, period);
    if (foreign !== undefined) return unusable(`the file belongs to another place: ${foreign}`);
    if (parquet.rows !== footer.rows) return unusable("the number of rows is not the one in the footer");
    if (isFull && (await readParquet(parquet)).rows_sha256 !== footer.rows_sha256)
      return unusable("the rows have changed");
    return { file, state, footer, identity: source.identity };
  } catch (cause) {
    if (cause instanceof UnreadableParquet) return unusable(cause.message);
    if (errorCode(cause) === "ENOTDIR") return undefined;
    if (errorCode(cause) === "ELOOP") return unusable("it is a link");
    if (isOneFile(cause)) return unusable(`it cannot be read (${describeFileError(cause)})`);
    throw cause;
  } finally {
    source?.close();
  }
}
