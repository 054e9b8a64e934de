/** A set of 64-bit hashes, each two signed words; a high one of 0 counts as 1, so that it tells whether a slot is taken. */
export interface HashTable {
  /** True when it was not there before. */
  readonly add: (high: number, low: number) => boolean;
  readonly has: (high: number, low: number) => boolean;
  readonly size: () => number;
}

/** Beyond it, linear probing gets slow. */
const fullness = 0.8;
/** Small tables double, for each new one costs more than its few hashes; of large ones little may stay empty. */
const growthFrom = (slots: number): number => (slots < 1024 ? 2 : 1.25);

/** One open-addressed table: two words a slot, found by the low word. */
export function createHashTable(slots: number): HashTable {
  let words = new Int32Array(slots * 2);
  let size = 0;

  const grow = (): void => {
    const old = words;
    const held = old.length / 2;
    words = new Int32Array(2 * Math.ceil(held * growthFrom(held)));
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = [old[at], old[at + 1]];
      if (high !== 0) put(words, slotOf(words, high, low), high, low);
    }
  };

  return {
    add: (given, low) => {
      const high = given === 0 ? 1 : given;
      let slot = slotOf(words, high, low);
      if (words[slot] === high) return false;
      if (size + 1 > (words.length / 2) * fullness) {
        grow();
        slot = slotOf(words, high, low);
      }
      put(words, slot, high, low);
      size += 1;
      return true;
    },
    has: (given, low) => {
      const high = given === 0 ? 1 : given;
      return words[slotOf(words, high, low)] === high;
    },
    size: () => size,
  };
}

/**
 * The same as 256 tables, by the first byte, each grown on its own: so no old table lies beside a new one of everything,
 * and a million hashes take 12 MB at most, also while it grows.
 */
export function createPartitionedTable(): HashTable {
  const parts = Array.from({ length: 256 }, () => createHashTable(16));
  return {
    add: (high, low) => parts[high >>> 24]?.add(high, low) === true,
    has: (high, low) => parts[high >>> 24]?.has(high, low) === true,
    size: () => parts.reduce((sum, part) => sum + part.size(), 0),
  };
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

function put(words: Int32Array, slot: number, high: number, low: number): void {
  words[slot] = high;
  words[slot + 1] = low;
}
