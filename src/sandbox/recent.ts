export type Recent<Key, Value> = ReturnType<typeof makeRecent<Key, Value>>;

/** Keeps the `capacity` values that were read or set last. */
export function makeRecent<Key, Value>(capacity: number) {
  const values = new Map<Key, Value>();

  function set(key: Key, value: Value): Value {
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > capacity && oldest !== undefined) values.delete(oldest);
    return value;
  }

  function get(key: Key): Value | undefined {
    const value = values.get(key);
    return value === undefined ? undefined : set(key, value);
  }

  return { get, set, recall: (key: Key, make: () => Value): Value => get(key) ?? set(key, make()) };
}

/** Keeps each item's value for the time that was last asked for: a search needs it to filter, to sort and to show. */
export function rememberLatest<Item extends object, Value>(make: (item: Item, at: number) => Value) {
  const remembered = new WeakMap<Item, { readonly at: number; readonly value: Value }>();
  return (item: Item, at: number): Value => {
    const last = remembered.get(item);
    if (last?.at === at) return last.value;
    const value = make(item, at);
    remembered.set(item, { at, value });
    return value;
  };
}
