import { closeSync, fchmodSync, fstatSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { Context } from "../context/context.ts";
import { errorCode } from "./file-fault.ts";

/** The end of every staging name: 16 hexadecimal digits and `.new`. */
export const stagingSuffix = String.raw`\.[\da-f]{16}\.new`;

/** Names that another program planted before the client gives up. */
const maxAttempts = 10;

let count = 0;

/** A name beside `target` that no other process and no other call uses. */
export function stagingName(random: () => number, target: string): string {
  count = (count + 1) % 0x1_00_00;
  const drawn = Math.floor(random() * 2 ** 48).toString(16);
  return `${target}.${drawn.padStart(12, "0")}${count.toString(16).padStart(4, "0")}.new`;
}

interface Permissions {
  readonly mode: number;
  /** Those of the file that is replaced. */
  readonly kept?: number | undefined;
}

/**
 * Writes the content of a file that is about to replace `target` to a file beside it, and returns its name. The file is
 * created exclusively, so nothing that another user plants under its name, such as a symbolic link, is opened. After an
 * error nothing is left.
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
      // `wx` is O_EXCL, which fails on an existing name and never follows a link.
      return { staged, descriptor: openSync(staged, "wx", mode) };
    } catch (cause) {
      if (errorCode(cause) !== "EEXIST" || attempt === maxAttempts) throw cause;
    }
  }
}

/** Replaces `target` by a file with that content: a reader sees the old file or the new one, complete. */
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
/** What Windows answers while a reader or a virus scanner holds the file for a moment; elsewhere it is a refusal. */
const heldCodes: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);

/** Puts the staged file in place of the other, at once; on Windows within two seconds. */
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
 * Gives an open file, still empty, exactly those permissions: the umask narrows what it was made with. Not by its name,
 * which another program may have given to a file of its own.
 */
export function keepMode(descriptor: number, kept: number | undefined): void {
  if (kept === undefined) return;
  // Where they are the same nothing is asked: some file systems know one mode alone, and refuse.
  if ((fstatSync(descriptor).mode & 0o777) !== kept) fchmodSync(descriptor, kept);
}
