import { createReadStream, type Stats, statSync } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { usageFailure } from "../failure.ts";
import { withoutSecrets } from "../key.ts";
import { readBounded } from "./bounded-read.ts";
import { cannotBeRead, errorCode } from "./file-errors.ts";

/** Undefined if the file does not exist. Throws a failure for anything but a regular file. */
export function sizeOfFile(file: string): number | undefined {
  const label = `"${withoutSecrets(file)}"`;
  let stat: Stats | undefined;
  try {
    stat = statSync(file, { throwIfNoEntry: false });
  } catch (cause) {
    throw usageFailure(`${label} ${cannotBeRead(cause)}`, "check the file name and its permissions");
  }
  if (stat === undefined || stat.isFile()) return stat?.size;
  throw usageFailure(
    `${label} is ${stat.isDirectory() ? "a directory" : "not a regular file"}`,
    stat.isDirectory()
      ? `name its files, e.g. ${file}/*.ndjson`
      : "write the rows to a file first, with --out",
  );
}

export class DamagedGzip extends Error {}

/** Reads a file in parts, so that memory use does not depend on its size. */
export function readChunks(file: string, signal: AbortSignal) {
  const source = createReadStream(file, { highWaterMark: 96 * 1024, signal });
  return {
    /** The content; gzip data, which its first bytes identify, is decompressed. Throws `DamagedGzip`. */
    chunks: contentOf(file, source, signal),
    /** The bytes read from the disk. */
    bytesRead: () => source.bytesRead,
  };
}

const gzipMark = Buffer.from([0x1f, 0x8b]);

async function* contentOf(
  file: string,
  source: ReturnType<typeof createReadStream>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  // What is wrong with the file is reported when it is read.
  const start = await readBounded(file, gzipMark.length - 1, signal).catch(() => undefined);
  signal.throwIfAborted();
  // Even nothing has a header of gzip.
  if (file.endsWith(".gz") && statSync(file, { throwIfNoEntry: false })?.size === 0) throw new DamagedGzip();
  // The loop below reports failures of both streams.
  const stream =
    start?.bytes.equals(gzipMark) === true ? pipeline(source, createGunzip(), () => undefined) : source;
  try {
    for await (const chunk of stream) {
      signal.throwIfAborted();
      // Streams without an encoding yield buffers, but their type does not say so.
      if (Buffer.isBuffer(chunk)) yield chunk;
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (errorCode(cause).startsWith("Z_")) throw new DamagedGzip();
    throw usageFailure(
      `"${withoutSecrets(file)}" ${cannotBeRead(cause)}`,
      "check the disk and the permissions",
    );
  }
}
