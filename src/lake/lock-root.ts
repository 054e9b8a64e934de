import path from "node:path";
import { isSameService, namesIn } from "../api/host.ts";
import { fail, usageFailure } from "../base/failure.ts";
import { writeFailure } from "../base/files/file-errors.ts";
import { type FileLock, holdLock, type Locking } from "../base/files/file-lock.ts";
import { folderBelow } from "../base/files/folder-below.ts";
import { makeFolder } from "../base/files/paths.ts";
import type { FolderLock } from "../base/files/publish.ts";
import type { LakePlan } from "./sync-lake.ts";

/** Creates the directory if necessary. Only one run at a time may write to it. */
export async function lockRoot(
  context: Locking,
  root: string,
  info: (text: string) => void,
): Promise<FileLock & FolderLock> {
  try {
    makeFolder(root);
  } catch (cause) {
    throw writeFailure("output", root, cause, "name another directory");
  }
  const file = path.join(folderBelow(root, ".dexdata"), "lock");
  const lock = await holdLock(context, file, () =>
    info(`waiting for the lock ${file}, held by another host or container`),
  );
  if (!("release" in lock))
    throw fail("busy", `${root} is in use by ${lock.holder}`, {
      next: `wait until it has finished; if it is not dexdata, delete ${file}`,
    });
  return { ...lock, file };
}

/** All files of a directory are from one service. */
export function checkService({ files }: LakePlan, service: string): void {
  for (const own of files.values())
    for (const { file, footer } of own.values())
      if (footer !== undefined && !isSameService(footer.service, service))
        throw usageFailure(
          `${file} contains data from another service (${namesIn(footer.service)}); this run uses ${service}`,
          "use one directory for each service",
        );
}
