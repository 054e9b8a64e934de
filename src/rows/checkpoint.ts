import { createHash, type Hash } from "node:crypto";
import { constants, createReadStream, lstatSync, readFileSync, rmSync } from "node:fs";
import type * as z from "zod";
import { member, parseJson } from "../base/json/json-scan.ts";
import { cannotBeRead, errorCode } from "../base/files/file-errors.ts";
import { fail, Failure, usageFailure } from "../base/failure.ts";
import { checkRegular, isSameFile, openRegular, withDescriptor } from "../base/files/paths.ts";
import {
  type CheckpointHeader,
  endingSchema,
  headerSchema,
  type CheckpointLine,
  lineSchema,
  type WrittenFile,
} from "./checkpoint-lines.ts";
import { checkpointOf, partOf } from "./out-file.ts";

export interface FoundProgress {
  /** Undefined before the first page. */
  readonly progress: CheckpointLine | undefined;
  /** In bytes; undefined until the pull is complete. */
  readonly complete: number | undefined;
  /** Made from staged rows. Some of them may already have their names. */
  readonly files: readonly WrittenFile[] | undefined;
  /** Whether the checkpoint accounts for more bytes than the file contains. */
  readonly isCut: boolean;
  /** The hashes from all lines up to this one. */
  readonly seen: readonly string[];
  /** The checkpoint's length in bytes, up to the end of this line. */
  readonly length: number;
}

/** Undefined if the checkpoint does not exist or has no complete line. */
export function readCheckpoint(file: string) {
  const path = checkpointOf(file);
  const bytes = readBytes(path);
  const [first, ...rest] = readLines(bytes);
  if (!isOurs(bytes)) throw inTheWay(path);
  if (first === undefined) return undefined;
  const begun = headerSchema.safeParse(first.value);
  if (!begun.success) throw foreignCheckpoint(path);
  /** Ignores lines beyond `size`, because after a power failure the file may be behind its checkpoint. */
  const upTo = (size: number): FoundProgress => {
    const seen: string[] = [];
    let at: CheckpointLine | undefined;
    let ending: z.infer<typeof endingSchema> | undefined;
    let isCut = false;
    let { end } = first;
    for (const line of rest) {
      const read = lineSchema.safeParse(line.value);
      if (!read.success) {
        ending = endingSchema.safeParse(line.value).data;
        // Staged rows do not change after this line, and without it, the final files could belong to another program.
        if (ending?.files !== undefined) ({ end } = line);
        break;
      }
      isCut = read.data.bytes > size;
      if (isCut) break;
      at = read.data;
      ({ end } = line);
      if (at.seen !== undefined) seen.push(...at.seen.split(","));
    }
    return { progress: at, complete: ending?.complete, files: ending?.files, isCut, seen, length: end };
  };
  return { header: begun.data, upTo };
}

/** Throws a failure if starting over would replace a file that dexdata did not create. */
export function checkReplaceable(file: string): void {
  const bytes = readBytes(checkpointOf(file));
  if (!isOurs(bytes)) throw inTheWay(checkpointOf(file));
  if (!checkRegular(partOf(file))) return;
  if (bytes.length === 0)
    throw usageFailure(
      `${partOf(file)} exists without its checkpoint ${checkpointOf(file)}`,
      "move or delete it",
    );
  // Another version's checkpoint says this, too, and its hint is to start over.
  const rows = member(readLines(bytes)[0]?.value, "rows");
  if (rows !== "part" && rows !== "staged") throw inTheWay(partOf(file));
}

function inTheWay(path: string): Failure {
  return usageFailure(
    `${path} already exists, and dexdata did not create it`,
    "move it out of the way, or name another file",
  );
}

/** Accepts every version and an empty checkpoint, which a power failure can leave behind. */
function isOurs(bytes: Buffer): boolean {
  const begin = '{"checkpoint":';
  return begin.startsWith(bytes.toString("latin1", 0, begin.length));
}

/** Stops at the first line that is not JSON. `end` is the byte offset of the end of the line. */
function readLines(bytes: Buffer): readonly { readonly value: unknown; readonly end: number }[] {
  const lines: { readonly value: unknown; readonly end: number }[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    const value = parseJson(bytes.toString("utf8", start, end));
    if (value === undefined) break;
    lines.push({ value, end: end + 1 });
    start = end + 1;
  }
  return lines;
}

/** Empty if the file does not exist. */
function readBytes(path: string): Buffer {
  try {
    return withDescriptor(openRegular(path, constants.O_RDONLY), (descriptor) => readFileSync(descriptor));
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return Buffer.alloc(0);
    if (cause instanceof Failure) throw cause;
    throw fail("checkpoint", `${path} ${cannotBeRead(cause)}`, {
      next: "check its permissions, or name another file",
      cause,
    });
  }
}

