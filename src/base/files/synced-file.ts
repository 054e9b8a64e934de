import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { errorCode, writeFailure } from "./file-errors.ts";
import { carefully, type FileIdentity } from "./paths.ts";

/** A file that is read in parts. */
export interface FileSource {
  readonly size: number;
  /** Returns exactly the bytes from `start` to before `end`. The caller may change them. */
  readonly read: (start: number, end: number) => Promise<Buffer>;
}

/** Reads do not wait, because `sync` opens thousands of files in one run. */
export interface StoredFile extends FileSource {
  readonly identity: FileIdentity;
  readonly close: () => void;
}

/** Undefined if the file does not exist. */
export function openStored(file: string): StoredFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | carefully);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw cause;
  }
  const facts = fstatSync(descriptor, { bigint: true });
  return {
    size: Number(facts.size),
    identity: facts,
    read: (start, end) => {
      const bytes = Buffer.alloc(end - start);
      for (let at = 0; at < bytes.length;) {
        const count = readSync(descriptor, bytes, at, bytes.length - at, start + at);
        if (count === 0) return Promise.reject(new Error(`${file} became shorter while it was read`));
        at += count;
      }
      return Promise.resolve(bytes);
    },
    close: () => closeSync(descriptor),
  };
}

/** A file that gets its name when it is complete. An earlier one of the same name is what a killed run left. */
export function createPart(file: string) {
  const explained = (write: () => void): void => {
    try {
      write();
    } catch (cause) {
      throw writeFailure("output", file, cause);
    }
  };
  let descriptor = -1;
  explained(() => {
    rmSync(file, { force: true });
    descriptor = openSync(file, "wx", 0o666);
  });
  let size = 0;
  return {
    size: () => size,
    write: (bytes: Uint8Array): Promise<void> => {
      for (let at = 0; at < bytes.length;)
        explained(() => {
          at += writeSync(descriptor, bytes, at);
        });
      size += bytes.length;
      return Promise.resolve();
    },
    /** Resolves when the bytes are on the disk. */
    sync: () => explained(() => fsyncSync(descriptor)),
    /** Can be called more than once. */
    close: () => {
      if (descriptor !== -1) closeSync(descriptor);
      descriptor = -1;
    },
  };
}

/** Windows cannot open a directory, and saves names without it. */
export function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, constants.O_RDONLY);
    fsyncSync(descriptor);
  } catch {
    // Some file systems refuse it. The file itself is on the disk.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Resolves when the bytes are on the disk. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, constants.O_RDONLY | carefully);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Empty if the file does not exist. */
export function linesOfFile(file: string): readonly string[] {
  return (textOfFile(file) ?? "").split("\n").filter((line) => line !== "");
}

/** Removes regular files whose names match, and leaves everything else. */
export function removeOwn(folder: string, names: RegExp): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (names.test(name) && lstatSync(file, { throwIfNoEntry: false })?.isFile() === true)
      rmSync(file, { force: true });
  }
}

/** Undefined if the file does not exist. */
export function textOfFile(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw cause;
  }
}
