import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";

/**
 * Reads no more than necessary from an endless device: if the file is longer than `most` bytes, the result has one byte
 * more. Stops waiting when the run ends. Throws the system error.
 */
export async function readBounded(file: string, most: number, signal: AbortSignal) {
  signal.throwIfAborted();
  // open() on a FIFO blocks until a writer opens it, and signals could not be handled in the meantime.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = fstatSync(descriptor);
  const bytes = stat.isFile()
    ? readFile(descriptor, stat.size, most + 1)
    : await readStart(openStream(file, descriptor, stat), most + 1, signal);
  return { bytes, stat };
}

/** Lists and keys are read at the start, when loading Node's streams of files would take 20 ms. */
function readFile(descriptor: number, size: number, wanted: number): Buffer {
  try {
    // The files of /proc have no size.
    if (size < wanted) return readFileSync(descriptor);
    const bytes = Buffer.allocUnsafe(wanted);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, wanted, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Reading a pipe or terminal like a regular file would block a thread until data arrives, even after an abort. */
function openStream(file: string, descriptor: number, stat: Stats): Readable {
  if (isatty(descriptor)) return new ReadStream(descriptor);
  if (stat.isFIFO() || stat.isSocket()) return new Socket({ fd: descriptor });
  return createReadStream(file, { fd: descriptor });
}

/** Returns at most `wanted` bytes. Stops waiting when the signal aborts. */
export async function readStart(stream: Readable, wanted: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let left = wanted;
  const leave = (): void => void stream.destroy();
  signal.addEventListener("abort", leave);
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.from(chunk).subarray(0, left);
      chunks.push(bytes);
      left -= bytes.length;
      if (left === 0) break;
    }
  } finally {
    signal.removeEventListener("abort", leave);
    stream.destroy();
    signal.throwIfAborted();
  }
  return Buffer.concat(chunks);
}

/** Undefined for anything but a regular file, because a pipe or device may be endless. */
export function readRegularText(file: string): string | undefined {
  return statSync(file).isFile() ? readFileSync(file, "latin1") : undefined;
}
