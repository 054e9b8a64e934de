import { checkOutFile, checkReceiptFile, targetOf } from "../../files/out/out-file.ts";
import { usageFailure } from "../../contract/failure.ts";
import { changesWithTime } from "../../files/file-pattern.ts";
import type { WantedDestination } from "../../pull/claim-file.ts";
import type { SharedValues } from "../../run/flags/shared-flags.ts";

/** `--out`, `--resume`, `--force` and `--receipt`; a file that would be lost is refused. */
export function readDestination(flags: SharedValues): WantedDestination {
  const { out: file, receipt } = flags;
  const isResumed = flags.resume === true;
  const isForced = flags.force === true;
  if (file !== undefined && changesWithTime(file))
    throw usageFailure(
      `--out "${file}": is one file, whatever the time is`,
      "leave out the %: only stream and txns --follow begin a new file with the time",
    );
  if (file !== undefined) checkOutFile(file, isResumed || isForced);
  if (receipt !== undefined) checkReceiptFile(receipt, file);
  return { file: file === undefined ? undefined : targetOf(file), isResumed, isForced, receipt };
}
