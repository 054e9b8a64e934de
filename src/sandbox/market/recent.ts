/**
 * A bounded cache with two generations, cheaper than a true least-recently-used cache. When the young generation is
 * full, it becomes the old one, and entries that are read again move back.
 */
export interface Recent<Key, Value> {
  readonly get: (key: Key) => Value | undefined;
  readonly set: (key: Key, value: Value) => void;
  readonly recall: (key: Key, make: () => Value) => Value;
}

/** `capacity` is the maximum combined weight of both generations. */
export function makeRecent<Key, Value>(
  capacity: number,
  weigh: (value: Value) => number = () => 1,
): Recent<Key, Value> {
  let young = new Map<Key, Value>();
  let old = new Map<Key, Value>();
  let weight = 0;

  function set(key: Key, value: Value): void {
    young.set(key, value);
    weight += weigh(value);
    if (weight * 2 < capacity) return;
    old = young;
    young = new Map();
    weight = 0;
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
    recall: (key, make) => {
      const kept = get(key);
      if (kept !== undefined) return kept;
      const made = make();
      set(key, made);
      return made;
    },
  };
}

const WINDOWS_KEPT = 16;

/** A search's order, filters, rows and later pages need the same windows for the same object. */
export function rememberLatest<Thing extends object, Value>(
  compute: (thing: Thing, at: number, seconds: number) => Value,
): (thing: Thing, at: number, seconds: number) => Value {
  const latest = new WeakMap<Thing, { readonly at: number; readonly values: Map<number, Value> }>();
  return (thing, at, seconds) => {
    let known = latest.get(thing);
    if (known?.at !== at) {
      known = { at, values: new Map() };
      latest.set(thing, known);
    }
    const kept = known.values.get(seconds);
    if (kept !== undefined) return kept;
    const value = compute(thing, at, seconds);
    // Streams and tests may request any window, so the number is limited. The usual windows are requested first.
    if (known.values.size < WINDOWS_KEPT) known.values.set(seconds, value);
    return value;
  };
}
