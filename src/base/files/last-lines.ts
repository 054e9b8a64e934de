import { type FileHandle, open, truncate } from "node:fs/promises";
import { parseJson } from "../json/json-scan.ts";
import type { Clock } from "../context/context.ts";
import { usageFailure } from "../failure.ts";
import { errorCode } from "./file-errors.ts";

/** Longer than any line. The longest is a 1 MiB event with its envelope and escaped line breaks. */
const longest = 4 * 1024 * 1024;
const [LF, OPEN_OBJECT] = [0x0a, 0x7b];

/** In milliseconds: how long a partial line must stay unchanged before its repair, and the time between checks. */
const [settling, lookGap] = [1000, 100];

export type TornLine = { readonly kind: "ended" | "cut"; readonly bytes: number };

/**
 * Repairs the last line before new lines are appended, because a killed run may have left it incomplete. A missing line
 * break is added, and an incomplete line is removed. A line that is still growing is left alone, because another
 * process is writing it. Returns undefined if there was nothing to repair.
 */
export async function repairPartialLine(
  handle: FileHandle,
  file: string,
  clock: Pick<Clock, "sleep">,
  hasPrefix: boolean,
): Promise<TornLine | undefined> {
  const { size, atime, mtime } = await handle.stat();
  if (size === 0) return undefined;
  const tail = await readTail(handle, size, longest);
  const begin = tail.lastIndexOf(LF, -2) + 1;
  checkPrefixes(file, tail.subarray(0, tail.at(-1) === LF ? undefined : begin), hasPrefix);
  if (tail.at(-1) === LF || (await isGrowing(handle, size, clock))) return undefined;
  const torn = tail.subarray(begin);
  // The text of a field can begin with any character, so the line before it shows what a prefixed line belongs to.
  const isOurs = torn[0] === OPEN_OBJECT || (hasPrefix && (begin > 0 || torn.includes("\t{")));
  if (!isOurs || (begin === 0 && size > tail.length))
    // dexdata does not remove anything from a file that another program may have written.
    throw usageFailure(
      `--out "${file}": must contain only lines of JSON`,
      "name another file; events are appended to existing lines",
    );
  const isWhole = parseJson(withoutPrefix(torn.toString("utf8"))) !== undefined;
  if (isWhole) await handle.appendFile("\n");
  else await cutFile(handle, file, size - torn.length);
  // It shows later runs since when events may be missing. Only the owner of a file can set its time.
  await handle.utimes(atime, mtime).catch(() => undefined);
  return { kind: isWhole ? "ended" : "cut", bytes: torn.length };
}

/** A program that splits the lines at a tab could not read a file that contains both kinds of lines. */
function checkPrefixes(file: string, lines: Buffer, hasPrefix: boolean): void {
  const last = lines.subarray(0, -1);
  const line = last.subarray(last.lastIndexOf(LF) + 1);
  if (line.length === 0 || line.includes("\t") === hasPrefix) return;
  throw usageFailure(
    `--out "${file}": its lines were written ${hasPrefix ? "without" : "with"} --prefix`,
    "use the same --prefix as before, or name another file",
  );
}

/** JSON in one line contains no tabs, and neither does a prefix. */
export function withoutPrefix(line: string): string {
  return line.slice(line.indexOf("\t") + 1);
}

async function isGrowing(handle: FileHandle, size: number, clock: Pick<Clock, "sleep">): Promise<boolean> {
  for (let waited = 0; waited < settling; waited += lookGap) {
    await clock.sleep(lookGap);
    if ((await handle.stat()).size !== size) return true;
  }
  return false;
}

/** The end of the file, of at most this many bytes. */
async function readTail(handle: FileHandle, size: number, most: number): Promise<Buffer> {
  const tail = Buffer.alloc(Math.min(size, most));
  const { bytesRead } = await handle.read(tail, 0, tail.length, size - tail.length);
  return tail.subarray(0, bytesRead);
}

/**
 * A final line without a line break counts if it is valid JSON: a killed run left it, and the next run that appends to
 * the file adds the line break.
 */
export async function readLastLines(
  file: string,
  bytes: number,
): Promise<{ readonly lines: readonly string[]; readonly isCut: boolean }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const { size } = await handle.stat();
    const lines = (await readTail(handle, size, bytes)).toString("utf8").split("\n");
    const last = lines.pop() ?? "";
    if (parseJson(withoutPrefix(last)) !== undefined) lines.push(last);
    const isCut = size > bytes;
    return { lines: isCut ? lines.slice(1) : lines, isCut };
  } finally {
    await handle?.close();
  }
}

/** Windows cannot truncate through a handle that can only append, so the file is truncated by name there. */
export async function cutFile(
  handle: Pick<FileHandle, "truncate">,
  file: string,
  bytes: number,
): Promise<void> {
  try {
    await handle.truncate(bytes);
  } catch (cause) {
    if (errorCode(cause) !== "EPERM") throw cause;
    await truncate(file, bytes);
  }
}
