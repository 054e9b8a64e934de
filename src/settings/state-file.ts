import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pid } from "node:process";
import type { Context } from "../model/context.ts";
import { acquireLock } from "./file-lock.ts";

/**
 * Changes one small file that all processes of this machine share: lock, read, change, replace. What it held is
 * undefined where there is none or it cannot be read as JSON, for what is counted here can be counted anew. Throws
 * where the folder cannot be written or the lock not be had.
 */
export async function updateStateFile<T>(
  context: Pick<Context, "clock" | "random" | "signal">,
  file: string,
  change: (before: unknown) => { readonly after: unknown; readonly result: T },
): Promise<T> {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const lock = await acquireLock(context, `${file}.lock`);
  try {
    const { after, result } = change(readState(file));
    const staged = `${file}.${pid}.new`;
    writeFileSync(staged, JSON.stringify(after), { mode: 0o600 });
    renameSync(staged, file);
    return result;
  } finally {
    lock.release();
  }
}

function readState(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as unknown;
  } catch {
    return undefined;
  }
}
