/** Lists computed lately, by what they were computed from: forgetting one costs time and changes no answer. */
export class RecentLists<T> {
  readonly #room: number;
  readonly #lists = new Map<string, readonly T[]>();

  constructor(room: number) {
    this.#room = room;
  }

  get(key: string, make: () => readonly T[]): readonly T[] {
    const list = this.#lists.get(key) ?? make();
    // Put back at the end, so that the first entry is the one longest unused.
    this.#lists.delete(key);
    this.#lists.set(key, list);
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= this.#room) break;
      this.#lists.delete(oldest);
    }
    return list;
  }
}
