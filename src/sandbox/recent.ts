export type Recent<Key, Value> = ReturnType<typeof makeRecent<Key, Value>>;

/**
 * A bounded cache with two generations, cheaper than a true least-recently-used cache. When the young generation is
 * full, it becomes the old one, and entries that are read again move back. `capacity` is the maximum number of entries
 * of both generations.
 */
export function makeRecent<Key, Value>(capacity: number) {
  let young = new Map<Key, Value>();
  let old = new Map<Key, Value>();

  function set(key: Key, value: Value): void {
    young.set(key, value);
    if (young.size * 2 < capacity) return;
    old = young;
    young = new Map();
  }

  function get(key: Key): Value | undefined {
    const value = young.get(key);
    if (value !== undefined) return value;
    const aged = old.get(key);
    if (aged !== undefined) set(key, aged);
    return aged;
  }

  return {
    get,
    set,
    recall: (key: Key, make: () => Value): Value => {
      const kept = get(key);
      if (kept !== undefined) return kept;
      const made = make();
      set(key, made);
      return made;
    },
  };
}
