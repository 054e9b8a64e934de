import { existsSync } from "node:fs";
import { fail } from "../../contract/failure.ts";
import { journalOf, targetOf } from "../../files/out/out-names.ts";
import { fileOf } from "../../files/file-pattern.ts";

/**
 * Rows that a stream or a follower adds to the file of an unfinished pull would be cut off when that is resumed. `now`:
 * milliseconds since the epoch, which choose the file of a pattern.
 */
export function refuseUnfinished(pattern: string, now: number): void {
  const file = targetOf(fileOf(pattern, now));
  if (!existsSync(journalOf(file))) return;
  throw fail("unfinished", `${file} has an unfinished pull`, {
    next: "repeat the command of that pull with --resume first, or name another file",
  });
}
