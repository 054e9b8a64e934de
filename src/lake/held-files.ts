import path from "node:path";
import { openStored, renameStored } from "../files/stored-file.ts";
import { openParquet, readParquet, UnreadableParquet } from "../parquet/parquet-file.ts";
import type { Held } from "./coverage.ts";
import type { Dataset } from "./dataset.ts";
import { foreignPart, readFooter } from "./footer.ts";
import { fileNameOf, type FileState, fileStates, folderOf, type Period } from "./layout.ts";

export interface HeldFile extends Held {
  readonly file: string;
}

/** The file of a period. Only its footer is read, unless `isFull` asks for every byte. */
export async function findHeld(
  root: string,
  dataset: Dataset,
  period: Period,
  isFull: boolean,
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
    renameStored(file, named);
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
  const source = openStored(file);
  if (source === undefined) return undefined;
  const unusable = (problem: string): HeldFile => ({ file, state, footer: undefined, problem });
  try {
    const parquet = await openParquet(source);
    const footer = readFooter(parquet.receipt);
    if (footer === undefined) return unusable("the footer is not one that dexdata writes");
    const foreign = foreignPart(footer, dataset, period);
    if (foreign !== undefined) return unusable(`the file belongs to another place: ${foreign}`);
    if (parquet.rows !== footer.rows) return unusable("the number of rows is not the one in the footer");
    if (isFull && (await readParquet(parquet)).rows_sha256 !== footer.rows_sha256)
      return unusable("the rows have changed");
    return { file, state, footer };
  } catch (cause) {
    if (cause instanceof UnreadableParquet) return unusable(cause.message);
    throw cause;
  } finally {
    source.close();
  }
}
