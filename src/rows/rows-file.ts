import { createHash, type Hash } from "node:crypto";
import type { Context } from "../base/context/context.ts";
import { fail } from "../base/failure.ts";
import { checkHeld } from "../base/files/file-lock.ts";
import { checkRegular, modeOf, removeFile } from "../base/files/paths.ts";
import { addPlans, earlierOf, type Meter } from "../client/meter.ts";
import type { SeenKeys } from "../client/seen-keys.ts";
import type { Interrupted } from "./checkpoint.ts";
import type {
  CheckpointHeader,
  CheckpointLine,
  PullCost,
  PullTotals,
  WrittenFile,
} from "./checkpoint-lines.ts";
import type { OutputClaim, WantedDestination } from "./claim-file.ts";
import { type Encoder, partOf, trueName } from "./out-file.ts";
import { type PlannedFile, publishRows, frameOf, readFrames } from "./out-files/encoded-file.ts";
import {
  continueRowFile,
  countedSink,
  createRowFile,
  placePart,
  beginCheckpoint,
  continueCheckpoint,
} from "./out-files/row-file.ts";
import { noCost } from "./pull.ts";

interface RowsFileOptions {
  readonly claim: OutputClaim;
  readonly to: WantedDestination;
  /** For a new pull's checkpoint. */
  readonly header: Pick<CheckpointHeader, "query" | "now" | "tier" | "started">;
  readonly inputs: number;
  readonly totals: PullTotals;
  readonly seen: SeenKeys;
  /** Whether a later run can continue a file in this output format. */
  readonly canResume: boolean;
  /** Undefined if the file consists of the rows themselves. */
  readonly encoder: Encoder | undefined;
}

type RowsContext = Pick<Context, "random" | "signal">;

/**
 * The file grows together with its checkpoint, so that a later run with --resume can continue it. A new pull creates
 * `FILE` or `FILE.part` and the checkpoint together with the first row or price, so an earlier failure neither creates
 * nor destroys anything.
 */
export async function openRowsFile(context: RowsContext, pull: RowsFileOptions) {
  const { claim, to, seen, totals, canResume } = pull;
  const { file, interrupted, lock } = claim;
  const hash = await hashSoFar(context, pull);
  const header = interrupted?.header ?? newHeader(pull);
  const begun = await begunFiles(pull);
  const part = header.rows !== "file" && interrupted?.rowsAt !== file ? partOf(file) : undefined;
  let [rowsAt, canContinue] = [part ?? file, interrupted !== undefined];
  let opened = interrupted === undefined ? undefined : await continueRows(claim, interrupted);
  for (const added of interrupted?.seen ?? []) seen.restore(added);
  /** This line is written once the checkpoint exists. */
  let line: CheckpointLine | undefined;
  /** Undefined when the file is being completed, because there is then nothing left to continue. */
  let last = interrupted?.progress;
  let files: readonly WrittenFile[] | undefined;

  const costSoFar = (meter: Meter): PullCost => costOf(interrupted?.progress ?? noCost, meter);
  const writeLine = ({ rows, checkpoint }: Opened): void => {
    if (line === undefined) return;
    checkHeld(lock);
    rows.verify(line.bytes);
    checkpoint.append(line);
    [last, line] = [line, undefined];
    canContinue = true;
  };
  const open = async (): Promise<Opened> => {
    if (opened !== undefined) return opened;
    opened = await beginRows(context, pull, header, rowsAt);
    writeLine(opened);
    return opened;
  };
  const write = async (text: string | Uint8Array): Promise<void> => {
    // Another run may have finished the file while this run was suspended.
    checkHeld(lock);
    await (await open()).rows.write(text);
  };
  const sink = countedSink(write, interrupted?.progress?.bytes, hash);

  return {
    sink,
    /** The file that currently contains the rows; undefined for stdout. */
    rowsAt: (): string | undefined => rowsAt,
    split: to.pattern === undefined ? undefined : splitOf(to.pattern, begun, sink),
    /** Adds a line to the checkpoint. Call this once the rows counted in the totals have been written. */
    checkpoint: async (meter: Meter): Promise<void> => {
      if (!canResume) return;
      const progress = { ...totals, ...costSoFar(meter), bytes: sink.bytes() };
      const keys = joined(line?.seen, seen.takeAdded());
      line = { ...progress, sha256: hash.copy().digest("hex"), seen: keys };
      if (opened !== undefined) writeLine(opened);
      // Prices may be known, and paid for, long before the first row.
      else if (keys !== undefined) await open();
    },
    /** Gives the complete file its final name. */
    commit: async (): Promise<void> => {
      last = undefined;
      files = await complete(context, pull, { header, part }, await open(), sink.bytes());
      rowsAt = file;
    },
    /** Call this if the run ends early. Files that a later run can continue remain, with the cost so far. */
    abort: async (meter: Meter): Promise<void> => {
      // With this line, --resume does not repeat requests that returned no rows. An error matters less than the first.
      if (line !== undefined && part === undefined) await open().catch(() => undefined);
      if (!canContinue) rowsAt = file;
      const ending = last && { ...last, ...costSoFar(meter), seen: undefined };
      if (opened !== undefined) await leave(opened, lock, ending, canContinue ? undefined : part);
    },
    /** Removes the checkpoint and staged rows after `commit`, because there is nothing left to continue. */
    removeCheckpoint: (): void => {
      if (!lock.isHeld()) return;
      if (isStaged(pull) && opened !== undefined) removeFile(partOf(file));
      opened?.checkpoint.remove();
    },
    /** The final files after `commit`; undefined if the file consists of the rows as they were written. */
    files: () => files,
    canContinue: () => canContinue,
  };
}

