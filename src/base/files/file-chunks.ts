import { createReadStream, type Stats, statSync } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { usageFailure } from "../failure.ts";
import { withoutSecrets } from "../key.ts";
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

export interface FileChunks {
  /** The content; gzip data, which its first bytes identify, is decompressed. Throws `DamagedGzip`. */
  readonly chunks: AsyncIterable<Buffer>;
  /** The bytes read from the disk. */
  readonly bytesRead: () => number;
}

export class DamagedGzip extends Error {}

/** Reads a file in parts, so that memory use does not depend on its size. */
export function readChunks(file: string, signal: AbortSignal): FileChunks {
  const source = createReadStream(file, { highWaterMark: 96 * 1024, signal });
  return { chunks: contentOf(file, source, signal), bytesRead: () => source.bytesRead };
}

async function* contentOf(
  file: string,
  source: ReturnType<typeof createReadStream>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const isGzip = await startsAsGzip(file, signal);
  // Even nothing has a header of gzip.
  if (file.endsWith(".gz") && statSync(file, { throwIfNoEntry: false })?.size === 0) throw new DamagedGzip();
  // The loop below reports failures of both streams.
  const stream = isGzip ? pipeline(source, createGunzip(), () => undefined) : source;
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

async function startsAsGzip(file: string, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const chunk of createReadStream(file, { end: 1 })) {
      signal.throwIfAborted();
      return Buffer.from(chunk).equals(Buffer.from([0x1f, 0x8b]));
    }
  } catch {
    signal.throwIfAborted();
  }
  return false;
}
