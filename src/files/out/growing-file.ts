import type { Hash } from "node:crypto";
import { rmSync } from "node:fs";
import type { Clock } from "../../context/context.ts";
import { checkRegular } from "../regular-file.ts";
import { checkHeld, type HeldLock } from "./check-held.ts";
import type { CheckpointHeader, Progress } from "./checkpoint.ts";
import type { Interrupted } from "./interrupted.ts";
import { beginJournal, continueJournal, type Journal } from "./journal.ts";
import { lockOf, partOf } from "./out-names.ts";
import { continueRowFile, createRowFile, placePart, type RowFile } from "./row-file.ts";
import { countedSink, type Sink } from "./sink.ts";

/** Everything of a line of the checkpoint that the file itself does not know. */
export type Account = Omit<Progress, "bytes" | "sha256" | "end" | "seen">;

/** The rows of a pull into a file, and the checkpoint beside them. */
export interface GrowingFile {
  readonly sink: Sink;
  /** The file that has the rows now. */
  readonly rowsAt: () => string;
  /**
   * The rows so far are accounted for. `seen`: hashes of those that are new since the last call. `account` is called
   * when the line is written, which may be later.
   */
  readonly note: (seen: string, account: () => Account) => void;
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
  /** Over the rows so far; undefined where the output is not hashed. */
  readonly hash: Hash | undefined;
  /** Permissions of the file that is replaced. */
  readonly kept: number | undefined;
  /** Milliseconds between two lines of the checkpoint; of those in between only the last one is written. */
  readonly lineGapMs: number;
  /** Of the file, held by this run. */
  readonly lock: HeldLock;
  readonly clock: Pick<Clock, "elapsed" | "every">;
  readonly random: () => number;
}

/** A line of the checkpoint that is due. */
interface Line {
  readonly bytes: number;
  readonly sha256: string | undefined;
  readonly account: () => Account;
}

/**
 * Rows grow in `FILE`, or in `FILE.part` until they are complete. A pull that begins creates both files with its first
 * row, so that a failure before it leaves nothing and destroys nothing.
 */
export async function growFile(growing: Growing): Promise<GrowingFile> {
  const { file, header, interrupted, lock, clock, lineGapMs } = growing;
  const part = header.rows === "part" && interrupted?.rowsAt !== file ? partOf(file) : undefined;
  let rowsAt = part ?? file;
  let opened = interrupted === undefined ? undefined : await continueRows(growing, interrupted);
  let canContinue = interrupted !== undefined;
  let line: Line | undefined;
  let seen: string[] = [];
  let lastLine = Number.NEGATIVE_INFINITY;
  let lateFailure: unknown;

  const open = async (): Promise<Opened> => (opened ??= await beginRows(growing, rowsAt));
  const sink = countedSink(
    async (text) => {
      // Another run may have finished the file while this one was suspended.
      checkHeld(lock, lockOf(file));
      await (await open()).rows.write(text);
    },
    interrupted?.progress?.bytes,
    growing.hash,
  );
  const writeLine = (isLastWriteWhole = true): void => {
    if (lateFailure !== undefined) throw lateFailure;
    if (line === undefined || opened === undefined) return;
    const { bytes, sha256, account } = line;
    checkHeld(lock, lockOf(file));
    opened.rows.verify(sink.bytes(), isLastWriteWhole ? undefined : bytes);
    opened.journal.note({
      ...account(),
      bytes,
      ...(sha256 === undefined ? { end: opened.rows.endHash(bytes) } : { sha256 }),
      ...(seen.length > 0 && { seen: seen.join(",") }),
    });
    line = undefined;
    seen = [];
    lastLine = clock.elapsed();
    canContinue = true;
  };
  const isDue = (): boolean => clock.elapsed() - lastLine >= lineGapMs;
  // The next page may be a long wait away, and a kill -9 would lose the pages of the line that is held back.
  const writeHeldLine = (): void => {
    try {
      // Rows of the next page may be on their way into the file.
      if (isDue()) writeLine(false);
    } catch (cause) {
      lateFailure = cause;
    }
  };
  const stopTimer = lineGapMs > 0 ? clock.every(lineGapMs, writeHeldLine) : undefined;

  return {
    sink,
    rowsAt: () => rowsAt,
    note: (added, account) => {
      if (added !== "") seen.push(added);
      line = { bytes: sink.bytes(), sha256: sink.sha256(), account };
      if (isDue()) writeLine();
    },
    finish: async () => {
      stopTimer?.();
      const { rows, journal } = await open();
      try {
        checkHeld(lock, lockOf(file));
        writeLine();
        await rows.sync();
        const written = rows.verify(sink.bytes());
        journal.end(sink.bytes());
        await rows.close();
        if (part !== undefined) await placePart(part, file, header.mayReplace, written);
        rowsAt = file;
      } finally {
        await rows.close();
        journal.close();
      }
    },
    abandon: async () => {
      stopTimer?.();
      try {
        // With --resume, requests that found no row are not sent again either.
        if (line !== undefined && part === undefined) await open();
        writeLine(false);
      } catch {
        // The checkpoint ends before these rows. What ended the run is reported, and matters more.
      }
      if (!canContinue) rowsAt = file;
      try {
        await opened?.rows.close();
        opened?.journal.close();
        if (canContinue || opened === undefined || part === undefined || !lock.isHeld()) return;
        rmSync(part, { force: true });
        opened.journal.remove();
      } catch {
        // The folder was closed to this user. That matters less, too.
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

/** The checkpoint comes first, so that a run which finds the rows always knows whose they are. */
async function beginRows(growing: Growing, rowsAt: string): Promise<Opened> {
  const { file, header, kept, lock, random } = growing;
  checkHeld(lock, lockOf(file));
  // Left of a run that had not accounted for any row.
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