/** A checkpoint with more finished inputs than the user typed is damaged. The pull must not count as finished. */
export function checkInputs(file: string, at: CheckpointLine | undefined, inputs: number): void {
  if (at !== undefined && at.question > inputs) throw foreignCheckpoint(checkpointOf(file));
}

function foreignCheckpoint(path: string): Failure {
  return fail("checkpoint", `${path} is not a checkpoint of this version of dexdata`, {
    next: "start over with --force, or name another file",
  });
}

/** A pull that already has rows and that this run can continue. */
export interface Interrupted extends FoundProgress {
  readonly header: CheckpointHeader;
  readonly rowsAt: string;
}

/** Returns undefined if there is nothing to continue. */
export async function findInterrupted(file: string, signal: AbortSignal): Promise<Interrupted | undefined> {
  const checkpoint = readCheckpoint(file);
  if (checkpoint === undefined) return undefined;
  const { header, upTo } = checkpoint;
  const at = (rowsAt: string): Interrupted | undefined => {
    const size = lstatSync(rowsAt, { throwIfNoEntry: false })?.size;
    if (size === undefined) return undefined;
    const found = { header, rowsAt, ...upTo(size) };
    const { progress, complete, isCut } = found;
    // Extra bytes after a complete pull are kept: another program added them, or the file was never part of the pull.
    const isLonger = complete !== undefined && size > complete;
    const isOther = isCut && size > 0 && (progress?.bytes ?? 0) === 0;
    if (rowsAt === file && (isLonger || isOther)) throw modified(file);
    return found;
  };
  // If the user has deleted the rows, the pull starts over and resolves the time range again.
  if (header.rows === "file") return at(file);
  if (header.rows === "staged") {
    const staged = checkRegular(partOf(file)) ? at(partOf(file)) : undefined;
    return staged?.progress === undefined ? undefined : staged;
  }
  const isPlaced = dropPlacedPart(file);
  const found = at(isPlaced ? file : partOf(file));
  // Before the first page, there is nothing to lose.
  if (found?.progress === undefined) return undefined;
  const { bytes, sha256 } = found.progress;
  return isPlaced && (await hashOf(file, bytes, signal)).digest("hex") !== sha256 ? undefined : found;
}

/** A pull whose final files have their names. The run was killed before it removed the checkpoint. */
export interface PublishedPull {
  readonly header: CheckpointHeader;
  readonly progress: CheckpointLine;
  readonly files: readonly WrittenFile[];
}

/** Staged rows are removed after the final files have got their names, and before the checkpoint. */
export function findPublished(file: string): PublishedPull | undefined {
  const checkpoint = readCheckpoint(file);
  if (checkpoint?.header.rows !== "staged" || checkRegular(partOf(file))) return undefined;
  const { progress, files } = checkpoint.upTo(Number.POSITIVE_INFINITY);
  return progress === undefined || files === undefined
    ? undefined
    : { header: checkpoint.header, progress, files };
}

/** If a run was killed before it removed its checkpoint, the rows may already be named `file`, or have both names. */
function dropPlacedPart(file: string): boolean {
  const part = partOf(file);
  if (!checkRegular(part)) return true;
  const exactly = { bigint: true, throwIfNoEntry: false } as const;
  const [one, other] = [lstatSync(part, exactly), lstatSync(file, exactly)];
  if (one === undefined || other === undefined || !isSameFile(one, other)) return false;
  rmSync(part);
  return true;
}

/** Returns the running SHA-256 hash. Throws a failure if the rows do not match the checkpoint. */
export async function hashRows(
  file: string,
  { rowsAt, progress }: Interrupted,
  signal: AbortSignal,
): Promise<Hash> {
  const hash = await hashOf(rowsAt, progress?.bytes ?? 0, signal);
  if (progress === undefined || hash.copy().digest("hex") === progress.sha256) return hash;
  throw modified(file);
}

export function modified(file: string): Failure {
  return fail("checkpoint", `cannot resume ${file}: it was modified after the interruption`, {
    next: "start over with --force instead of --resume, or name another file",
  });
}

async function hashOf(file: string, bytes: number, signal: AbortSignal): Promise<Hash> {
  const hash = createHash("sha256");
  if (bytes === 0) return hash;
  for await (const chunk of createReadStream(file, { end: bytes - 1 })) {
    signal.throwIfAborted();
    hash.update(Buffer.from(chunk));
  }
  return hash;
}
