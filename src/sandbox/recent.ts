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
