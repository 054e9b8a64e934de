import type { Hash } from "node:crypto";
import { rmSync } from "node:fs";
import { checkHeld, type FileLock } from "../file-lock.ts";
import { checkRegular } from "../regular-file.ts";
import type { CheckpointHeader, Interrupted, Progress } from "./checkpoint.ts";
import { beginJournal, continueJournal, type Journal } from "./journal.ts";
import { lockOf, partOf } from "./out-file.ts";
import { continueRowFile, createRowFile, placePart, type RowFile } from "./row-file.ts";
import { countedSink, type Sink } from "./sink.ts";

/** Everything in a line of the checkpoint that the file itself does not know. */
export type Account = Omit<Progress, "bytes" | "sha256" | "seen">;

/** The rows of a pull into a file, and its checkpoint. */
export interface GrowingFile {
  readonly sink: Sink;
  /** The file that holds the rows now. */
  readonly rowsAt: () => string;
  /** Accounts for the rows written so far. `seen`: hashes of those that are new since the last call. */
  readonly note: (seen: string, account: Account) => void;
  /** The output is complete: gives it its name. */
  readonly finish: () => Promise<void>;
  /** The run ends before that. What can be continued stays, and nothing else does. */
  readonly abandon: () => Promise<void>;
  /** After `finish`: there is nothing to continue. */
  readonly forget: () => void;
  /** Whether a later run can continue. */
  readonly canContinue: () => boolean;
}

export interface Growing {
  readonly file: string;
  readonly header: CheckpointHeader;
  readonly interrupted: Interrupted | undefined;
  /** Over the rows written by earlier runs. */
  readonly hash: Hash;
  /** Permissions of the file that is replaced. */
  readonly kept: number | undefined;
  /** The lock of the file, held by this run. */
  readonly lock: Pick<FileLock, "isHeld">;
  readonly random: () => number;
}

/**
 * Rows grow in `FILE`, or in `FILE.part` until they are complete. A pull that begins creates both files with its first
 * row, so that a failure before it leaves nothing and destroys nothing.
 */
export async function growFile(growing: Growing): Promise<GrowingFile> {
  const { file, header, interrupted, lock, hash } = growing;
  const part = header.rows === "part" && interrupted?.rowsAt !== file ? partOf(file) : undefined;
  let rowsAt = part ?? file;
  let canContinue = interrupted !== undefined;
  let opened = interrupted === undefined ? undefined : await continueRows(growing, interrupted);
  /** A line that waits for the checkpoint to be created. */
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
    // Another run may have finished the file while this one was suspended.
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
        // With --resume, requests that returned no row are not sent again either.
        if (line !== undefined && part === undefined) await open();
      } catch {
        // The checkpoint lacks them. The error that ended the run is reported, and matters more.
      }
      if (!canContinue) rowsAt = file;
      try {
        await opened?.rows.close();
        opened?.journal.close();
        if (canContinue || opened === undefined || part === undefined || !lock.isHeld()) return;
        rmSync(part, { force: true });
        opened.journal.remove();
      } catch {
        // The directory was closed to this user. That matters less, too.
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

/** The checkpoint comes first, so that a run which finds the rows always knows which pull they belong to. */
async function beginRows(growing: Growing, rowsAt: string): Promise<Opened> {
  const { file, header, kept, lock, random } = growing;
  checkHeld(lock, lockOf(file));
  // An earlier run left it before it had accounted for any row.
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
