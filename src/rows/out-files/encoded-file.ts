import { createHash } from "node:crypto";
import { createReadStream, lstatSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { fail, type Failure } from "../../base/failure.ts";
import { describeFileError } from "../../base/files/file-errors.ts";
import { isTaken, makeFolder, modeOf } from "../../base/files/paths.ts";
import { giveNewName, keepMode, removeStaged, stagingName } from "../../base/files/replace-file.ts";
import { maxNamed, unwritable, type Encoder } from "../out-file.ts";
import { someOf } from "../../base/text/words.ts";
import type { WrittenFile } from "../checkpoint-lines.ts";
import { explained } from "./row-file.ts";

/** A range of the staged rows, in bytes. */
interface Range {
  readonly start: number;
  readonly length: number;
}

interface Encoded {
  /** The complete file under its temporary name. */
  readonly staged: string;
  readonly written: WrittenFile;
}

interface EncodeOptions {
  /** Whether existing files may be replaced. Their permissions then remain. */
  readonly mayReplace: boolean;
  readonly encoder: Encoder | undefined;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const chunkBytes = 256 * 1024;

/**
 * Writes the staged rows in these ranges to a new file next to `file`, in its final form, and saves it to disk. The
 * caller holds the lock, so temporary files with such names were left by a killed run.
 */
async function encodeRows(
  rowsAt: string,
  { file, rows: count, ranges }: PlannedFile,
  { encoder, mayReplace, random, signal }: EncodeOptions,
): Promise<Encoded> {
  const label = `--out "${file}"`;
  try {
    makeFolder(path.dirname(file));
  } catch (cause) {
    throw unwritable(label, cause);
  }
  removeStaged(file);
  const staged = stagingName(random, file);
  const rows = await open(rowsAt);
  let encoded: FileHandle | undefined;
  try {
    const kept = mayReplace ? modeOf(file) : undefined;
    const mode = kept ?? (await rows.stat()).mode & 0o777;
    encoded = await open(staged, "wx", mode).catch((cause: unknown) => {
      throw unwritable(label, cause);
    });
    keepMode(encoded.fd, mode);
    const hash = createHash("sha256");
    let bytes = 0;
    const isHashed = encoder === undefined || decoderOf(encoder) !== undefined;
    const add = (chunk: Uint8Array): void => {
      hash.update(chunk);
      bytes += chunk.length;
    };
    const read = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of readRanges(rows, ranges)) {
        if (isHashed) add(chunk);
        yield chunk;
      }
    };
    const handle = encoded;
    const write = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of chunks) {
        if (!isHashed) add(chunk);
        await explained(label, handle.writeFile(chunk));
      }
    };
    if (encoder === undefined) await pipeline(read, write, { signal });
    else await pipeline(read, encoder.encode(), write, { signal });
    await explained(label, encoded.sync());
    await encoded.close();
    if (encoder !== undefined && "check" in encoder) await encoder.check(staged, signal);
    return { staged, written: { file, rows: count, bytes, sha256: hash.digest("hex") } };
  } catch (cause) {
    await encoded?.close().catch(() => undefined);
    if (encoded !== undefined) rmSync(staged, { force: true });
    throw cause;
  } finally {
    await rows.close();
  }
}

async function* readRanges(rows: FileHandle, ranges: readonly Range[]): AsyncGenerator<Buffer> {
  for (const { start, length } of ranges)
    for (let done = 0; done < length;) {
      const chunk = Buffer.alloc(Math.min(chunkBytes, length - done));
      const { bytesRead } = await rows.read(chunk, 0, chunk.length, start + done);
      if (bytesRead === 0) throw fail("output", "the staged rows were truncated by another program");
      done += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
}

export interface PlannedFile {
  readonly file: string;
  readonly rows?: number | undefined;
  readonly ranges: readonly Range[];
}

/**
 * Writes all files, and then gives them their names in this order, so that a failure of the first part leaves no file.
 * `onWritten` is called in between.
 */
export async function publishRows(
  rowsAt: string,
  files: readonly PlannedFile[],
  options: EncodeOptions,
  onWritten: (files: readonly WrittenFile[]) => void,
): Promise<readonly WrittenFile[]> {
  const { mayReplace } = options;
  const encoded: Encoded[] = [];
  try {
    for (const planned of files) encoded.push(await encodeRows(rowsAt, planned, options));
    const all = encoded.map(({ written }) => written);
    onWritten(all);
    const placed = mayReplace ? new Set() : await findPlaced(all, rowsAt, options);
    for (const each of encoded)
      if (!placed.has(each.written.file)) await placeEncoded(each, mayReplace, rowsAt);
    return all;
  } finally {
    for (const { staged } of encoded) rmSync(staged, { force: true });
  }
}

/** The files that a killed run has created. All others that exist are named together, before a file gets its name. */
async function findPlaced(
  files: readonly WrittenFile[],
  rowsAt: string,
  { encoder, signal }: EncodeOptions,
): Promise<ReadonlySet<string>> {
  const placed = new Set<string>();
  const taken: string[] = [];
  for (const written of files)
    if (await hasRows(written, encoder, signal)) placed.add(written.file);
    else if (isTaken(written.file)) taken.push(written.file);
  if (taken.length === 0) return placed;
  throw notPlaced(taken, rowsAt, taken.length === 1 ? "it already exists" : "they already exist");
}

function notPlaced(files: readonly string[], rowsAt: string, why: string, cause?: unknown): Failure {
  const names = someOf(files, maxNamed);
  return fail("output", `cannot write ${names}: ${why}; the rows are complete in ${rowsAt}`, {
    next: `move ${names} out of the way, or start over with --force`,
    cause,
  });
}

/** Gives the file its final name. An existing file is replaced only if `mayReplace` is set. */
async function placeEncoded(
  { staged, written: { file } }: Encoded,
  mayReplace: boolean,
  rowsAt: string,
): Promise<void> {
  try {
    if (mayReplace) renameSync(staged, file);
    else await giveNewName(staged, file);
  } catch (cause) {
    const why = isTaken(file) && !mayReplace ? "it already exists" : describeFileError(cause);
    throw notPlaced([file], rowsAt, why, cause);
  }
}

/** Whether the file has exactly these rows. Damaged data does not. */
export async function hasRows(
  { file, bytes, sha256 }: WrittenFile,
  encoder: Encoder | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true || (decoderOf(encoder) === undefined && found.size !== bytes)) return false;
  const read = await hashOfFile(file, encoder, signal).catch(() => undefined);
  signal.throwIfAborted();
  return read?.bytes === bytes && read.sha256 === sha256;
}

const decoderOf = (encoder: Encoder | undefined) =>
  encoder !== undefined && "decode" in encoder ? encoder.decode : undefined;

async function hashOfFile(file: string, encoder: Encoder | undefined, signal: AbortSignal) {
  const hash = createHash("sha256");
  let bytes = 0;
  const read = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  };
  const decode = decoderOf(encoder);
  if (decode === undefined) await pipeline(createReadStream(file), read, { signal });
  else await pipeline(createReadStream(file), decode(), read, { signal });
  return { bytes, sha256: hash.digest("hex") };
}

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
