import { readFileSync } from "node:fs";
import type { Subject } from "../../client/batches.ts";
import type { Context } from "../../model/context.ts";
import { usageFailure } from "../../model/failure.ts";
import { withoutSecrets } from "../../model/key.ts";
import { errorCode } from "../../model/error-code.ts";
import { distinct } from "../../tail/shards.ts";
import { readSubjects } from "../asking/subjects.ts";

export const streamUsage = "usage: dexdata stream <network:address…|<network> <address…>|@file|->";

/** The assets that the words name; read again whenever it is called, files as they are then. */
export function subjectReader(words: readonly string[], context: Context): () => Promise<readonly Subject[]> {
  let typed: Promise<string> | undefined;
  const stdin = async (): Promise<string> => await (typed ??= context.stdin.read(context.signal));
  return async () => {
    const subjects = distinct(await readSubjects(words, stdin, streamUsage, readList));
    if (subjects.length === 0) throw usageFailure("no assets to stream: the list is empty", streamUsage);
    return subjects;
  };
}

export function namesFile(words: readonly string[]): boolean {
  return words.some((word) => word.startsWith("@"));
}

function readList(name: string): string {
  try {
    return readFileSync(name, "utf8");
  } catch (cause) {
    throw usageFailure(`"@${withoutSecrets(name)}": cannot be read (${errorCode(cause)})`, streamUsage);
  }
}
