import { accessSync, constants } from "node:fs";
import { createQueue } from "../base/concurrent.ts";
import type { Clock } from "../base/context/context.ts";
import { lookAt } from "../base/files/paths.ts";
import { checkFields, fileOf, fixedFolder, hasNames, type PathNames } from "../base/files/file-pattern.ts";
import type { TornLine } from "../base/files/last-lines.ts";
import { createOpenFiles, unwritable } from "./out-files/open-files.ts";
import { checkFile, checkFolder } from "./out-file.ts";

export type RotatingFile = Awaited<ReturnType<typeof openRotatingFile>>;

/**
 * Rejects an invalid pattern, a missing directory, and anything but a regular file before a request is sent. `names` are
 * the fields that the rows have.
 */
export function checkOutPattern(pattern: string, now: number, names: readonly string[] = []): void {
  const label = `--out "${pattern}"`;
  checkFields(pattern, names);
  const file = fileOf(pattern, now);
  const folder = fixedFolder(pattern);
  checkFolder(label, folder, lookAt(folder));
  if (hasNames(pattern)) {
    try {
      accessSync(folder, constants.W_OK);
    } catch (cause) {
      throw unwritable(folder, cause);
    }
  } else checkFile(label, lookAt(file), "omit --out, and redirect the output with >");
}

/**
 * Appends lines and never replaces a file, because stopped streams are usually restarted. If the name depends only on
 * the time, the file for the time `start`, in milliseconds, is opened at once, so that errors precede any request. If
 * logrotate moves a file, a new one is created within a second.
 */
export async function openRotatingFile(
  pattern: string,
  clock: Pick<Clock, "now" | "elapsed" | "sleep">,
  onRepair: (file: string, torn: TornLine) => void,
  hasPrefix = false,
  start = clock.now(),
) {
  const files = createOpenFiles(clock, onRepair, hasPrefix);
  if (!hasNames(pattern)) await files.open(fileOf(pattern, start));
  // Several connections share the files.
  const inTurn = createQueue();
  return {
    isTerminal: false,
    columns: undefined,
    /** Writes complete lines. `time` is in milliseconds and selects the file together with the names. */
    write: (text: string | Uint8Array, time = clock.now(), names: PathNames = {}) =>
      inTurn(() => files.append(text, fileOf(pattern, time, names))),
    /** Saves the open files and those named to disk. Returns their sizes. */
    sync: (names: Iterable<string>) => inTurn(() => files.sync(names)),
    /** Resolves when everything has been saved to disk. */
    close: () => inTurn(files.close),
  };
}
