import { chmodSync, statSync } from "node:fs";

/** The permissions of a file that is about to be replaced; undefined where there is none. */
export function modeOf(file: string): number | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  return mode === undefined ? undefined : mode & 0o777;
}

/** Gives a file, still empty, exactly those permissions: the umask narrows what it was made with. */
export function keepMode(file: string, kept: number | undefined): void {
  // Where they are the same nothing is asked: some file systems know one mode alone, and refuse.
  if (kept !== undefined && modeOf(file) !== kept) chmodSync(file, kept);
}
