import type { FileHandle } from "node:fs/promises";
import type { Clock } from "../context/context.ts";
import { cutFile } from "./cut-file.ts";
import { usageFailure } from "../contract/failure.ts";

/** Longer than any line of ours: an event of 1 MiB in its envelope, with its line breaks escaped. */
const longest = 4 * 1024 * 1024;
const LF = 0x0a;

/** Milliseconds for which a partial line has to stay unchanged before it is repaired, and between two checks. */
const [settling, lookGap] = [1000, 100];

export type TornLine = { readonly kind: "ended" | "cut"; readonly bytes: number };

/**
 * Sees to it that the file ends with a whole line, before lines are added to it: a run that was killed may have left
 * half of one. A line that lacks nothing but its end is given that; the beginning of one is cut off, because nobody
 * could read it in the middle of a file. A line that still grows is left alone: another process is writing it. Undefined
 * where nothing had to be done.
 */
export async function repairLastLine(
  handle: FileHandle,
  file: string,
  clock: Pick<Clock, "sleep">,
): Promise<TornLine | undefined> {
  const { size } = await handle.stat();
  if (size === 0) return undefined;
  const tail = await readTail(handle, size);
  if (tail.at(-1) === LF || (await isGrowing(handle, size, clock))) return undefined;
  const begin = tail.lastIndexOf(LF) + 1;
  const torn = tail.subarray(begin);
  if (torn[0] !== 0x7b || (begin === 0 && size > tail.length)) throw foreign(file);
  if (isWhole(torn)) {
    await handle.appendFile("\n");
    return { kind: "ended", bytes: torn.length };
  }
  await cutFile(handle, file, size - torn.length);
  return { kind: "cut", bytes: torn.length };
}

async function isGrowing(handle: FileHandle, size: number, clock: Pick<Clock, "sleep">): Promise<boolean> {
  for (let waited = 0; waited < settling; waited += lookGap) {
    await clock.sleep(lookGap);
    if ((await handle.stat()).size !== size) return true;
  }
  return false;
}

async function readTail(handle: FileHandle, size: number): Promise<Buffer> {
  const last = Buffer.alloc(1);
  await handle.read(last, 0, 1, size - 1);
  if (last[0] === LF) return last;
  const tail = Buffer.alloc(Math.min(size, longest));
  const { bytesRead } = await handle.read(tail, 0, tail.length, size - tail.length);
  return tail.subarray(0, bytesRead);
}

function isWhole(line: Buffer): boolean {
  try {
    JSON.parse(line.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

/** Nothing is cut off a file that some other program may have written. */
function foreign(file: string): Error {
  return usageFailure(
    `--out "${file}": holds something else than lines of JSON`,
    "name another file; events are added to what is there",
  );
}
