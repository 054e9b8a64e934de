import path from "node:path";
import type { Client } from "../client/client.ts";
import type { Context } from "../base/context/context.ts";
import { type Failure, usageFailure } from "../base/failure.ts";
import type { FileLock, Locking } from "../base/files/file-lock.ts";
import { holdFile } from "../rows/out-file.ts";
import type { Dataset } from "./dataset.ts";
import type { Footer, LostRange } from "./footer.ts";
import type { LakeFileState } from "./files/stored-periods.ts";
import { explainedWrite } from "../base/files/file-errors.ts";
import { folderBelow, lookAt, makeFolder, namesIn } from "../base/files/paths.ts";
import { assetsName } from "./assets-file.ts";
import { type AnswerAge, parseHttpDate } from "../client/http-times.ts";

export interface Lake {
  readonly context: Context;
  readonly client: Client;
  readonly root: string;
  readonly lock: FileLock;
  readonly service: string;
  readonly isForced: boolean;
  readonly parallel: number;
  readonly clock: ServiceClock;
  /** The datasets, if the service's clock is not that of this machine. In Unix seconds. */
  readonly datasetsAt: (present: number) => readonly Dataset[];
  readonly events: LakeEvents;
}

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
  /** Days before the first file whose rows are lost, if no file said so before. */
  readonly lostBefore: readonly LostRange[];
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
): Promise<FileLock> {
  explainedWrite(root, () => makeFolder(root), "name another directory");
  const file = path.join(folderBelow(root, ".dexdata"), "lock");
  return await holdFile(context, root, file, info, root);
}

/** All files of a directory are from one service. */
export function checkService(files: Iterable<ReadonlyMap<string, LakeFileState>>, service: string): void {
  for (const { file, footer } of [...files].flatMap((own) => [...own.values()]))
    if (footer !== undefined && footer.service !== service)
      throw usageFailure(
        `${file} contains data from another service (${footer.service}); this run uses ${service}`,
        "use one directory for each service",
      );
}

/** In seconds. */
const [noticed, trusted] = [5 * 60, 6 * 3600];

export type ServiceClock = ReturnType<typeof createServiceClock>;

/**
 * The time by which days are over. `local` is the clock of this machine, in milliseconds. A `Date` header can only move
 * the time back: a header that is days ahead must not end a day, and neither must a local clock that is.
 */
export function createServiceClock(local: () => number) {
  /** In milliseconds; the service's time minus that of this machine. */
  let [smallest, largest]: (number | undefined)[] = [];
  let hasAnswer = false;
  const isSure = (): boolean => largest !== undefined && Math.abs(largest) <= trusted * 1000;
  return {
    /** Called for each successful response. Days are over when its data is that new. */
    record: (date: string | undefined, age?: AnswerAge): void => {
      hasAnswer = true;
      const now = local();
      const said = (parseHttpDate(date ?? "") ?? Number.NaN) - now;
      if (Number.isNaN(said)) return;
      smallest = Math.min(smallest ?? said, said, (age?.asOf ?? Number.POSITIVE_INFINITY) - now);
      // A copy in a cache may have the date of its original, or a new one.
      const difference = said < 0 ? Math.min(0, said + (age?.isBound === false ? age.age : 0)) : said;
      largest = Math.abs(difference) > Math.abs(largest ?? 0) ? difference : (largest ?? difference);
    },
    isHeard: (): boolean => smallest !== undefined,
    /** There was a response, but none contained the time. */
    isSilent: (): boolean => hasAnswer && smallest === undefined,
    /** In Unix seconds. */
    present: (): number => Math.floor((local() + Math.min(0, smallest ?? 0)) / 1000),
    /** The largest difference in whole seconds, if people should know about it. */
    difference: (): number | undefined => {
      const seconds = Math.trunc((largest ?? 0) / 1000);
      return Math.abs(seconds) > noticed ? seconds : undefined;
    },
    /** Whether the time is certain enough to say that a day is over. */
    isSure,
    /** Whether the responses cannot say which hour it is: their time or the age of their data is too far from here. */
    isWrong: (): boolean => hasAnswer && !(isSure() && (smallest ?? 0) >= -trusted * 1000),
    /** Called before a new round: one wrong header must not spoil all later ones. */
    forget: (): void => void ([smallest, largest, hasAnswer] = [undefined, undefined, false]),
  };
}
