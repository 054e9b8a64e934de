import type { Subject } from "../../client/batches.ts";
import { usageFailure } from "../../contract/failure.ts";
import type { FeedKind } from "../../tail/feeds.ts";
import { distinct } from "../../tail/shards.ts";
import type { ListSources } from "../asking/list-sources.ts";
import { readSubjects, streamTaker } from "../asking/subjects.ts";

const usage = "usage: dexdata stream <network:address…|<network> <address…>|@file|->";

/** Reads the assets that the words name, files as they are then; the signal ends a read that waits. */
export type SubjectReader = (signal: AbortSignal) => Promise<readonly Subject[]>;

export function subjectReader(
  words: readonly string[],
  { by }: FeedKind,
  sources: ListSources,
): SubjectReader {
  return async (signal) => {
    const taker = { command: streamTaker, takes: by, checksForms: false, usage };
    const current = { ...sources, file: async (name: string) => await sources.file(name, signal) };
    const subjects = distinct(await readSubjects(words, current, taker));
    if (subjects.length === 0) throw usageFailure("no assets to stream: the list is empty", usage);
    return subjects;
  };
}

export function namesFile(words: readonly string[]): boolean {
  return words.some((word) => word.startsWith("@"));
}
