import {
  closeSync,
  fchmodSync,
  fsyncSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Context } from "../context/context.ts";
import { errorCode, explainedWrite } from "./file-errors.ts";
import { isTaken, namesIn } from "./paths.ts";

/** Every staging name ends with 16 hexadecimal digits and `.new`. */
export const stagingSuffix = String.raw`\.[\da-f]{16}\.new`;

/** In case another program has already used a name. */
const maxAttempts = 10;

let count = 0;

/** Unique among all processes and calls. */
export function stagingName(random: () => number, target: string): string {
  count = (count + 1) % 0x1_00_00;
  const drawn = Math.floor(random() * 2 ** 48).toString(16);
  return `${target}.${drawn.padStart(12, "0")}${count.toString(16).padStart(4, "0")}.new`;
}

interface StagingOptions {
  readonly mode: number;
  /** The mode of the file that will be replaced. */
  readonly kept?: number | undefined;
  /** After a power failure, too, the file is either the old or the new one. */
  readonly isSynced?: true;
}

/**
 * Writes the future content of `target` to a new file next to it and returns the name. The file is created exclusively,
 * so a file planted by another user is never opened. After an error, no file is left behind.
 */
export function stageFile(
  random: () => number,
  target: string,
  content: string,
  { mode, kept, isSynced }: StagingOptions,
): string {
  const { staged, descriptor } = createStaged(random, target, kept ?? mode);
  try {
    keepMode(descriptor, kept);
    keepOwner(staged, target);
    writeFileSync(descriptor, content);
    if (isSynced === true) fsyncSync(descriptor);
    return staged;
  } catch (cause) {
    rmSync(staged, { force: true });
    throw cause;
  } finally {
    closeSync(descriptor);
  }
}

function createStaged(random: () => number, target: string, mode: number) {
  for (let attempt = 1; ; attempt += 1) {
    const staged = stagingName(random, target);
    try {
      // `wx` means O_EXCL, which fails if the name exists and never follows a link.
      return { staged, descriptor: openSync(staged, "wx", mode) };
    } catch (cause) {
      if (errorCode(cause) !== "EEXIST" || attempt === maxAttempts) throw cause;
    }
  }
}

/** Readers always see a complete file, either the old or the new one. */
export function replaceWithText(
  random: () => number,
  target: string,
  content: string,
  options: StagingOptions,
): void {
  const staged = stageFile(random, target, content, options);
  try {
    renameSync(staged, target);
  } catch (cause) {
    rmSync(staged, { force: true });
    throw cause;
  }
}

/** Removes what a killed process staged for this file. Only for the process that holds the file's lock. */
export function removeStaged(target: string): void {
  const [folder, name] = [path.dirname(target), path.basename(target)];
  const ending = new RegExp(`^${stagingSuffix}$`, "u");
  for (const each of namesIn(folder))
    if (each.startsWith(name) && ending.test(each.slice(name.length)))
      rmSync(path.join(folder, each), { force: true });
}

const tries = 10;
/** On Windows, a reader or a virus scanner briefly holds the file. Elsewhere, these errors are permanent. */
const heldCodes: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);

/** Retries for up to two seconds on Windows. */
export async function replaceFile(
  { clock, platform }: Pick<Context, "clock" | "platform">,
  staged: string,
  target: string,
  renameFile: typeof renameSync = renameSync,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return renameFile(staged, target);
    } catch (error) {
      if (platform !== "win32" || attempt === tries || !heldCodes.has(errorCode(error))) throw error;
      await clock.sleep(40 * attempt);
    }
  }
}

/** Unlike a rename, fails if the name exists. */
export async function giveNewName(staged: string, file: string): Promise<void> {
  try {
    await link(staged, file);
  } catch (cause) {
    if (isTaken(file)) throw cause;
    // Some file systems do not support hard links.
    return await rename(staged, file);
  }
  await rm(staged);
}

/** Undoes the umask on an open, empty file. Another program may have given its name to a different file. */
export function keepMode(descriptor: number, kept: number | undefined): void {
  if (kept === undefined) return;
  // Some file systems support only one mode and reject the call.
  if ((fstatSync(descriptor).mode & 0o777) !== kept) fchmodSync(descriptor, kept);
}

/**
 * A file that root replaces still belongs to its owner. Otherwise, after one run with sudo, the user could not read the
 * settings or the budget again.
 */
export function keepOwner(staged: string, target: string): void {
  if (process.geteuid?.() !== 0) return;
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.uid === 0) return;
  try {
    lchownSync(staged, found.uid, found.gid);
  } catch {
    // A network file system may not let root change owners. The file is replaced all the same.
  }
}

/** Replaces a file that people read, with the permissions of any new file. An error names it. */
export function replaceText({ random }: Pick<Context, "random">, file: string, text: string): void {
  explainedWrite(file, () => replaceWithText(random, file, text, { mode: 0o666 }));
}
