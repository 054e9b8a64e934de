import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs";
import { Socket } from "node:net";
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
  let isOurs = true;
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFIFO() && !stat.isSocket() && !isatty(descriptor))
      return { bytes: readNow(descriptor, most + 1), stat };
    const stream = isatty(descriptor) ? new ReadStream(descriptor) : new Socket({ fd: descriptor });
    isOurs = false;
    return { bytes: await readAll(stream, most + 1, signal), stat };
  } finally {
    if (isOurs) closeSync(descriptor);
  }
}

function readNow(descriptor: number, wanted: number): Buffer {
  const chunks: Buffer[] = [];
  for (let left = wanted; left > 0;) {
    const chunk = Buffer.alloc(Math.min(left, 64 * 1024));
    const read = readSync(descriptor, chunk, 0, chunk.length, null);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    left -= read;
  }
  return Buffer.concat(chunks);
}

async function readAll(stream: Socket, wanted: number, signal: AbortSignal): Promise<Buffer> {
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
