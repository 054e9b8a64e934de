import type { Hash } from "node:crypto";
import { rmSync } from "node:fs";
import { checkHeld, type FileLock } from "../../base/files/file-lock.ts";
import { checkRegular } from "../../base/files/paths.ts";
import type { Interrupted } from "../checkpoint.ts";
import { beginCheckpoint, continueCheckpoint } from "./write-checkpoint.ts";
import { lockOf, partOf } from "../out-file.ts";
import { type PlannedFile, publishRows } from "./encoded-file.ts";
import type { Encoder } from "../encoder.ts";
import { continueRowFile, countedSink, createRowFile, placePart } from "./row-file.ts";
import type {
  CheckpointHeader,
  CheckpointLine,
  PullCost,
  PullProgress,
  WrittenFile,
} from "../checkpoint-lines.ts";

export type GrowingFile = Awaited<ReturnType<typeof openGrowingFile>>;

export interface GrowingFileOptions {
  readonly file: string;
  readonly header: CheckpointHeader;
  readonly interrupted: Interrupted | undefined;
  /** The hash of the rows from earlier runs. */
  readonly hash: Hash;
  /** The permissions of the file that will be replaced. */
  readonly kept: number | undefined;
  /** The file's lock, which this run holds. */
  readonly lock: Pick<FileLock, "isHeld">;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Undefined if the file consists of the rows as they are written. */
  readonly staging: Staging | undefined;
}

/** Rows are staged in `FILE.part` until the pull is complete. */
export interface Staging {
  readonly encoder: Encoder | undefined;
  /** Plans the final files, in the order in which they get their names. */
  readonly plan: (rowsAt: string, bytes: number) => Promise<readonly PlannedFile[]>;
}

/**
 * A new pull creates `FILE` or `FILE.part` and the checkpoint together with its first row, so an earlier failure
 * neither creates nor destroys anything.
 */
export async function openGrowingFile(growing: GrowingFileOptions) {
  const { file, header, interrupted, lock, hash, staging } = growing;
  const part = header.rows !== "file" && interrupted?.rowsAt !== file ? partOf(file) : undefined;
  let [rowsAt, canContinue] = [part ?? file, interrupted !== undefined];
  let opened = interrupted === undefined ? undefined : await continueRows(growing, interrupted);
  /** This line is written once the checkpoint exists. */
  let line: CheckpointLine | undefined;
  /** Undefined when the file is being completed, because there is then nothing left to continue. */
  let last = interrupted?.progress;
  let files: readonly WrittenFile[] | undefined;

  const writeLine = ({ rows, checkpoint }: Opened): void => {
    if (line === undefined) return;
    checkHeld(lock, lockOf(file));
    rows.verify(line.bytes);
    checkpoint.append(line);
    [last, line] = [line, undefined];
    canContinue = true;
  };
  const open = async (): Promise<Opened> => {
    if (opened !== undefined) return opened;
    opened = await beginRows(growing, rowsAt);
    writeLine(opened);
    return opened;
  };
  const write = async (text: string | Uint8Array): Promise<void> => {
    // Another run may have finished the file while this run was suspended.
    checkHeld(lock, lockOf(file));
    await (await open()).rows.write(text);
  };
  const sink = countedSink(write, interrupted?.progress?.bytes, hash);

  return {
    sink,
    rowsAt: () => rowsAt,
    /** Adds a line to the checkpoint. `added` contains what a later run has to know of the rows since the last call. */
    checkpoint: async (added: string, progress: PullProgress): Promise<void> => {
      const sha256 = hash.copy().digest("hex");
      line = { ...progress, bytes: sink.bytes(), sha256, seen: joined(line?.seen, added) };
      if (opened !== undefined) writeLine(opened);
      // Prices may be known, and paid for, long before the first row.
      else if (part === undefined && added !== "") await open();
    },
    /** Gives the complete file its final name. */
    commit: async (): Promise<void> => {
      last = undefined;
      try {
        files = await complete(growing, part, await open(), sink.bytes());
        rowsAt = file;
      } finally {
        await close(opened);
      }
    },
    /** Call this if the run ends early. Files that a later run can continue remain, with the `cost` so far. */
    abort: async (cost?: PullCost): Promise<void> => {
      // With this line, --resume does not repeat requests that returned no rows. An error matters less than the first.
      if (line !== undefined && part === undefined) await open().catch(() => undefined);
      if (!canContinue) rowsAt = file;
      try {
        if (last && lock.isHeld()) opened?.checkpoint.append({ ...last, ...cost, seen: undefined });
        await close(opened);
        if (canContinue || opened === undefined || part === undefined || !lock.isHeld()) return;
        rmSync(part, { force: true });
        opened.checkpoint.remove();
      } catch {
        // The error that ended the run is more important than lost access to the directory.
      }
    },
    /** Removes the checkpoint and staged rows after `commit`, because there is nothing left to continue. */
    removeCheckpoint: (): void => {
      if (!lock.isHeld()) return;
      if (staging !== undefined && opened !== undefined) rmSync(partOf(file), { force: true });
      opened?.checkpoint.remove();
    },
    /** The final files after `commit`; undefined if the file consists of the rows as they were written. */
    files: () => files,
    /** Whether a later run can continue the pull. */
    canContinue: () => canContinue,
  };
}

