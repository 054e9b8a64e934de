import { accessSync, constants } from "node:fs";
import path from "node:path";
import { checkOutFile, unwritable } from "../../files/out/check-out-file.ts";
import { journalOf, lockOf, partOf, targetOf, trueName } from "../../files/out/out-names.ts";
import { usageFailure } from "../../contract/failure.ts";
import { changesWithTime } from "../../files/file-pattern.ts";
import type { FlagValues } from "./flags.ts";
import { readFileName } from "./read-flag.ts";

/** Where the rows of a run go, as typed. */
export interface DestinationFlags {
  /** Undefined: stdout. Where a link was typed, what that leads to. */
  readonly file: string | undefined;
  /** Go on with what an interrupted run left in the file; else the file is whole or absent. */
  readonly isResumed: boolean;
  /** A file that exists may be replaced. */
  readonly isForced: boolean;
  readonly receipt: string | undefined;
}

/** `--out`, `--resume`, `--force` and `--receipt`; a file that would be lost is refused. */
export function readDestination(flags: FlagValues): DestinationFlags {
  const [file, receipt] = [readFileName(flags, "out"), readFileName(flags, "receipt")];
  const isResumed = flags["resume"] === true;
  const isForced = flags["force"] === true;
  if (file === undefined) {
    for (const name of ["resume", "force"]) {
      if (flags[name] === true)
        throw usageFailure(`--${name}: goes with --out`, "name the file: --out rows.ndjson");
    }
  }
  if (isResumed && isForced)
    throw usageFailure(
      "--resume and --force: one goes on with the file, the other replaces it",
      "leave out one of them",
    );
  if (file !== undefined && changesWithTime(file))
    throw usageFailure(
      `--out "${file}": is one file, whatever the time is`,
      "leave out the %: only stream and txns --follow begin a new file with the time",
    );
  if (file !== undefined) checkOutFile(file, isResumed || isForced);
  if (receipt !== undefined) checkReceipt(receipt, file);
  return { file: file === undefined ? undefined : targetOf(file), isResumed, isForced, receipt };
}

/** An older receipt is replaced; the rows and what belongs to them are not. */
function checkReceipt(receipt: string, file: string | undefined): void {
  checkOutFile(receipt, true, "--receipt");
  try {
    accessSync(path.dirname(path.resolve(receipt)), constants.W_OK);
  } catch (cause) {
    throw unwritable(`--receipt "${receipt}"`, cause);
  }
  if (file === undefined) return;
  const target = targetOf(file);
  const taken = [target, journalOf(target), partOf(target), lockOf(target)].map(trueName);
  if (taken.includes(trueName(receipt)))
    throw usageFailure(
      `--receipt "${receipt}": belongs to --out "${file}"`,
      "the receipt is a file of its own",
    );
}
