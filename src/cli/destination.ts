import type { Meter } from "../client/meter.ts";
import type { Output } from "../model/context.ts";
import { Failure } from "../model/failure.ts";
import type { CheckpointHeader, Interrupted, Journal } from "../pull/checkpoint.ts";
import { continueFile, createWholeFile, hashOf, type Sink, sizeOf, toOutput } from "../pull/out-file.ts";
import { newTally, type Tally } from "../pull/progress.ts";
import type { SeenKeys } from "../pull/seen-keys.ts";
import { holdLock } from "../settings/file-lock.ts";
import type { DestinationFlags } from "./destination-flags.ts";

/** Where the rows go, and how far the pull is that brings them. */
export interface Destination {
  readonly sink: Sink;
  readonly tally: Tally;
  /** Of the runs before. */
  readonly before: { readonly requests: number; readonly credits: number };
  /** The rows counted in the tally have been written. */
  readonly note: (meter: Meter) => void;
  readonly finish: () => Promise<void>;
  /** All is done, also the receipt: there is nothing to go on with. */
  readonly forget: () => void;
  /** The run ends before its output is whole. */
  readonly abandon: () => Promise<void>;
}

/** Rows on stdout, or in a file that is whole or absent. */
export async function openDestination({ file }: DestinationFlags, stdout: Output): Promise<Destination> {
  const sink = file === undefined ? toOutput(stdout) : await createWholeFile(file);
  return {
    sink,
    tally: newTally(),
    before: { requests: 0, credits: 0 },
    note: () => undefined,
    finish: sink.finish,
    forget: () => undefined,
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

export async function claimFile(file: string): Promise<Claimed> {
  const release = hold(file);
  try {
    return { file, interrupted: await findInterrupted(file), release };
  } catch (cause) {
    release();
    throw cause;
  }
}

async function findInterrupted(file: string): Promise<Interrupted | undefined> {
  const { readInterrupted, journalOf } = await import("../pull/checkpoint.ts");
  const size = sizeOf(file);
  const interrupted = readInterrupted(file, size ?? 0);
  if (interrupted === undefined && size !== undefined) {
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
  seen: SeenKeys,
): Promise<Destination> {
  const { beginJournal, continueJournal } = await import("../pull/checkpoint.ts");
  const progress = interrupted?.progress;
  await checkUnchanged(file, progress);
  const journal = interrupted === undefined ? beginJournal(file, header) : continueJournal(file, interrupted);
  for (const added of interrupted?.seen ?? []) seen.restore(added);
  return resumable(await continueFile(file, progress?.bytes ?? 0), journal, progress, seen);
}

function resumable(
  sink: Sink,
  journal: Journal,
  progress: Interrupted["progress"],
  seen: SeenKeys,
): Destination {
  const tally: Tally = { ...newTally(), ...progress };
  const before = { requests: progress?.requests ?? 0, credits: progress?.credits ?? 0 };
  return {
    sink,
    tally,
    before,
    note: (meter) => {
      const added = seen.takeAdded();
      journal.note({
        ...tally,
        ...(added !== "" && { seen: added }),
        bytes: sink.bytes(),
        sha256: sink.sha256(),
        requests: before.requests + meter.requests,
        credits: before.credits + meter.credits,
      });
    },
    finish: sink.finish,
    forget: journal.remove,
    abandon: sink.abandon,
  };
}

function hold(file: string): () => void {
  const lock = holdLock(`${file}.lock`);
  if ("release" in lock) return lock.release;
  throw new Failure(`--out "${file}": process ${lock.holder} is writing it`, {
    exit: 2,
    code: "busy",
    retryable: true,
    next: `wait for it or stop it; if that process is no dexdata, delete ${file}.lock`,
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
