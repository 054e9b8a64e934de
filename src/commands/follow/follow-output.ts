import path from "node:path";
import type { Output } from "../../context/context.ts";
import { checkHeld } from "../../files/file-lock.ts";
import { changesWithTime, fileOf, fixedFolder } from "../../files/file-pattern.ts";
import { holdFile } from "../../files/out/hold-file.ts";
import { lockOf, targetOf } from "../../files/out/out-file.ts";
import { checkOutPattern, refuseUnfinished } from "../../files/rotating-file.ts";
import type { Run } from "../../run/with-run.ts";
import { openAppendedFile } from "../stream/stream-output.ts";

/**
 * Returns stdout, or the files of `--out`, which grow from run to run and change with time. Only one run at a time may
 * follow into them: two would write every row twice.
 */
export async function openFollowOutput(
  { context, report, onClose }: Run,
  out: string | undefined,
): Promise<Output> {
  const { clock, stdout } = context;
  if (out === undefined) return stdout;
  checkOutPattern(out, clock.now());
  const lockFile = lockOfPattern(out);
  const lock = await holdFile(context, out, lockFile, report.remark);
  onClose(lock.release);
  refuseUnfinished(out, clock.now());
  const files = await openAppendedFile(out, clock, report);
  onClose(files.close);
  return {
    ...files,
    write: async (text) => {
      checkHeld(lock, lockFile);
      await files.write(text);
    },
  };
}

/** One file has the lock of a pull into it. Files that change with time have one in the directory that is always there. */
function lockOfPattern(pattern: string): string {
  if (!changesWithTime(pattern)) return lockOf(targetOf(fileOf(pattern, 0)));
  const folder = fixedFolder(pattern);
  const name = path.relative(folder, path.resolve(pattern)).replaceAll(path.sep, "_");
  return lockOf(path.join(folder, name));
}
