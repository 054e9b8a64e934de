import type { TextHash } from "../../text/text-hash.ts";

/**
 * A set of texts, told by their hashes, that only answers whether one is new: a slot of 8 bytes instead of the text. The chance that any two of a
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

/** Two tables in turn: when the newer one is full, it becomes the older one and what was older is forgotten. */
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

/** Beyond it, linear probing gets slow. */
const fullness = 0.8;
/** By less than the double, so that a million hashes fit into 12 MB. */
const growth = 1.5;
const firstSlots = 960;

/**
 * An open-addressed set of 64-bit hashes, each two signed words, that grows. A high word of 0 counts as 1, so that it
 * tells whether a slot is taken.
 */
export class HashTable {
  /** How many it holds. */
  size = 0;
  /** Two a slot. */
  #words = new Int32Array(2 * firstSlots);

  /** True when it was not there before. */
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

/** Where the hash stands, or the empty slot where it would. */
function placeOf(words: Int32Array, high: number, low: number): number {
  let at = 2 * (((high ^ low) >>> 0) % (words.length / 2));
  for (let taken = words[at]; taken !== 0; taken = words[at]) {
    if (taken === high && words[at + 1] === low) return at;
    at = at + 2 === words.length ? 0 : at + 2;
  }
  return at;
}
