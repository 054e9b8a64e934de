import { type FileHandle, truncate } from "node:fs/promises";
import { errorCode } from "./error-code.ts";

/**
 * Cuts off what stands behind the first `bytes` of an open file. Windows refuses it to a handle that only adds to the
 * file, so there it is done by name.
 */
export async function cutFile(
  handle: Pick<FileHandle, "truncate">,
  file: string,
  bytes: number,
): Promise<void> {
  try {
    await handle.truncate(bytes);
  } catch (cause) {
    if (errorCode(cause) !== "EPERM") throw cause;
    await truncate(file, bytes);
  }
}
