import {
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";

/** The content of a file. If it has more than `most` bytes, only the first ones and one more. */
export interface BoundedFile {
  readonly bytes: Buffer;
  readonly stat: Stats;
}

/**
 * Reads a file of any kind that a user named. An endless device is read only as far as needed, and reading a pipe or
 * terminal without input stops when the run ends. Throws the system's error.
 */
export async function readBounded(file: string, most: number, signal: AbortSignal): Promise<BoundedFile> {
  signal.throwIfAborted();
  // open() on a FIFO blocks until a writer opens it, and no signal would arrive.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = fstatSync(descriptor);
  return { bytes: await readStart(openStream(file, descriptor, stat), most + 1, signal), stat };
}

/** Reading from a pipe or a terminal as a file would block a thread until it has data, even after an abort. */
function openStream(file: string, descriptor: number, stat: Stats): Readable {
  if (isatty(descriptor)) return new ReadStream(descriptor);
  if (stat.isFIFO() || stat.isSocket()) return new Socket({ fd: descriptor });
  return createReadStream(file, { fd: descriptor });
}

async function readStart(stream: Readable, wanted: number, signal: AbortSignal): Promise<Buffer> {
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

/** Its bytes as characters; undefined if it is not a regular file, because a pipe or a device may be endless. */
export function readRegularText(file: string): string | undefined {
  return statSync(file).isFile() ? readFileSync(file, "latin1") : undefined;
}
