/** A set of 64-bit hashes, each two signed words; a high one of 0 counts as 1, so that it tells whether a slot is taken. */
export interface HashSet {
  /** True when it was not there before. */
  readonly add: (high: number, low: number) => boolean;
}

/** Beyond it, linear probing gets slow. */
const fullness = 0.8;
/** Small tables double, for each new one costs more than its few hashes; of large ones little may stay empty. */
const wider = (slots: number): number => (slots < 1024 ? slots * 2 : slots + (slots >> 2));

/**
 * One open-addressed table: two words a slot, found by the low word. A class, as the words of closures are looked up anew
 * at each use, and a partitioned table has 256 of them.
 */
export class HashTable implements HashSet {
  /** How many it holds. */
  size = 0;
  private words: Int32Array;
  private most: number;

  constructor(slots: number) {
    this.words = new Int32Array(slots * 2);
    this.most = Math.floor(slots * fullness);
  }

  add(given: number, low: number): boolean {
    const high = given === 0 ? 1 : given;
    const slot = slotOf(this.words, high, low);
    if (this.words[slot] === high) return false;
    if (this.size === this.most) {
      this.grow();
      return this.add(high, low);
    }
    this.words[slot] = high;
    this.words[slot + 1] = low;
    this.size += 1;
    return true;
  }

  has(given: number, low: number): boolean {
    const high = given === 0 ? 1 : given;
    return this.words[slotOf(this.words, high, low)] === high;
  }

  private grow(): void {
    const old = this.words;
    const slots = wider(old.length / 2);
    const words = new Int32Array(slots * 2);
    for (let at = 0; at < old.length; at += 2) {
      const high = old[at] ?? 0;
      const low = old[at + 1] ?? 0;
      if (high === 0) continue;
      const slot = slotOf(words, high, low);
      words[slot] = high;
      words[slot + 1] = low;
    }
    this.words = words;
    this.most = Math.floor(slots * fullness);
  }
}

/**
 * The same as 256 tables, by the first byte, each grown on its own: so no old table lies beside a new one of everything,
 * and a million hashes take 12 MB at most, also while it grows.
 */
export function createPartitionedTable(): HashSet {
  const parts = Array.from({ length: 256 }, () => new HashTable(16));
  return { add: (high, low) => parts[high >>> 24]?.add(high, low) === true };
}

/** Where the hash stands, or the empty slot where it would: a look at one word tells most slots of others apart. */
function slotOf(words: Int32Array, high: number, low: number): number {
  const { length } = words;
  let at = 2 * Math.floor(((low >>> 0) / 0x1_0000_0000) * (length / 2));
  for (let taken = words[at]; taken !== 0; taken = words[at]) {
    if (taken === high && words[at + 1] === low) return at;
    at += 2;
    if (at === length) at = 0;
  }
  return at;
}
