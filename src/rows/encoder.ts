import type { Duplex } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { usageFailure } from "../base/failure.ts";

/**
 * How complete rows become the final file. Each function returns a new stage of a pipeline: `encode` from the rows to
 * the file, with the same bytes for the same rows, and `decode` back. If a file cannot be decoded, its size and hash are
 * its own, and `check` throws unless it can be read, and has the rows that `encode` received last. A checkpoint with
 * another name belongs to another file.
 */
export type Encoder = { readonly name: string; readonly encode: () => Duplex } & (
  | { readonly decode: () => Duplex }
  | { readonly check: (file: string, signal: AbortSignal) => Promise<void> }
);

const gzip: Encoder = {
  name: "gzip",
  // The default level of gzip(1). Node writes neither a time nor a name into the header.
  encode: () => createGzip({ level: 6 }),
  decode: () => createGunzip(),
};

/** Undefined for a file that consists of the rows themselves. */
export function encoderByName(file: string | undefined): Encoder | undefined {
  if (file === undefined) return undefined;
  if (/\.zst$/iu.test(file))
    throw usageFailure(
      `--out "${file}": zstd is not supported`,
      `use gzip: --out ${file.replace(/\.zst$/iu, ".gz")}`,
    );
  return /\.gz$/iu.test(file) ? gzip : undefined;
}

/** The name without `.gz`, which shows the format of the rows. */
export function nameWithoutGzip(file: string): string {
  return file.replace(/\.gz$/iu, "");
}

/** Lines are appended to the file, and gzip data cannot be repaired after a kill. */
export function refuseCompressed(file: string, what: string): void {
  if (encoderByName(file) === undefined) return;
  throw usageFailure(
    `--out "${file}": ${what} appends lines, so its files cannot be compressed`,
    "remove .gz, and compress the file when it is complete: gzip FILE",
  );
}
