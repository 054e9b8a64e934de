import type { Hash } from "node:crypto";
import { rmSync } from "node:fs";
import { checkHeld, type FileLock } from "../file-lock.ts";
import { checkRegular } from "../regular-file.ts";
import type { CheckpointHeader, Interrupted, Progress } from "./checkpoint.ts";
import { beginJournal, continueJournal, type Journal } from "./journal.ts";
import { lockOf, partOf } from "./out-file.ts";
import { continueRowFile, createRowFile, placePart, type RowFile } from "./row-file.ts";
import { countedSink, type Sink } from "./sink.ts";

/** The part of a checkpoint line that cannot be derived from the file itself. */
export type Account = Omit<Progress, "bytes" | "sha256" | "seen">;

export interface GrowingFile {
  readonly sink: Sink;
  readonly rowsAt: () => string;
  /** Adds a line to the checkpoint. `seen` contains the hashes of the rows since the last call. */
  readonly note: (seen: string, account: Account) => void;
  /** Gives the complete file its final name. */
  readonly finish: () => Promise<void>;
  /** Call this if the run ends early. It keeps the files that a later run can continue and removes all others. */
  readonly abandon: () => Promise<void>;
  /** Removes the checkpoint after `finish`, because there is nothing left to continue. */
  readonly forget: () => void;
  /** Whether a later run can continue the pull. */
  readonly canContinue: () => boolean;
}

export interface Growing {
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
}

/**
 * A new pull creates `FILE` or `FILE.part` and the checkpoint together with its first row, so an earlier failure
 * neither creates nor destroys anything.
 */
export async function growFile(growing: Growing): Promise<GrowingFile> {
  const { file, header, interrupted, lock, hash } = growing;
  const part = header.rows === "part" && interrupted?.rowsAt !== file ? partOf(file) : undefined;
  let rowsAt = part ?? file;
  let canContinue = interrupted !== undefined;
  let opened = interrupted === undefined ? undefined : await continueRows(growing, interrupted);
  /** This line is written once the checkpoint exists. */
  let line: Progress | undefined;

  const writeLine = ({ rows, journal }: Opened): void => {
    if (line === undefined) return;
    checkHeld(lock, lockOf(file));
    rows.verify(line.bytes);
    journal.note(line);
    line = undefined;
    canContinue = true;
  };
  const open = async (): Promise<Opened> => {
    if (opened === undefined) {
      opened = await beginRows(growing, rowsAt);
      writeLine(opened);
    }
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
    note: (added, account) => {
      const seen = [line?.seen, added].filter((hashes) => hashes !== undefined && hashes !== "").join(",");
      const sha256 = hash.copy().digest("hex");
      line = { ...account, bytes: sink.bytes(), sha256, ...(seen !== "" && { seen }) };
      if (opened !== undefined) writeLine(opened);
    },
    finish: async () => {
      try {
        const { rows, journal } = await open();
        checkHeld(lock, lockOf(file));
        await rows.sync();
        const written = rows.verify(sink.bytes());
        journal.end(sink.bytes());
        await rows.close();
        if (part !== undefined) await placePart(part, file, header.mayReplace, written);
        rowsAt = file;
      } finally {
        await opened?.rows.close();
        opened?.journal.close();
      }
    },
    abandon: async () => {
      try {
        // With this line, --resume does not repeat requests that returned no rows.
        if (line !== undefined && part === undefined) await open();
      } catch {
        // The error that ended the run is more important than the missing line.
      }
      if (!canContinue) rowsAt = file;
      try {
        await opened?.rows.close();
        opened?.journal.close();
        if (canContinue || opened === undefined || part === undefined || !lock.isHeld()) return;
        rmSync(part, { force: true });
        opened.journal.remove();
      } catch {
        // The error that ended the run is more important than lost access to the directory.
      }
    },
    forget: () => {
      if (lock.isHeld()) opened?.journal.remove();
    },
    canContinue: () => canContinue,
  };
}

interface Opened {
  readonly rows: RowFile;
  readonly journal: Journal;
}

/** The checkpoint is created first, so that a run that finds the rows always knows which pull they belong to. */
async function beginRows(growing: Growing, rowsAt: string): Promise<Opened> {
  const { file, header, kept, lock, random } = growing;
  checkHeld(lock, lockOf(file));
  // An earlier run left this file behind before it recorded any rows.
  if (checkRegular(partOf(file))) rmSync(partOf(file));
  const journal = beginJournal(file, header, random);
  try {
    return { journal, rows: await createRowFile(rowsAt, `--out "${file}"`, kept) };
  } catch (cause) {
    journal.remove();
    throw cause;
  }
}

async function continueRows(
  { file, lock }: Growing,
  { rowsAt, progress, length }: Interrupted,
): Promise<Opened> {
  checkHeld(lock, lockOf(file));
  const rows = await continueRowFile(rowsAt, `--out "${file}"`, progress?.bytes ?? 0);
  try {
    return { rows, journal: continueJournal(file, length) };
  } catch (cause) {
    await rows.close();
    throw cause;
  }
}
