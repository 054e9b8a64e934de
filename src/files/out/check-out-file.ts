import { lstatSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import { errorCode } from "../error-code.ts";
import { fail, Failure, usageFailure } from "../../contract/failure.ts";
import { cannotBeWritten, diskAdvice, writeAdvice } from "../file-fault.ts";
import { targetOf } from "./out-names.ts";

/** Bytes of a file name on every common file system. */
const longestName = 255;
/** Of the longest name that is made of the file's own: while `FILE.resume` is replaced, or the receipt. */
const longestEnding = {
  "--out": ".resume.0123456789abcdef.new".length,
  "--receipt": ".0123456789abcdef.new".length,
};

/** Refuses, before anything is sent, a file that would be lost, or one that rows cannot be kept in. */
export function checkOutFile(
  file: string,
  mayExist: boolean,
  flag: keyof typeof longestEnding = "--out",
): void {
  const label = `${flag} "${file}"`;
  const look = (stat: typeof lstatSync, at = file): Stats | undefined => {
    try {
      return stat(at, { throwIfNoEntry: false });
    } catch (cause) {
      // A file stands where a folder of the path should be.
      if (errorCode(cause) === "ENOTDIR") return undefined;
      throw unwritable(label, cause);
    }
  };
  const isThere = look(lstatSync) !== undefined;
  const most = longestName - longestEnding[flag];
  if (Buffer.byteLength(path.basename(targetOf(file))) > most)
    throw usageFailure(
      `${label}: cannot be written (the name is too long)`,
      `use a name of at most ${most} bytes: files beside it have longer names`,
    );
  if (!isThere) {
    const folder = look(statSync, path.dirname(path.resolve(file)));
    if (folder?.isDirectory() === true) return;
    throw usageFailure(
      `${label}: there is no folder ${path.dirname(file)}`,
      "make it first, or name another file",
    );
  }
  const target = look(statSync);
  if (target?.isDirectory() === true) throw usageFailure(`${label}: is a folder`, "name a file in it");
  if (target?.isFile() === false)
    throw usageFailure(`${label}: is no regular file`, `leave ${flag} out, or name a regular file`);
  if (!mayExist) throw alreadyExists(file);
}

export function alreadyExists(file: string): Failure {
  return usageFailure(
    `${file} already exists`,
    "resume an interrupted pull with --resume, or overwrite with --force",
  );
}

export function unwritable(label: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const code = diskAdvice(cause) === undefined ? "usage" : "output";
  return fail(code, `${label}: ${cannotBeWritten(cause)}`, { next: writeAdvice(cause), cause });
}
