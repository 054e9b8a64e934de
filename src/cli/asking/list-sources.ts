import type { Context } from "../../context/context.ts";
import { usageFailure } from "../../contract/failure.ts";
import { cannotBeRead } from "../../files/file-fault.ts";
import { withoutSecrets } from "../../contract/key.ts";
import { readBounded } from "../../files/read-bounded.ts";

/** Where the lists that a command line names come from. */
export interface ListSources {
  readonly stdin: () => Promise<string>;
  /** The text of a file, as it is now. `until` ends a read that waits; the run's own signal where it is not given. */
  readonly file: (name: string, until?: AbortSignal) => Promise<string>;
  /** Tells of lines that are left out. */
  readonly warn: (line: string) => void;
}

/** Sources that can be read again: stdin gives its text each time, and a warning is given once. */
export function createListSources(
  { stdin, signal }: Pick<Context, "stdin" | "signal">,
  warn: (line: string) => void,
): ListSources {
  let text: Promise<string> | undefined;
  const given = new Set<string>();
  return {
    stdin: async () => await (text ??= stdin.read(signal)),
    file: async (name, until = signal) => await readListFile(name, until),
    warn: (line) => {
      if (!given.has(line)) warn(line);
      given.add(line);
    },
  };
}

/** Bytes: some fifty thousand rows of the service. */
const maxListBytes = 64 * 1024 * 1024;

async function readListFile(name: string, signal: AbortSignal): Promise<string> {
  const label = `"@${withoutSecrets(name)}"`;
  const { bytes } = await readBounded(name, maxListBytes, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw usageFailure(`${label}: ${cannotBeRead(cause)}`, "check the name and the permissions of the file");
  });
  if (bytes.length > maxListBytes)
    throw usageFailure(`${label}: larger than 64 MiB, the limit for a list of assets`);
  return bytes.toString("utf8");
}
