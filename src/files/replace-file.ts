import { closeSync, fchmodSync, fstatSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Context } from "../context/context.ts";
import { errorCode } from "./file-fault.ts";

/** Every staging name ends with 16 hexadecimal digits and `.new`. */
export const stagingSuffix = String.raw`\.[\da-f]{16}\.new`;

/** The number of attempts if another program has already created files with the chosen names. */
const maxAttempts = 10;

let count = 0;

/** Returns a name next to `target` that no other process and no other call uses. */
export function stagingName(random: () => number, target: string): string {
  count = (count + 1) % 0x1_00_00;
  const drawn = Math.floor(random() * 2 ** 48).toString(16);
  return `${target}.${drawn.padStart(12, "0")}${count.toString(16).padStart(4, "0")}.new`;
}

interface Permissions {
  readonly mode: number;
  /** The mode of the file that will be replaced. */
  readonly kept?: number | undefined;
}

/**
 * Writes the content that will replace `target` to a new file next to it, and returns the name of that file. The file
 * is created exclusively, so a symbolic link or another file that a different user planted is never opened. After an
 * error, no file is left behind.
 */
export function stageFile(
  random: () => number,
  target: string,
  content: string,
  { mode, kept }: Permissions,
): string {
  const { staged, descriptor } = createStaged(random, target, kept ?? mode);
  try {
    keepMode(descriptor, kept);
    writeFileSync(descriptor, content);
    return staged;
  } catch (cause) {
    rmSync(staged, { force: true });
    throw cause;
  } finally {
    closeSync(descriptor);
  }
}

function createStaged(
  random: () => number,
  target: string,
  mode: number,
): { readonly staged: string; readonly descriptor: number } {
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

/**
 * Replaces `target` with a file that has this content. A reader sees either the old or the new file, and both are
 * complete.
 */
export function replaceWithText(
  random: () => number,
  target: string,
  content: string,
  permissions: Permissions,
): void {
  const staged = stageFile(random, target, content, permissions);
  try {
    renameSync(staged, target);
  } catch (cause) {
    rmSync(staged, { force: true });
    throw cause;
  }
}

const tries = 10;
/**
 * Windows reports these errors while a reader or a virus scanner briefly holds the file. On other platforms, they are
 * permanent.
 */
const heldCodes: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);

/** Replaces the target with the staged file. On Windows, it retries for up to two seconds. */
export async function replaceFile(
  { clock, platform }: Pick<Context, "clock" | "platform">,
  staged: string,
  target: string,
  rename: typeof renameSync = renameSync,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return rename(staged, target);
    } catch (error) {
      if (platform !== "win32" || attempt === tries || !heldCodes.has(errorCode(error))) throw error;
      await clock.sleep(40 * attempt);
    }
  }
}

/**
 * Gives an open, empty file exactly these permissions, because the umask reduced them when the file was created. Does
 * not use the name, because another program may have given it to a different file.
 */
export function keepMode(descriptor: number, kept: number | undefined): void {
  if (kept === undefined) return;
  // Permissions that already match are not set again, because some file systems support only one mode and reject the
  // call.
  if ((fstatSync(descriptor).mode & 0o777) !== kept) fchmodSync(descriptor, kept);
}