type Opened = Awaited<ReturnType<typeof continueRows>>;

/** Encoded files and files with several names cannot be continued after a kill, so they are made from all rows. */
function isStaged({ encoder, to }: RowsFileOptions): boolean {
  return to.pattern !== undefined || encoder !== undefined;
}

function newHeader(pull: RowsFileOptions): CheckpointHeader {
  const { to, header } = pull;
  const rows = isStaged(pull) ? "staged" : to.isResumed ? "file" : "part";
  return { checkpoint: 4, rows, mayReplace: to.isForced, ...header };
}

/** Fails if the file has changed since an earlier run. */
async function hashSoFar(
  { signal }: RowsContext,
  { claim: { file, interrupted }, inputs }: RowsFileOptions,
): Promise<Hash> {
  if (interrupted === undefined) return createHash("sha256");
  const { checkInputs, hashRows } = await import("./checkpoint.ts");
  checkInputs(file, interrupted.progress, inputs);
  return await hashRows(file, interrupted, signal);
}

async function begunFiles({ claim: { interrupted }, to }: RowsFileOptions): Promise<ReadonlySet<string>> {
  if (to.pattern === undefined || interrupted === undefined) return new Set();
  const planned = await readFrames(interrupted.rowsAt, interrupted.progress?.bytes ?? 0);
  return new Set(planned.map(({ file }) => file));
}

function splitOf(pattern: string, begun: ReadonlySet<string>, sink: ReturnType<typeof countedSink>) {
  return {
    pattern,
    /** The files that have rows from earlier runs. */
    begun,
    write: async (file: string, rows: number, text: Buffer): Promise<void> =>
      await sink.write(frameOf(file, rows, text)),
  };
}

function costOf(before: PullCost, meter: Meter): PullCost {
  return {
    requests: before.requests + meter.requests,
    credits: before.credits + meter.credits,
    inDoubt: before.inDoubt + meter.creditsInDoubt + meter.creditsAwaited,
    creditsBefore: before.creditsBefore ?? meter.creditsBefore,
    asOf: earlierOf(before.asOf, meter.asOf),
    plans: addPlans(before.plans ?? {}, meter.plans),
  };
}

