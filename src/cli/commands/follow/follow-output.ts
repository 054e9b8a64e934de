import { groupBy } from "../../../base/group-by.ts";
import type { Output } from "../../../base/context/context.ts";
import { fileOf, type PathNames } from "../../../base/files/file-pattern.ts";
import { lookAt } from "../../../base/files/paths.ts";
import type { FollowedRow } from "../../../client/followed-row.ts";
import { holdFile } from "../../../rows/out-file.ts";
import { checkOutPattern } from "../../../rows/rotating-file.ts";
import type { Run } from "../../run/with-run.ts";
import { lockOfPattern, openAppendedFile } from "../stream/stream-output.ts";

export type FollowFiles = Awaited<ReturnType<typeof openFollowFiles>>;

/**
 * The `--out` files keep rows from earlier runs. `names` are the fields in braces that the rows have, with their values
 * if all rows have the same.
 */
export async function openFollowFiles(run: Run, out: string, names: PathNames) {
  const { context, report } = run;
  checkOutPattern(out, context.clock.now(), Object.keys(names));
  const files = await openAppendedFile(run, out, names);
  const checkUnused = async (others: PathNames): Promise<void> => {
    const other = lockOfPattern(out, others);
    if (other === files.lockFile || lookAt(other) === undefined) return;
    (await holdFile(context, out, other, report.hint)).release();
  };
  // A run of several pools has another lock.
  await checkUnused({ network: "", pool: "" });
  let place = { time: 0, names };
  /** Since the last `sync`. Some of them may be closed by now, and not yet on the disk. */
  let written = new Set<string>();
  const output: Output = {
    ...files,
    write: async (text) => await files.write(text, place.time, place.names),
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
