import { type FileHandle, open } from "node:fs/promises";
import * as z from "zod";
import { fail } from "../../base/failure.ts";
import type { PlannedFile, Range } from "./encoded-file.ts";

/**
 * Rows of several files are staged in one file, so that one checkpoint describes them. A line of JSON precedes the text
 * of each page and names its file.
 */
const frameSchema = z.object({ file: z.string(), rows: z.int().nonnegative(), bytes: z.int().nonnegative() });

type Frame = z.infer<typeof frameSchema>;

export function frameOf(file: string, rows: number, text: Buffer): Buffer {
  const frame: Frame = { file, rows, bytes: text.length };
  return Buffer.concat([Buffer.from(`${JSON.stringify(frame)}\n`), text]);
}

/** Longer than the name of any file and two numbers. */
const longestLine = 16 * 1024;

/** The files in the first `bytes` bytes of the staged rows, in the order of their names. */
export async function readFrames(rowsAt: string, bytes: number): Promise<readonly PlannedFile[]> {
  const files = new Map<string, { rows: number; ranges: Range[] }>();
  const handle = await open(rowsAt);
  try {
    for (let at = 0; at < bytes;) {
      const { frame, start } = await readFrame(handle, at, rowsAt);
      const found = files.get(frame.file) ?? { rows: 0, ranges: [] };
      files.set(frame.file, found);
      found.rows += frame.rows;
      found.ranges.push({ start, length: frame.bytes });
      at = start + frame.bytes;
    }
  } finally {
    await handle.close();
  }
  const names = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return names.map(([file, planned]) => ({ file, ...planned }));
}

async function readFrame(
  handle: FileHandle,
  at: number,
  rowsAt: string,
): Promise<{ readonly frame: Frame; readonly start: number }> {
  const line = Buffer.alloc(longestLine);
  const { bytesRead } = await handle.read(line, 0, line.length, at);
  const end = line.subarray(0, bytesRead).indexOf(0x0a);
  try {
    return { frame: frameSchema.parse(JSON.parse(line.toString("utf8", 0, end))), start: at + end + 1 };
  } catch (cause) {
    throw fail("checkpoint", `${rowsAt} was modified by another program`, {
      next: "start over with --force",
      cause,
    });
  }
}
