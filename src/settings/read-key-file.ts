import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { usageFailure } from "../model/failure.ts";
import { withoutSecrets } from "../model/key.ts";
import { exposureOf } from "./credentials.ts";
import { errorCode } from "../model/error-code.ts";

const MAX_BYTES = 4096;

/** The text of a file that holds a key and nothing else; the one line break an editor leaves at its end is not part of it. */
export function readKeyFile(
  file: string,
  platform: string,
): { readonly text: string; readonly warning: string | undefined } {
  const { bytes, isExposed } = readStart(file);
  if (bytes.length > MAX_BYTES) {
    throw usageFailure(`--key-file ${withoutSecrets(file)}: more than 4 KiB, so it holds more than a key`);
  }
  const warning = isExposed && platform !== "win32" ? exposureOf(file) : undefined;
  return { text: bytes.toString("utf8").replace(/\r?\n$/u, ""), warning };
}

/** One byte more than accepted at most, by reading rather than by size: `--key-file <(pass show dexdata)` is a pipe. */
function readStart(file: string): { bytes: Buffer; isExposed: boolean } {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const stat = fstatSync(descriptor);
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += read;
      if (read === 0 || length === buffer.length) break;
    }
    return { bytes: buffer.subarray(0, length), isExposed: stat.isFile() && (stat.mode & 0o077) !== 0 };
  } catch (error) {
    // The system's own message would quote the path, and the path may be the key itself, typed by mistake.
    const next = /api_/iu.test(file)
      ? "--key-file takes the path of a file, not a key; keys go to: dexdata auth login"
      : undefined;
    throw usageFailure(`--key-file ${withoutSecrets(file)}: cannot be read (${errorCode(error)})`, next);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
