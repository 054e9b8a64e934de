import type { Context } from "../context/context.ts";
import { usageFailure } from "../failure.ts";
import { withoutSecrets } from "../key.ts";
import { cannotBeRead } from "./file-errors.ts";
import { readBounded } from "./bounded-read.ts";

export type ListSources = ReturnType<typeof createListSources>;

/** stdin returns the same text each time, and each warning is printed only once. */
export function createListSources(
  { stdin, signal }: Pick<Context, "stdin" | "signal">,
  warn: (line: string) => void,
) {
  let text: Promise<string> | undefined;
  const given = new Set<string>();
  return {
    stdin: async () => await (text ??= stdin.read(signal)),
    /** Reads the file's current content. `until` defaults to the run's signal. */
    file: async (name: string, until = signal) => await readListFile(name, until),
    /** Prints a warning about skipped lines. */
    warn: (line: string): void => {
      if (!given.has(line)) warn(line);
      given.add(line);
    },
  };
}

/** In bytes. This is enough for about 50,000 rows from the service. */
const maxListBytes = 64 * 1024 * 1024;

async function readListFile(name: string, signal: AbortSignal): Promise<string> {
  const label = `"@${withoutSecrets(name)}"`;
  const { bytes } = await readBounded(name, maxListBytes, signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw usageFailure(`${label}: ${cannotBeRead(cause)}`, "check the file name and its permissions");
  });
  if (bytes.length > maxListBytes)
    throw usageFailure(`${label}: larger than 64 MiB, the limit for a list of assets`);
  return bytes.toString("utf8");
}
