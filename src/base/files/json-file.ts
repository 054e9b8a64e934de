import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  eachOutsideStrings,
  isObject,
  OPEN_ARRAY,
  OPEN_OBJECT,
} from "../json/json-scan.ts";
import { type Failure, usageFailure } from "../failure.ts";
import { cannotBeRead, errorCode } from "./file-errors.ts";
import { acquireLock, type Locking } from "./file-lock.ts";
import { makeFolder } from "./paths.ts";
import { replaceFile, stageFile } from "./replace-file.ts";

export type JsonFile =
  | { readonly state: "absent" }
  /** `mode` contains the permission bits. */
  | { readonly state: "read"; readonly object: Readonly<Record<string, unknown>>; readonly mode: number }
  /** `problem` starts with the path. It never quotes the content, which may contain a key. */
  | { readonly state: "unreadable" | "damaged"; readonly problem: string };

/** `problem` is why a file that people may edit was not read. */
export function unusableFile(problem: string): Failure {
  return usageFailure(problem, "fix or move the file, then try again");
}

/** dexdata's own files are a few hundred bytes long. Any other file at this path must not fill the memory. */
const MAX_BYTES = 1024 * 1024;

export function readJsonFile(file: string): JsonFile {
  const unreadable = (why: string): JsonFile => ({ state: "unreadable", problem: `${file} ${why}` });
  const damaged = (why: string): JsonFile => ({ state: "damaged", problem: `${file} ${why}` });
  let text: string;
  let mode: number;
  try {
    const stat = statSync(file);
    // Reading from a pipe could block forever.
    if (!stat.isFile()) return unreadable("is not a file");
    if (stat.size > MAX_BYTES)
      return damaged(`is larger than ${MAX_BYTES / 1024 / 1024} MiB, the limit for this file`);
    text = readFileSync(file, "utf8");
    mode = stat.mode & 0o777;
  } catch (error) {
    return errorCode(error) === "ENOENT" ? { state: "absent" } : unreadable(cannotBeRead(error));
  }
  try {
    if (isDeep(text)) return damaged(`is nested deeper than ${maxDepth} levels`);
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""));
    return isObject(parsed) ? { state: "read", object: parsed, mode } : damaged("is not a JSON object");
  } catch {
    // The parser's message is not used, because it quotes the text around the error.
    return damaged("is not valid JSON");
  }
}

/** dexdata's files have three levels. JSON.stringify and String recurse and could overflow the stack. */
const maxDepth = 100;

/** Throws a SyntaxError if a string in the text is unterminated. */
function isDeep(text: string): boolean {
  let depth = 0;
  eachOutsideStrings(text, (code, at) => {
    if (code === OPEN_ARRAY || code === OPEN_OBJECT) depth += 1;
    if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    // Skips the rest of the text once the limit is exceeded.
    return depth > maxDepth ? text.length : at;
  });
  return depth > maxDepth;
}

/** If `after` is undefined, the file is not changed. */
export interface Changed<C, T> {
  readonly after: C | undefined;
  readonly result: T;
}

/**
 * Changes a small file that all processes on this machine share. A lock and a rename ensure that readers always see a
 * complete file. If another process took the lock because it looked abandoned, `change` is called again with the new
 * content and can throw to reject it. Also throws if the directory is not writable or the lock cannot be taken.
 */
export async function updateJsonFile<C, T>(
  context: Locking,
  file: string,
  change: (current: JsonFile) => Changed<C, T>,
  /** Returns the file with the new content, and the file that it replaces. */
  stage: (content: C) => { readonly staged: string; readonly target: string },
): Promise<T> {
  for (;;) {
    const lock = await acquireLock(context, `${file}.lock`);
    let staged: string | undefined;
    try {
      const { after, result } = change(readJsonFile(file));
      if (after === undefined) return result;
      const { target } = ({ staged } = stage(after));
      // The content may lack another process's change.
      if (!lock.isHeld()) continue;
      await replaceFile(context, staged, target);
      staged = undefined;
      return result;
    } catch (cause) {
      // The process that took the lock also removes this process's staged file.
      if (lock.isHeld()) throw cause;
    } finally {
      if (staged !== undefined) rmSync(staged, { force: true });
      lock.release();
    }
  }
}

/** `before` is undefined if the file contains no JSON object, because these counts can simply restart. */
export async function updateStateFile<T>(
  context: Locking,
  file: string,
  change: (before: unknown) => Changed<object, T>,
): Promise<T> {
  makeFolder(path.dirname(file), 0o700);
  return await updateJsonFile(
    context,
    file,
    (current) => change(current.state === "read" ? current.object : undefined),
    (after) => ({
      staged: stageFile(context.random, file, JSON.stringify(after), { mode: 0o600 }),
      target: file,
    }),
  );
}

/** Throws if a file in the directory cannot be written as in a normal run. */
export async function probeStateFolder(context: Locking, folder: string): Promise<void> {
  const probe = path.join(folder, "doctor.json");
  await updateStateFile(context, probe, () => ({ after: {}, result: undefined }));
  rmSync(probe, { force: true });
}

/** Unused means unchanged for a day. */
export function removeUnused(folder: string, name: RegExp, now: number): void {
  for (const each of readdirSync(folder).filter((entry) => name.test(entry))) {
    const file = path.join(folder, each);
    const changed = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - changed > 24 * 60 * 60 * 1000) rmSync(file, { force: true });
  }
}
