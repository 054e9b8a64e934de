import { fail, Failure } from "../failure.ts";

/** Such as `EACCES`, or "unknown error" if the error has no code. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "unknown error";
}

const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EADDRINUSE: "address already in use",
  EAGAIN: "out of processes or memory",
  EBUSY: "in use by the system",
  EDQUOT: "disk quota exceeded",
  EEXIST: "already exists",
  EFBIG: "file too large",
  EIO: "disk error",
  EISDIR: "is a directory",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "file name too long",
  ENFILE: "too many open files",
  ENODEV: "no such device",
  ENOMEM: "out of memory",
  ENOENT: "no such file or directory",
  ENOSPC: "disk full",
  ENOTDIR: "part of the path is not a directory",
  ENXIO: "no such device",
  EPERM: "operation not permitted",
  EROFS: "read-only file system",
  ESTALE: "stale network file handle",
  ETXTBSY: "program is running",
  EXDEV: "on another file system",
};

/** Errors that are not about one file: the next file meets them, too. */
const general: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "ENOMEM", "ENOSPC", "EDQUOT"]);

/** Whether the operating system refused one file, such as a link, a directory or a file of another user. */
export function isOneFile(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && !general.has(errorCode(error));
}

/** Falls back to the error code if the table has no entry. */
export function describeFileError(cause: unknown): string {
  const code = errorCode(cause);
  return words[code] ?? code;
}

export function cannotBeRead(cause: unknown): string {
  return `cannot be read (${errorCode(cause) === "ENOENT" ? "no such file" : describeFileError(cause)})`;
}

export function cannotBeWritten(cause: unknown): string {
  return `cannot be written (${errorCode(cause) === "ENOENT" ? "no such directory" : describeFileError(cause)})`;
}

export function cannotBeStarted(cause: unknown): string {
  return errorCode(cause) === "ENOENT" ? "was not found" : `cannot be started (${describeFileError(cause)})`;
}

/** A system error's message is not used, because it repeats the code and the path. */
export function describeError(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (!("syscall" in cause && "path" in cause)) return cause.message;
  return `${String(cause.path)}: ${describeFileError(cause)}`;
}

/** Undefined if disk space is not the problem. */
export function diskAdvice(cause: unknown): string | undefined {
  const code = errorCode(cause);
  if (code === "ENOSPC" || code === "EDQUOT") return "free disk space, or write elsewhere";
  if (code === "EFBIG") return "raise the file size limit (ulimit -f), or write elsewhere";
  return undefined;
}

/** The message starts with `subject`. `hint` is used if neither the disk nor the number of open files is the problem. */
export function writeFailure(
  code: "output" | "settings",
  subject: string,
  cause: unknown,
  hint?: string,
): Failure {
  if (cause instanceof Failure) return cause;
  return fail(code, `${subject} ${cannotBeWritten(cause)}`, { next: resourceAdvice(cause) ?? hint, cause });
}

/** An error of the operating system becomes a failure that names the file. */
export function explainedWrite<T>(file: string, write: () => T, hint?: string): T {
  try {
    return write();
  } catch (cause) {
    throw writeFailure("output", file, cause, hint);
  }
}

export function writeAdvice(cause: unknown): string {
  const code = errorCode(cause);
  if (code === "ENOENT") return "create the directory first, or name another file";
  if (code === "EACCES" || code === "EPERM")
    return "check the permissions of the directory, or name another file";
  return resourceAdvice(cause) ?? "name another file";
}

const maxNested = 5;

/** An error of the operating system is never an internal error. Undefined if the cause is not such an error. */
export function systemFailure(cause: unknown, depth = 0): Failure | undefined {
  // A failure already has its own words, and keeps the system's error only as its cause.
  if (!(cause instanceof Error) || cause instanceof Failure || depth > maxNested) return undefined;
  if (cause instanceof RangeError && cause.message.startsWith("WebAssembly.")) return noAddressSpace(cause);
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  if (!("syscall" in cause)) return systemFailure(inner, depth + 1);
  if (cause.syscall === "uv_cwd") return noWorkingDirectory(cause);
  const failure = outputFailure(cause);
  if (failure !== undefined) return failure;
  const message = `${String(cause.syscall)} failed: ${describeFileError(cause)}`;
  const next = openFilesAdvice(cause);
  return fail("system", message, { ...(next !== undefined && { next }), cause });
}

/** Node reserves 10 GiB of addresses for the WebAssembly code that parses responses, although it needs few of them. */
function noAddressSpace(cause: Error): Failure {
  return fail("system", "the limit of virtual memory is too low", {
    next: "raise it (ulimit -v), or set NODE_OPTIONS=--disable-wasm-trap-handler",
    cause,
  });
}

function noWorkingDirectory(cause: Error): Failure {
  const problem =
    errorCode(cause) === "ENOENT" ? "no longer exists" : `is not usable (${describeFileError(cause)})`;
  return fail("system", `the working directory ${problem}`, {
    next: "change to another directory: cd",
    cause,
  });
}

/** Undefined if the number of open files is not the problem. */
export function openFilesAdvice(cause: unknown): string | undefined {
  return ["EMFILE", "ENFILE"].includes(errorCode(cause))
    ? "raise the limit of open files (ulimit -n), or close other programs"
    : undefined;
}

function resourceAdvice(cause: unknown): string | undefined {
  return diskAdvice(cause) ?? openFilesAdvice(cause);
}

/** For a system error that is not a bug: a full disk, a lost device, or a file that the user named. */
export function outputFailure(cause: unknown): Failure | undefined {
  if (!(cause instanceof Error && "syscall" in cause)) return undefined;
  const next = resourceAdvice(cause);
  const isWrite = cause.syscall === "write" || diskAdvice(cause) !== undefined;
  const isOfFile = "path" in cause;
  if (!isWrite && !isOfFile) return undefined;
  const message = isOfFile ? describeError(cause) : `cannot write output: ${describeFileError(cause)}`;
  return fail("output", message, { next, cause });
}
