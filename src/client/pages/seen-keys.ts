import { type HashSet, HashTable } from "./hash-table.ts";
import type { TextHash } from "../../text/text-hash.ts";

/**
 * A set of texts, told by their hashes, that only answers whether one is new: 8 bytes a text instead of the text. The chance that any two of a
 * million share a hash, and one is dropped as a repeat, is below one in ten million.
 */
export interface SeenKeys {
  /** True when the text was not there before. */
  readonly add: (hash: TextHash) => boolean;
  readonly has: (hash: TextHash) => boolean;
  /** The 8-byte hashes added since the last call, as base64; nothing unless recorded. */
  readonly takeAdded: () => string;
  /** Adds what `takeAdded` of an earlier run gave. */
  readonly restore: (added: string) => void;
}

/**
 * Which texts are remembered. A list in the order of time repeats only near where it is being read, so the last ones are
 * enough there and memory does not grow; a search may bring any row again.
 */
export type Reach = "all" | "recent";

/** More than two windows of 100 pages can have in common: the rows of one instant at their edge. */
export const recentKeys = 16_384;

/** `isRecorded`: whether `takeAdded` will be called, after every page. */
export function createSeenKeys(reach: Reach, isRecorded: boolean): SeenKeys {
  const table = reach === "all" ? new HashTable() : createRecentTable();
  let added: number[] = [];
  return {
    add: ({ high, low }) => {
      const isNew = table.add(high, low);
      if (isNew && isRecorded) added.push(high, low);
      return isNew;
    },
    has: ({ high, low }) => table.has(high, low),
    takeAdded: () => {
      const bytes = Buffer.alloc(added.length * 4);
      for (const [index, word] of added.entries()) bytes.writeInt32LE(word, index * 4);
      added = [];
      return bytes.toString("base64");
    },
    restore: (text) => {
      const bytes = Buffer.from(text, "base64");
      for (let at = 0; at + 8 <= bytes.length; at += 8)
        table.add(bytes.readInt32LE(at), bytes.readInt32LE(at + 4));
    },
  };
}

/** For a walk that nobody goes on with, over few rows: a plain set. */
export function createShortMemory(): SeenKeys {
  const keys = new Set<string>();
  return {
    add: (hash) => {
      const before = keys.size;
      return keys.add(keyOf(hash)).size > before;
    },
    has: (hash) => keys.has(keyOf(hash)),
    takeAdded: () => "",
    restore: () => undefined,
  };
}

const keyOf = ({ high, low }: TextHash): string => `${high} ${low}`;

/** Two tables in turn: when the newer one is full, it becomes the older one and what was older is forgotten. */
function createRecentTable(): HashSet {
  let [older, newer] = [new HashTable(), new HashTable()];
  return {
    add: (high, low) => {
      if (older.has(high, low)) return false;
      const isNew = newer.add(high, low);
      if (newer.size >= recentKeys) {
        older.clear();
        [older, newer] = [newer, older];
      }
      return isNew;
    },
    has: (high, low) => older.has(high, low) || newer.has(high, low),
  };
}
