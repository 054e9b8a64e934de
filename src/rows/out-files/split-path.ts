import { createHash } from "node:crypto";
import path from "node:path";
import { usageFailure } from "../../base/failure.ts";
import { fixedFolder } from "../../base/files/file-pattern.ts";
import { isTaken, lookAt } from "../../base/files/paths.ts";
import { checkFolder } from "./out-file.ts";

/**
 * The name to which a path with fields adds `.part`, `.resume` and `.lock`. Pulls of other assets may use the same path
 * at the same time, so the name depends on the arguments, too.
 */
export function stagingBase(pattern: string, command: readonly string[]): string {
  const folder = fixedFolder(pattern);
  checkFolder(`--out "${pattern}"`, folder, lookAt(folder));
  const facts = JSON.stringify([path.resolve(pattern), ...command]);
  return path.join(folder, `.rows-${createHash("sha256").update(facts).digest("hex").slice(0, 16)}`);
}

/** No more names are useful to a reader. */
const maxNamed = 3;

/** For files that are known before a request is sent. */
export function refuseTaken(files: readonly string[]): void {
  const taken = files.filter(isTaken);
  if (taken.length === 0) return;
  throw usageFailure(
    `${namesOf(taken)} already ${taken.length === 1 ? "exists" : "exist"}`,
    "move them out of the way, or overwrite with --force",
  );
}

/** Such as `a.ndjson, b.ndjson, c.ndjson and 4 more files`. */
export function namesOf(files: readonly string[]): string {
  const more = files.length - maxNamed;
  const named = files.slice(0, maxNamed).join(", ");
  return more > 0 ? `${named} and ${more} more ${more === 1 ? "file" : "files"}` : named;
}
