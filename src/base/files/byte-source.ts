import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { carefully } from "./paths.ts";

/** A file that is read in parts. */
export interface FileSource {
  readonly size: number;
  /** Returns exactly the bytes from `start` to before `end`. The caller may change them. */
  readonly read: (start: number, end: number) => Promise<Buffer>;
}

/** Opens the file while `work` reads it. */
export async function withByteSource<Result>(
  file: string,
  work: (source: FileSource) => Promise<Result>,
): Promise<Result> {
  const handle = await open(file, constants.O_RDONLY | carefully);
  try {
    const { size } = await handle.stat();
    const read: FileSource["read"] = async (start, end) => {
      const bytes = Buffer.alloc(end - start);
      for (let done = 0; done < bytes.length;) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
        if (bytesRead === 0) throw new Error(`${file} was truncated while it was read`);
        done += bytesRead;
      }
      return bytes;
    };
    return await work({ size, read });
  } finally {
    await handle.close();
  }
}
