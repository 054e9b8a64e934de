import type { Subject } from "../../client/batches.ts";
import type { Context } from "../../model/context.ts";
import { usageFailure } from "../../model/failure.ts";
import { withoutSecrets } from "../../model/key.ts";
import { cannotBeRead } from "../../model/file-fault.ts";
import { readBounded } from "../../settings/read-bounded.ts";
import { distinct } from "../../tail/shards.ts";
import { readSubjects } from "../asking/subjects.ts";

export const streamUsage = "usage: dexdata stream <network:address…|<network> <address…>|@file|->";

/** Reads the assets that the words name, files as they are then; the signal ends a read that waits. */
export type SubjectReader = (signal: AbortSignal) => Promise<readonly Subject[]>;

export function subjectReader(words: readonly string[], context: Context): SubjectReader {
  let typed: Promise<string> | undefined;
  const stdin = async (): Promise<string> => await (typed ??= context.stdin.read(context.signal));
  return async (signal) => {
    const subjects = distinct(await readSubjects(words, stdin, streamUsage, readList(signal)));
    if (subjects.length === 0) throw usageFailure("no assets to stream: the list is empty", streamUsage);
    return subjects;
  };
}

export function namesFile(words: readonly string[]): boolean {
  return words.some((word) => word.startsWith("@"));
}

/** Bytes: hundreds of times what the largest plan streams. */
const mostOfList = 4 * 1024 * 1024;

function readList(signal: AbortSignal): (name: string) => Promise<string> {
  return async (name) => {
    const label = `"@${withoutSecrets(name)}"`;
    const { bytes } = await readBounded(name, mostOfList, signal).catch((cause: unknown) => {
      signal.throwIfAborted();
      throw usageFailure(`${label}: ${cannotBeRead(cause)}`, streamUsage);
    });
    if (bytes.length > mostOfList)
      throw usageFailure(`${label}: more than 4 MiB, so it is no list of assets`);
    return bytes.toString("utf8");
  };
}
