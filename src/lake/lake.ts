import path from "node:path";
import type { Client } from "../client/client.ts";
import type { Context } from "../base/context/context.ts";
import { type Failure, fail, usageFailure } from "../base/failure.ts";
import type { FolderLock } from "../base/files/publish.ts";
import { type FileLock, holdLock, type Locking } from "../base/files/file-lock.ts";
import type { Dataset } from "./dataset.ts";
import type { Footer } from "./footer.ts";
import type { LakeFileState } from "./files/stored-periods.ts";
import type { ServiceClock } from "./service-clock.ts";
import { writeFailure } from "../base/files/file-errors.ts";
import { folderBelow } from "../base/files/folder-below.ts";
import { lookAt, makeFolder, namesIn } from "../base/files/paths.ts";
import { assetsName } from "./assets-file.ts";

/** A directory that a run keeps complete. */
export interface Lake {
  readonly context: Context;
  readonly client: Client;
  readonly root: string;
  readonly lock: FileLock & FolderLock;
  /** Data of different services must not be mixed. */
  readonly service: string;
  readonly isForced: boolean;
  readonly parallel: number;
  readonly clock: ServiceClock;
  /** The datasets, if the service's clock is not that of this machine. In Unix seconds. */
  readonly datasetsAt: (present: number) => readonly Dataset[];
  readonly events: LakeEvents;
}

/** What a run reports. */
export interface LakeEvents {
  readonly planned: (periods: number) => void;
  readonly done: () => void;
  readonly read: (rows: number) => void;
  readonly published: (published: Published) => Promise<void>;
  readonly warn: (problem: string) => void;
  readonly info: (text: string) => void;
  readonly failed: (dataset: Dataset, failure: Failure) => void;
}

/** A file of a period that has got its name. */
export interface Published {
  readonly dataset: Dataset;
  /** Relative to the directory. */
  readonly file: string;
  /** The size of the period's rows. */
  readonly bytes: number;
  readonly footer: Footer;
  /** Earlier rows that have changed, and earlier rows that the service no longer lists. */
  readonly revised: number;
  readonly withdrawn: number;
  readonly twins: number;
}

/** Rejects a directory with the files of another program. */
export function checkRoot(root: string): void {
  const found = lookAt(root);
  if (found === undefined) return;
  if (!found.isDirectory()) throw usageFailure(`"${root}" is not a directory`, "name another directory");
  const names = namesIn(root);
  if (names.length === 0 || names.includes(assetsName) || names.includes(".dexdata")) return;
  throw usageFailure(
    `"${root}" is not empty, and dexdata did not create it`,
    "name an empty directory, or one that does not exist",
  );
}

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
export function checkService(files: Iterable<LakeFileState>, service: string): void {
  for (const { file, footer } of files)
    if (footer !== undefined && footer.service !== service)
      throw usageFailure(
        `${file} contains data from another service (${footer.service}); this run uses ${service}`,
        "use one directory for each service",
      );
}
