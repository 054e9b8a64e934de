import type { Endpoint } from "../api/endpoint.ts";
import { continuesByTime } from "../api/reply.ts";
import type { TextHash } from "../base/text/text-hash.ts";

/**
 * A list sorted by time repeats rows only near the current position, so recent keys are enough, and memory use does not
 * grow. A search may repeat any earlier row.
 */
type Reach = "all" | "recent";

/** Lists that are continued by time are sorted by time, so they repeat only recent rows. */
export function reachOf({ reply }: Endpoint): Reach {
  return continuesByTime(reply) ? "recent" : "all";
}

/** Two windows with 100 rows per page share fewer rows than this: only those at the time where they meet. */
export const recentKeys = 16_384;

/**
 * Stores only the hashes of its keys, in 8-byte slots. With a million keys, the probability that two share a hash, so
 * that a row is dropped by mistake, is below one in ten million.
 */
export type SeenKeys = ReturnType<typeof createSeenKeys>;

/** `isRecorded` must be true if `takeAdded` is called after every page. */
export function createSeenKeys(reach: Reach, isRecorded: boolean) {
  const table = reach === "all" ? new HashTable() : createRecentTable();
  let added: number[] = [];
  return {
    add: ({ high, low }: TextHash): boolean => {
      const isNew = table.add(high, low);
      if (isNew && isRecorded) added.push(high, low);
      return isNew;
    },
    has: ({ high, low }: TextHash): boolean => table.has(high, low),
    /** Call this before another list, in which the same key may mean another row. */
    clear: (): void => table.clear(),
    /** The 8-byte hashes added since the last call, in base64; empty unless recording is enabled. */
    takeAdded: (): string => {
      const bytes = Buffer.alloc(added.length * 4);
      for (const [index, word] of added.entries()) bytes.writeInt32LE(word, index * 4);
      added = [];
      return bytes.toString("base64");
    },
    /** The text comes from `takeAdded` in an earlier run. */
    restore: (text: string): void => {
      const bytes = Buffer.from(text, "base64");
      for (let at = 0; at + 8 <= bytes.length; at += 8)
        table.add(bytes.readInt32LE(at), bytes.readInt32LE(at + 4));
    },
  };
}

/** Two tables alternate: when the newer one is full, the older one is cleared and takes its place. */
function createRecentTable(): Pick<HashTable, "add" | "has" | "clear"> {
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
    clear: () => {
      older.clear();
      newer.clear();
    },
    has: (high, low) => older.has(high, low) || newer.has(high, low),
  };
}

/** Linear probing becomes slow above this share of used slots. */
const fullness = 0.8;
/** Less than 2, so that a million hashes fit into 12 MB. */
const growth = 1.5;
/** Small, because a run may follow thousands of lists, each of which has five tables. */
const firstSlots = 16;

/**
 * A growing set with open addressing. A hash is two signed words; a high word of 0 marks an empty slot, so a real 0 is
 * stored as 1.
 */
export class HashTable {
  size = 0;
  /** Two words per slot. */
  #words = new Int32Array(2 * firstSlots);

  /** Returns true if the hash is new. */
  add(given: number, low: number): boolean {
    const high = given === 0 ? 1 : given;
    const at = placeOf(this.#words, high, low);
    if (this.#words[at] === high) return false;
    this.#words[at] = high;
    this.#words[at + 1] = low;
    this.size += 1;
    if (this.size * 2 > this.#words.length * fullness) this.#grow();
    return true;
  }

  has(given: number, low: number): boolean {
    const high = given === 0 ? 1 : given;
    return this.#words[placeOf(this.#words, high, low)] === high;
  }

  clear(): void {
    this.#words.fill(0);
    this.size = 0;
  }

  #grow(): void {
    const old = this.#words;
    const words = new Int32Array(2 * Math.ceil((old.length / 2) * growth));
    for (let from = 0; from < old.length; from += 2) {
      const high = old[from];
      const low = old[from + 1];
      if (high === 0 || high === undefined || low === undefined) continue;
      const at = placeOf(words, high, low);
      words[at] = high;
      words[at + 1] = low;
    }
    this.#words = words;
  }
}

/**
 * The index of the hash, or of the empty slot where it belongs. Places have the order of the hashes, so that a growing
 * table is copied from start to end. With a remainder, each hash would be written to a random place.
 */
function placeOf(words: Int32Array, high: number, low: number): number {
  let at = 2 * Math.floor((((high ^ low) >>> 0) / 2 ** 32) * (words.length / 2));
  for (let taken = words[at]; taken !== 0; taken = words[at]) {
    if (taken === high && words[at + 1] === low) return at;
    at = at + 2 === words.length ? 0 : at + 2;
  }
  return at;
}
