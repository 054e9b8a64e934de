import path from "node:path";
import { groupBy } from "../../../base/group-by.ts";
import type { Output } from "../../../base/context/context.ts";
import { checkHeld } from "../../../base/files/file-lock.ts";
import {
  changesWithTime,
  fileOf,
  fillFields,
  fixedFolder,
  flatName,
  hasFields,
  type PathNames,
} from "../../../base/files/file-pattern.ts";
import { lookAt, makeFolder } from "../../../base/files/paths.ts";
import type { FollowedRow } from "../../../client/followed-row.ts";
import { holdFile, lockOf, refuseUnfinished, targetOf } from "../../../rows/out-file.ts";
import { checkOutPattern } from "../../../rows/rotating-file.ts";
import type { Run } from "../../run/with-run.ts";
import { openAppendedFile } from "../stream/stream-output.ts";

export type FollowFiles = Awaited<ReturnType<typeof openFollowFiles>>;

/**
 * The `--out` files keep rows from earlier runs. Only one run may write to them, or every row would appear twice.
 * `names` are the fields in braces that the rows have, with their values if all rows have the same.
 */
export async function openFollowFiles(run: Run, out: string, names: PathNames) {
  const { context, report, onClose } = run;
  const { clock } = context;
  checkOutPattern(out, clock.now(), Object.keys(names));
  const lockFile = lockOfPattern(out, names);
  makeFolder(path.dirname(lockFile));
  const lock = await holdFile(context, out, lockFile, report.hint);
  onClose(lock.release);
  const checkUnused = async (others: PathNames): Promise<void> => {
    const other = lockOfPattern(out, others);
    if (other === lockFile || lookAt(other) === undefined) return;
    (await holdFile(context, out, other, report.hint)).release();
  };
  // A run of several pools has another lock.
  await checkUnused({ network: "", pool: "" });
  if (!hasFields(out)) refuseUnfinished(out);
  const files = await openAppendedFile(run, out);
  onClose(files.close);
  let place = { time: 0, names };
  /** Since the last `sync`. Some of them may be closed by now, and not yet on the disk. */
  let written = new Set<string>();
  const output: Output = {
    ...files,
    write: async (text) => {
      checkHeld(lock, lockFile);
      await files.write(text, place.time, place.names);
    },
  };
  return {
    pattern: out,
    output,
    /** Groups the rows by file. Each group must be written before the next one is requested. */
    *split(rows: readonly FollowedRow[], namesOf: (row: FollowedRow) => PathNames) {
      const parts = groupBy(rows, (row) => fileOf(out, row.at.seconds * 1000, namesOf(row)));
      for (const [file, part] of parts) {
        const [first] = part;
        if (first === undefined) continue;
        written.add(file);
        place = { time: first.at.seconds * 1000, names: namesOf(first) };
        yield part;
      }
    },
    /** Saves all written rows to disk. Returns the sizes of the files. */
    sync: async () => {
      const saved = written;
      written = new Set();
      return await files.sync(saved);
    },
    /** Fails if another run writes to the files of rows with these names. */
    checkUnused,
  };
}

/** A single file uses the same lock as a pull. If the file name changes, the lock is in the directory that does not. */
function lockOfPattern(fields: string, names: PathNames): string {
  const pattern = fillFields(fields, names);
  const folder = fixedFolder(fields);
  if (!changesWithTime(pattern)) return lockOf(targetOf(fileOf(fields, 0, names)));
  return lockOf(path.join(folder, flatName(folder, pattern)));
}
