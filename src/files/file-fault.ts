import { fail, Failure } from "../contract/failure.ts";

/** The system's error code, such as `EACCES`; "unknown error" if there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "unknown error";
}

/** The meaning of the system's codes for a file or a directory. */
const words: Readonly<Record<string, string>> = {
  EACCES: "not permitted",
  EBUSY: "in use by the system",
  EDQUOT: "this user's share of the disk is full",
  EEXIST: "it exists",
  EFBIG: "the file is as large as it may be here",
  EIO: "the disk has a fault",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many files are open",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many files are open",
  ENODEV: "no such device",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is no folder",
  ENXIO: "no such device",
  EPERM: "not permitted",
  EROFS: "the disk is read-only",
  ESTALE: "the disk of another machine has lost it",
  ETXTBSY: "a program that is running",
};

/** Describes the error in words, or by its code if the table has none. */
export function fileFault(cause: unknown): string {
  const code = errorCode(cause);
  return words[code] ?? code;
}

export function cannotBeRead(cause: unknown): string {
  return `cannot be read (${errorCode(cause) === "ENOENT" ? "no such file" : fileFault(cause)})`;
}

export function cannotBeWritten(cause: unknown): string {
  return `cannot be written (${errorCode(cause) === "ENOENT" ? "no such folder" : fileFault(cause)})`;
}

/** For a program. */
export function cannotBeStarted(cause: unknown): string {
  return errorCode(cause) === "ENOENT" ? "is not there" : `cannot be started (${fileFault(cause)})`;
}

/** Describes an error without the system's message, which repeats the code and the path. */
export function saidOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (!("syscall" in cause && "path" in cause)) return cause.message;
  return `${String(cause.path)}: ${fileFault(cause)}`;
}

/** The hint for a failed write; undefined if disk space is not the problem. */
export function diskAdvice(cause: unknown): string | undefined {
  const code = errorCode(cause);
  if (code === "ENOSPC" || code === "EDQUOT") return "make room, or write elsewhere";
  if (code === "EFBIG") return "allow larger files (ulimit -f), or write elsewhere";
  return undefined;
}

/** The failure for a file that dexdata cannot write. `subject` starts the message, `hint` is for a disk with space. */
export function writeFailure(
  code: "output" | "settings",
  subject: string,
  cause: unknown,
  hint?: string,
): Failure {
  if (cause instanceof Failure) return cause;
  return fail(code, `${subject} ${cannotBeWritten(cause)}`, { next: diskAdvice(cause) ?? hint, cause });
}

/** The hint for a named file that cannot be written. */
export function writeAdvice(cause: unknown): string {
  const code = errorCode(cause);
  if (code === "ENOENT") return "make the folder first, or name another file";
  if (code === "EACCES" || code === "EPERM") return "check the folder's permissions, or name another file";
  return diskAdvice(cause) ?? "name another file";
}

/** What the machine refused, which is no bug: the output (a full disk, a device that is gone), or a file by its name. */
export function outputFailure(cause: unknown): Failure | undefined {
  if (!(cause instanceof Error && "syscall" in cause)) return undefined;
  const next = diskAdvice(cause);
  const isWrite = cause.syscall === "write" || next !== undefined;
  const isOfFile = "path" in cause;
  if (!isWrite && !isOfFile) return undefined;
  return fail("output", isOfFile ? saidOf(cause) : `the output ${cannotBeWritten(cause)}`, {
    next,
    cause,
  });
}
