import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Context } from "../context/context.ts";
import { acquireLock } from "./file-lock.ts";
import { makeFolder } from "./make-folder.ts";
import { stageFile } from "./staged-file.ts";
import { readJsonFile } from "./read-json-file.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Changes one small file that all processes of this machine share: lock, read, change, replace. What it held is
 * undefined where there is none or it is no JSON object, for what is counted here can be counted anew. Throws
 * where the folder cannot be written or the lock not be had. `change` is called again, with what the file holds by
 * then, when another process took the lock for abandoned meanwhile.
 */
export async function updateStateFile<T>(
  context: Pick<Context, "clock" | "platform" | "random" | "signal">,
  file: string,
  change: (before: unknown) => { readonly after: unknown; readonly result: T },
): Promise<T> {
  makeFolder(path.dirname(file), 0o700);
  for (;;) {
    const lock = await acquireLock(context, `${file}.lock`);
    let staged: string | undefined;
    try {
      const { after, result } = change(readState(file));
      staged = stageFile(context.random, file, JSON.stringify(after), { mode: 0o600 });
      if (!lock.isHeld()) continue;
      await replaceFile(context, staged, file);
      staged = undefined;
      return result;
    } finally {
      if (staged !== undefined) rmSync(staged, { force: true });
      lock.release();
    }
  }
}

/** Removes the files of such names that nobody has changed for a day. */
export function removeUnused(folder: string, name: RegExp, now: number): void {
  for (const each of readdirSync(folder).filter((entry) => name.test(entry))) {
    const file = path.join(folder, each);
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - changed > 24 * 60 * 60 * 1000) rmSync(file, { force: true });
  }
}

function readState(file: string): unknown {
  const found = readJsonFile(file);
  return found.state === "read" ? found.object : undefined;
}