type Opened = Awaited<ReturnType<typeof beginRows>>;

async function close(opened: Opened | undefined): Promise<void> {
  await opened?.rows.close();
  opened?.checkpoint.close();
}

function joined(before: string | undefined, added: string): string | undefined {
  return before === undefined || added === "" ? added || before : `${before},${added}`;
}

/** Returns the final files, unless the file consists of the rows as they were written. */
async function complete(
  growing: GrowingFileOptions,
  part: string | undefined,
  opened: Opened,
  bytes: number,
): Promise<readonly WrittenFile[] | undefined> {
  const { file, header, lock, staging } = growing;
  const { rows, checkpoint } = opened;
  checkHeld(lock, lockOf(file));
  await rows.sync();
  const written = rows.verify(bytes);
  if (staging !== undefined) return await publish(growing, staging, opened, bytes);
  checkpoint.end(bytes);
  await rows.close();
  if (part !== undefined) await placePart(part, file, header.mayReplace, written);
  return undefined;
}

/** The staged rows remain until the caller has written the receipt, so that a killed run can be repeated. */
async function publish(
  { file, header, lock, random, signal }: GrowingFileOptions,
  { encoder, plan }: Staging,
  { rows, checkpoint }: Opened,
  bytes: number,
): Promise<readonly WrittenFile[]> {
  const staged = partOf(file);
  let files: readonly WrittenFile[] = [];
  const planned = await plan(staged, bytes);
  await publishRows(
    staged,
    planned,
    { encoder, mayReplace: header.mayReplace, random, signal },
    (written) => {
      rows.verify(bytes);
      checkHeld(lock, lockOf(file));
      files = written;
      checkpoint.end(bytes, written);
    },
  );
  return files;
}

/** The checkpoint is created first, so that a run that finds the rows always knows which pull they belong to. */
async function beginRows(growing: GrowingFileOptions, rowsAt: string) {
  const { file, header, kept, lock, random } = growing;
  checkHeld(lock, lockOf(file));
  // An earlier run left this file behind before it recorded any rows.
  if (checkRegular(partOf(file))) rmSync(partOf(file));
  const checkpoint = beginCheckpoint(file, header, random);
  try {
    return { checkpoint, rows: await createRowFile(rowsAt, `--out "${file}"`, kept) };
  } catch (cause) {
    // A process that has taken over the lock owns the checkpoint.
    if (lock.isHeld()) checkpoint.remove();
    throw cause;
  }
}

async function continueRows(
  { file, lock }: GrowingFileOptions,
  { rowsAt, progress, length }: Interrupted,
): Promise<Opened> {
  checkHeld(lock, lockOf(file));
  const rows = await continueRowFile(rowsAt, `--out "${file}"`, progress?.bytes ?? 0);
  try {
    return { rows, checkpoint: continueCheckpoint(file, length) };
  } catch (cause) {
    await rows.close();
    throw cause;
  }
}
