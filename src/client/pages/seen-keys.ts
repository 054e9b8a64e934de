import type { TextHash } from "../../text/text-hash.ts";

/**
 * Which texts are stored. A list sorted by time repeats rows only near the current position, so the last ones are enough
 * there and memory does not grow; a search may repeat any row.
 */
export type Reach = "all" | "recent";

/** More than two windows of 100 pages can have in common: the rows of one time at their edge. */
export const recentKeys = 16_384;

/**
 * A set of texts, stored as hashes, that only knows whether one is new: a slot of 8 bytes instead of the text. The chance
 * that any two of a million share a hash, and one is dropped as a repeat, is below one in ten million.
 */
export type SeenKeys = ReturnType<typeof createSeenKeys>;

/** `isRecorded`: whether `takeAdded` will be called, after every page. */
export function createSeenKeys(reach: Reach, isRecorded: boolean) {
  const table = reach === "all" ? new HashTable() : createRecentTable();
  let added: number[] = [];
  return {
    /** Returns true if the text is new. */
    add: ({ high, low }: TextHash): boolean => {
      const isNew = table.add(high, low);
      if (isNew && isRecorded) added.push(high, low);
      return isNew;
    },
    has: ({ high, low }: TextHash): boolean => table.has(high, low),
    /** The 8-byte hashes added since the last call, as base64; empty unless recorded. */
    takeAdded: (): string => {
      const bytes = Buffer.alloc(added.length * 4);
      for (const [index, word] of added.entries()) bytes.writeInt32LE(word, index * 4);
      added = [];
      return bytes.toString("base64");
    },
    /** Adds the result of `takeAdded` in an earlier run. */
    restore: (text: string): void => {
      const bytes = Buffer.from(text, "base64");
      for (let at = 0; at + 8 <= bytes.length; at += 8)
        table.add(bytes.readInt32LE(at), bytes.readInt32LE(at + 4));
    },
  };
}

/** Alternates two tables: when the newer one is full, it replaces the older one, which is cleared. */
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

/** Linear probing gets slow above this share of used slots. */
const fullness = 0.8;
/** Less than 2, so that a million hashes fit into 12 MB. */
const growth = 1.5;
const firstSlots = 960;

/**
 * An open-addressed set of 64-bit hashes, each two signed words, that grows. A high word of 0 counts as 1, so that 0 marks
 * an empty slot.
 */
export class HashTable {
  /** The number of hashes. */
  size = 0;
  /** Two per slot. */
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

/** The index of the hash, or of the empty slot for it. */
function placeOf(words: Int32Array, high: number, low: number): number {
  let at = 2 * (((high ^ low) >>> 0) % (words.length / 2));
  for (let taken = words[at]; taken !== 0; taken = words[at]) {
    if (taken === high && words[at + 1] === low) return at;
    at = at + 2 === words.length ? 0 : at + 2;
  }
  return at;
}
