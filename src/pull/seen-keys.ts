/** A set of texts that only answers whether one is new: 8 bytes a text instead of the text. */
export interface SeenKeys {
  /** True when the text was not there before. */
  readonly add: (text: string) => boolean;
}

/**
 * An open-addressed table of 64-bit hashes, at most half full. A million rows take 16 MB; the chance that any two
 * of them share a hash, and one is dropped as a repeat, is below one in ten million.
 */
export function createSeenKeys(): SeenKeys {
  let table = new BigUint64Array(1024);
  let size = 0;

  const grow = (): void => {
    const larger = new BigUint64Array(table.length * 2);
    for (const hash of table) if (hash !== 0n) insert(larger, hash);
    table = larger;
  };

  return {
    add: (text) => {
      if (size * 2 >= table.length) grow();
      const isNew = insert(table, hash64(text));
      if (isNew) size += 1;
      return isNew;
    },
  };
}

/** Linear probing; 0 marks an empty slot. */
function insert(into: BigUint64Array, hash: bigint): boolean {
  const mask = into.length - 1;
  for (let slot = Number(hash & 0x7fff_ffffn) & mask; ; slot = (slot + 1) & mask) {
    if (into[slot] === hash) return false;
    if (into[slot] === 0n) {
      into[slot] = hash;
      return true;
    }
  }
}

/** Two independent 32-bit multiplicative hashes over UTF-16 units; never 0. */
function hash64(text: string): bigint {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high ^= high >>> 13;
  }
  low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 15), 0x27d4eb2f);
  const hash = (BigInt((high ^ (high >>> 16)) >>> 0) << 32n) | BigInt((low ^ (low >>> 13)) >>> 0);
  return hash === 0n ? 1n : hash;
}
