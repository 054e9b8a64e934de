import { fchmodSync, fstatSync, statSync } from "node:fs";

/** The permissions of a file that is about to be replaced; undefined where there is none. */
export function modeOf(file: string): number | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o777;
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
