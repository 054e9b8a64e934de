import type { Context } from "../context/context.ts";
import { usageFailure } from "../contract/failure.ts";
import { cannotBeRead } from "../files/file-fault.ts";
import { MAX_KEY_BYTES, withoutSecrets } from "../contract/key.ts";
import { exposureOf } from "./credentials.ts";
import { type BoundedFile, readBounded } from "../files/read-bounded.ts";

/** The text of a file that holds a key and nothing else; the one line break an editor leaves at its end is not part of it. */
export async function readKeyFile(
  { platform, signal }: Pick<Context, "platform" | "signal">,
  file: string,
): Promise<{ readonly text: string; readonly warning: string | undefined }> {
  const label = `--key-file "${withoutSecrets(file)}"`;
  const { bytes, stat } = await readStart(file, label, signal);
  if (bytes.length > MAX_KEY_BYTES) throw usageFailure(`${label}: holds more than a key`, keyAlone);
  const isExposed = platform !== "win32" && stat.isFile() && (stat.mode & 0o077) !== 0;
  return {
    text: bytes.toString("utf8").replace(/\r?\n$/u, ""),
    warning: isExposed ? exposureOf(file) : undefined,
  };
}

const keyAlone = "name a file with the key alone in it, or store the key: dexdata auth login";

async function readStart(file: string, label: string, signal: AbortSignal): Promise<BoundedFile> {
  try {
    return await readBounded(file, MAX_KEY_BYTES, signal);
  } catch (cause) {
    signal.throwIfAborted();
    // The system's own message would quote the path, and the path may be the key itself, typed by mistake.
    const next = /api_/iu.test(file)
      ? "--key-file takes the path of a file, not a key; keys go to: dexdata auth login"
      : keyAlone;
    throw usageFailure(`${label}: ${cannotBeRead(cause)}`, next);
  }
}
