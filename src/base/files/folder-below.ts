import { lstatSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fail } from "../failure.ts";
import { errorCode, writeFailure } from "./file-errors.ts";

/**
 * Creates a directory below `root`, and returns its path. The root itself can be a link; below it, no link is followed,
 * because its target is not ours to write to or to clear.
 */
export function folderBelow(root: string, ...parts: readonly string[]): string {
  let folder = root;
  for (const name of parts.flatMap((part) => part.split(path.sep)).filter((part) => part !== "")) {
    folder = path.join(folder, name);
    createFolder(folder);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) continue;
    const what = found?.isSymbolicLink() === true ? "a link" : "not a directory";
    throw fail("output", `${folder} is ${what}, and dexdata follows no links below ${root}`, {
      next: "replace it with a directory; only the outermost directory can be a link",
    });
  }
  return folder;
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, 0o777);
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw writeFailure("output", folder, cause);
  }
}