function joined(before: string | undefined, added: string): string | undefined {
  return before === undefined || added === "" ? added || before : `${before},${added}`;
}

/** Returns the final files, unless the file consists of the rows as they were written. */
async function complete(
  { random, signal }: RowsContext,
  pull: RowsFileOptions,
  { header: { mayReplace }, part }: { readonly header: CheckpointHeader; readonly part: string | undefined },
  opened: Opened,
  bytes: number,
): Promise<readonly WrittenFile[] | undefined> {
  const { claim, encoder } = pull;
  const { file, lock } = claim;
  const { rows, checkpoint } = opened;
  try {
    checkHeld(lock);
    await rows.sync();
    const written = rows.verify(bytes);
    if (!isStaged(pull)) {
      checkpoint.end(bytes);
      await rows.close();
      if (part !== undefined) await placePart(part, file, mayReplace, written);
      return undefined;
    }
    const planned = await planFiles(pull, partOf(file), bytes);
    // The staged rows remain until the caller has written the receipt, so that a killed run can be repeated.
    return await publishRows(partOf(file), planned, { encoder, mayReplace, random, signal }, (made) => {
      rows.verify(bytes);
      checkHeld(lock);
      checkpoint.end(bytes, made);
    });
  } finally {
    await close(opened);
  }
}

async function close({ rows, checkpoint }: Opened): Promise<void> {
  await rows.close();
  checkpoint.close();
}

/** `last` ends the checkpoint. `unneeded` are rows that no later run can continue. */
async function leave(
  opened: Opened,
  lock: OutputClaim["lock"],
  last: CheckpointLine | undefined,
  unneeded: string | undefined,
): Promise<void> {
  try {
    if (last !== undefined && lock.isHeld()) opened.checkpoint.append(last);
    await close(opened);
    if (unneeded === undefined || !lock.isHeld()) return;
    removeFile(unneeded);
    opened.checkpoint.remove();
  } catch {
    // The error that ended the run is more important than lost access to the directory.
  }
}

/** Plans the final files, in the order in which they get their names. */
async function planFiles(
  { claim: { file }, to: { pattern, receipt } }: RowsFileOptions,
  rowsAt: string,
  length: number,
): Promise<readonly PlannedFile[]> {
  if (pattern === undefined) return [{ file, ranges: [{ start: 0, length }] }];
  const planned = await readFrames(rowsAt, length);
  // The receipt is written later and would replace a file of the same name.
  if (receipt !== undefined && planned.some((each) => trueName(each.file) === trueName(receipt)))
    throw fail(
      "output",
      `--receipt "${receipt}" is also the name of a file of rows; the rows are complete in ${rowsAt}`,
      { next: "name another file for the receipt" },
    );
  return planned;
}

/** The checkpoint is created first, so that a run that finds the rows always knows which pull they belong to. */
async function beginRows(
  { random }: RowsContext,
  { claim: { file, label, lock }, to }: RowsFileOptions,
  header: CheckpointHeader,
  rowsAt: string,
): Promise<Opened> {
  checkHeld(lock);
  // An earlier run left this file behind before it recorded any rows.
  if (checkRegular(partOf(file))) removeFile(partOf(file));
  const kept = to.isForced ? modeOf(file) : undefined;
  const checkpoint = beginCheckpoint(file, header, random);
  try {
    return { checkpoint, rows: await createRowFile(rowsAt, label, kept) };
  } catch (cause) {
    // A process that has taken over the lock owns the checkpoint.
    if (lock.isHeld()) checkpoint.remove();
    throw cause;
  }
}

async function continueRows({ file, label, lock }: OutputClaim, { rowsAt, progress, length }: Interrupted) {
  checkHeld(lock);
  const rows = await continueRowFile(rowsAt, label, progress?.bytes ?? 0);
  try {
    return { rows, checkpoint: continueCheckpoint(file, length) };
  } catch (cause) {
    await rows.close();
    throw cause;
  }
}
