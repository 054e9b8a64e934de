/** A set of 64-bit hashes, each two signed words; a high one of 0 counts as 1, so that it tells whether a slot is taken. */
export interface HashSet {
  /** True when it was not there before. */
  readonly add: (high: number, low: number) => boolean;
  readonly has: (high: number, low: number) => boolean;
}

/** Beyond it, linear probing gets slow. */
const fullness = 0.8;
/** What WebAssembly counts memory in, in slots of two words. */
const pageSlots = 65_536 / 8;
/** Behind the last place where a hash may belong: for those that found the last places taken. */
const firstSpare = 1024;
/** By a fifth: by more, there would be much that is not used yet; by less, much to move. */
const morePages = (pages: number): number => Math.max(1, Math.floor(pages / 5));

/**
 * An open-addressed table: two words a slot, found by the low word. It lies in memory of WebAssembly, which alone grows where
 * it is: old tables left to the garbage collector would take more than the table, and for long. 10 to 12 bytes a hash.
 */
export class HashTable implements HashSet {
  /** How many it holds. */
  size = 0;
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private words = new Int32Array(this.memory.buffer);
  /** The slots in which a hash may belong. */
  private slots = pageSlots - firstSpare;

  add(given: number, low: number): boolean {
    const high = given === 0 ? 1 : given;
    const at = placeOf(this.words, this.slots, high, low);
    if (this.words[at] === high) return false;
    if (this.size >= this.slots * fullness) {
      this.widen();
      return this.add(high, low);
    }
    this.words[at] = high;
    this.words[at + 1] = low;
    this.size += 1;
    // The last slot stays empty: there each search ends.
    if (at + 2 === this.words.length - 2) this.takePages(1);
    return true;
  }

  has(given: number, low: number): boolean {
    const high = given === 0 ? 1 : given;
    return this.words[placeOf(this.words, this.slots, high, low)] === high;
  }

  clear(): void {
    this.words.fill(0);
    this.size = 0;
  }

  /**
   * All that it holds moves to the end of the new room, and from there, one after the other, to where it belongs now. That
   * is never behind where it stands then, so that none is put into the way of one that has yet to move.
   */
  private widen(): void {
    const { length } = this.words;
    this.takePages(morePages(length / 2 / pageSlots));
    const { words } = this;
    const moved = words.length - length;
    this.slots += moved / 2;
    words.copyWithin(moved, 0, length);
    words.fill(0, 0, moved);
    for (let at = moved; at < words.length; at += 2) {
      const high = words[at] ?? 0;
      if (high === 0) continue;
      const low = words[at + 1] ?? 0;
      words[at] = 0;
      const place = placeOf(words, this.slots, high, low);
      words[place] = high;
      words[place + 1] = low;
    }
  }

  private takePages(count: number): void {
    this.memory.grow(count);
    this.words = new Int32Array(this.memory.buffer);
  }
}

/** Where the hash stands, or the empty slot where it would: a look at one word tells most slots of others apart. */
function placeOf(words: Int32Array, slots: number, high: number, low: number): number {
  let at = 2 * Math.floor(((low >>> 0) / 0x1_0000_0000) * slots);
  for (let taken = words[at]; taken !== 0; taken = words[at]) {
    if (taken === high && words[at + 1] === low) return at;
    at += 2;
  }
  return at;
}
