import { rmSync } from "node:fs";
import type { Meter } from "../../client/spending/meter.ts";
import type { Context, Output } from "../../model/context.ts";
import { Failure } from "../../model/failure.ts";
import type { CheckpointHeader, Interrupted } from "../../pull/checkpoint.ts";
import {
  continueFile,
  createWholeFile,
  hashOf,
  journalOf,
  lockOf,
  type Sink,
  sizeOf,
  toOutput,
  unwritable,
} from "../../pull/out-file.ts";
import { newTally, type Tally } from "../../pull/progress.ts";
import type { SeenKeys } from "../../client/pages/seen-keys.ts";
import { holdLock } from "../../settings/file-lock.ts";
import type { DestinationFlags } from "../flags/destination-flags.ts";

/** What the runs before have cost. */
interface Spent {
  readonly requests: number;
  readonly credits: number;
  readonly inDoubt: number;
  readonly creditsBefore?: string | undefined;
}

const nothingSpent: Spent = { requests: 0, credits: 0, inDoubt: 0 };

/** Where the rows go, and how far the pull is that brings them. */
export interface Destination {
  readonly sink: Sink;
  readonly tally: Tally;
  /** Of the runs before. */
  readonly before: Spent;
  /** Milliseconds since the epoch: when the first of them began; undefined where this is the first. */
  readonly started: number | undefined;
  /** The rows counted in the tally have been written. */
  readonly note: (meter: Meter) => void;
  readonly finish: () => Promise<void>;
  /** All is done, also the receipt: there is nothing to go on with. */
  readonly forget: () => void;
  /** The run ends before its output is whole. */
  readonly abandon: () => Promise<void>;
}

/** Rows on stdout, or in a file that is whole or absent. */
export async function openDestination(
  { file, isForced, receipt }: DestinationFlags,
  stdout: Output,
): Promise<Destination> {
  const isHashed = receipt !== undefined;
  const sink =
    file === undefined ? toOutput(stdout, isHashed) : await createWholeFile(file, isForced, isHashed);
  return {
    sink,
    tally: newTally(),
    before: nothingSpent,
    started: undefined,
    note: () => undefined,
    finish: sink.finish,
    // A replaced file has nothing to go on with.
    forget: () => {
      if (file !== undefined && isForced) rmSync(journalOf(file), { force: true });
    },
    abandon: sink.abandon,
  };
}

/** A file that one process at a time may go on with. */
export interface Claimed {
  readonly file: string;
  /** What an earlier run left behind; undefined where there is nothing to go on with. */
  readonly interrupted: Interrupted | undefined;
  readonly release: () => void;
}

export async function claimFile(
  context: Pick<Context, "clock" | "random" | "signal">,
  file: string,
): Promise<Claimed> {
  const release = await hold(context, file);
  try {
    return { file, interrupted: await findInterrupted(file), release };
  } catch (cause) {
    release();
    throw cause;
  }
}

async function findInterrupted(file: string): Promise<Interrupted | undefined> {
  const { readInterrupted } = await import("../../pull/checkpoint.ts");
  const size = sizeOf(file);
  // Whoever took the rows away wants them anew, in the window of today.
  if (size === undefined) return undefined;
  const interrupted = readInterrupted(file, size);
  if (interrupted === undefined) {
    throw new Failure(`--out "${file}": exists, and no ${journalOf(file)} says how to go on with it`, {
      exit: 2,
      code: "checkpoint",
      retryable: false,
      next: "it may be whole already; replace it by --force instead of --resume, or name another file",
    });
  }
  return interrupted;
}

/** A file that grows page by page, with a journal beside it. */
export async function openResumable(
  { file, interrupted }: Claimed,
  header: CheckpointHeader,
  inputs: number,
  seen: SeenKeys,
): Promise<Destination> {
  const { beginJournal, checkInputs, continueJournal } = await import("../../pull/checkpoint.ts");
  if (interrupted !== undefined) checkInputs(file, interrupted, inputs);
  const progress = interrupted?.progress;
  await checkUnchanged(file, progress);
  const journal = interrupted === undefined ? beginJournal(file, header) : continueJournal(file, interrupted);
  for (const added of interrupted?.seen ?? []) seen.restore(added);
  const sink = await continueFile(file, progress?.bytes ?? 0);
  const tally = tallyOf(progress);
  const before = progress ?? nothingSpent;
  return {
    sink,
    tally,
    before,
    started: interrupted?.header.started,
    note: (meter) => {
      const added = seen.takeAdded();
      journal.note({
        ...tally,
        first: tally.first?.(),
        last: tally.last?.(),
        ...(added !== "" && { seen: added }),
        bytes: sink.bytes(),
        sha256: sink.sha256(),
        requests: before.requests + meter.requests,
        credits: before.credits + meter.credits,
        inDoubt: before.inDoubt + meter.creditsInDoubt,
        creditsBefore: before.creditsBefore ?? meter.creditsBefore,
      });
    },
    finish: sink.finish,
    forget: journal.remove,
    abandon: sink.abandon,
  };
}

/** What the runs before have brought. */
function tallyOf(progress: Interrupted["progress"]): Tally {
  if (progress === undefined) return newTally();
  const { rows, repeats, missing, refused, question, rowsOfQuestion, at, first, last, to, proof } = progress;
  const counts = { rows, repeats, missing, refused, question, rowsOfQuestion, at, to, proof };
  return { ...counts, first: known(first), last: known(last) };
}

function known(mark: string | undefined): Tally["first"] {
  return mark === undefined ? undefined : () => mark;
}

async function hold(
  context: Pick<Context, "clock" | "random" | "signal">,
  file: string,
): Promise<() => void> {
  const lock = await holdLock(context, lockOf(file)).catch((thrown: unknown) => {
    if (thrown instanceof Failure && thrown.cause !== undefined)
      throw unwritable(`--out "${file}"`, thrown.cause);
    throw thrown;
  });
  if ("release" in lock) return lock.release;
  throw new Failure(`${file} is in use by ${lock.holder}`, {
    exit: 2,
    code: "busy",
    retryable: true,
    next: `wait for it or stop it; if that process is no dexdata, delete ${lockOf(file)}`,
  });
}

/** Rows go behind the ones that the journal tells of, so these must still be there as they were. */
async function checkUnchanged(file: string, progress: Interrupted["progress"]): Promise<void> {
  if (progress === undefined || progress.bytes === 0) return;
  const found = (await hashOf(file, progress.bytes)).digest("hex");
  if (found === progress.sha256) return;
  throw new Failure(`--out "${file}": was changed since the pull was interrupted`, {
    exit: 2,
    code: "checkpoint",
    retryable: false,
    next: "begin anew with --force instead of --resume, or name another file",
  });
}
