import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { errorCode } from "./error-code.ts";
import { type Failure, usageFailure } from "../contract/failure.ts";

/** A symbolic link, directory, named pipe or device has a name that only dexdata uses. */
function notRegular(file: string): Failure {
  return usageFailure(`${file} is not a regular file`, "move it out of the way");
}

/** Flags of open() that follow no link and wait for no other end of a pipe. Windows has neither. */
export const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What open() reports where a link (ELOOP), a directory, or a pipe or socket without a reader (ENXIO) has the name. */
const foreignKinds: ReadonlySet<string> = new Set(["ELOOP", "EISDIR", "ENXIO"]);

/**
 * Opens an existing file that only dexdata writes, such as a lock or a checkpoint. It follows no link, and it does not
 * wait for the other end of a pipe. Throws a failure where a link, directory, pipe or device has the name, else the
 * system's error.
 */
export function openRegular(file: string, flags: number): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, flags | carefully);
  } catch (cause) {
    if (foreignKinds.has(errorCode(cause))) throw notRegular(file);
    throw cause;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw notRegular(file);
}

/** True for a regular file, false where nothing has the name. Throws a failure where something else has it. */
export function checkRegular(file: string): boolean {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return false;
  if (there.isFile()) return true;
  throw notRegular(file);
}
