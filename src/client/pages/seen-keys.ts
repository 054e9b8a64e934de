import type { TextHash } from "../../text/text-hash.ts";

/**
 * Defines which keys are stored. A list sorted by time repeats rows only near the current position, so it is enough to
 * store recent keys, and memory use does not grow. A search may repeat any earlier row.
 */
export type Reach = "all" | "recent";

/**
 * The number of recent keys to store. Two windows with 100 rows per page can have fewer rows in common, namely the rows
 * at the time where they meet.
 */
export const recentKeys = 16_384;

/**
 * A set that stores only the hashes of its keys, in slots of 8 bytes. With a million keys, the probability is below one
 * in ten million that two keys have the same hash and a row is dropped by mistake.
 */
export type SeenKeys = ReturnType<typeof createSeenKeys>;

/** `isRecorded` must be true if `takeAdded` is called after every page. */
export function createSeenKeys(reach: Reach, isRecorded: boolean) {
  const table = reach === "all" ? new HashTable() : createRecentTable();
  let added: number[] = [];
  return {
    /** Adds a key. Returns true if it is new. */
    add: ({ high, low }: TextHash): boolean => {
      const isNew = table.add(high, low);
      if (isNew && isRecorded) added.push(high, low);
      return isNew;
    },
    has: ({ high, low }: TextHash): boolean => table.has(high, low),
    /**
     * Returns the 8-byte hashes added since the last call as base64. The result is empty unless recording is enabled.
     */
    takeAdded: (): string => {
      const bytes = Buffer.alloc(added.length * 4);
      for (const [index, word] of added.entries()) bytes.writeInt32LE(word, index * 4);
      added = [];
      return bytes.toString("base64");
    },
    /** Adds hashes that `takeAdded` returned in an earlier run. */
    restore: (text: string): void => {
      const bytes = Buffer.from(text, "base64");
      for (let at = 0; at + 8 <= bytes.length; at += 8)
        table.add(bytes.readInt32LE(at), bytes.readInt32LE(at + 4));
    },
  };
}

/**
 * Creates two tables that are used alternately: when the newer one is full, the older one is cleared and takes its
 * place.
 */
function createRecentTable(): Pick<HashTable, "add" | "has"> {
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

/** Linear probing becomes slow above this share of used slots. */
const fullness = 0.8;
/** Smaller than 2, so that a million hashes fit into 12 MB. */
const growth = 1.5;
const firstSlots = 960;

/**
 * A growing set of 64-bit hashes with open addressing. Each hash consists of two signed words. A high word of 0 is
 * stored as 1, because 0 marks an empty slot.
 */
export class HashTable {
  /** The number of stored hashes. */
  size = 0;
  /** The hashes, with two words per slot. */
  #words = new Int32Array(2 * firstSlots);

  /** Adds a hash. Returns true if it is new. */
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

/** Returns the index of the hash, or of the empty slot in which it belongs. */
function placeOf(words: Int32Array, high: number, low: number): number {
  let at = 2 * (((high ^ low) >>> 0) % (words.length / 2));
  for (let taken = words[at]; taken !== 0; taken = words[at]) {
    if (taken === high && words[at + 1] === low) return at;
    at = at + 2 === words.length ? 0 : at + 2;
  }
  return at;
}
