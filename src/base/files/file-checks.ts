import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { type Failure, usageFailure } from "../failure.ts";
import { errorCode } from "./file-errors.ts";

function notRegular(file: string): Failure {
  return usageFailure(`${file} is not a regular file`, "move it out of the way");
}

/** Does not follow links or wait for the other end of a pipe. Windows supports neither flag. */
export const carefully = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A link (ELOOP), a directory (EISDIR), and a pipe or socket without a reader (ENXIO). */
const foreignKinds: ReadonlySet<string> = new Set(["ELOOP", "EISDIR", "ENXIO"]);

/**
 * For a file that only dexdata writes, such as a lock or a checkpoint. Throws a failure if the name belongs to a link,
 * directory, pipe or device, and otherwise the system error.
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

/** False if nothing has this name. Throws a failure for anything but a regular file. */
export function checkRegular(file: string): boolean {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return false;
  if (there.isFile()) return true;
  throw notRegular(file);
}

type Identity = Pick<BigIntStats, "dev" | "ino">;

/** On Windows, the volume number has 64 bits for a path, but only 32 bits for an open file. */
export function isSameFile(one: Identity, other: Identity): boolean {
  return one.ino === other.ino && BigInt.asUintN(32, one.dev) === BigInt.asUintN(32, other.dev);
}
