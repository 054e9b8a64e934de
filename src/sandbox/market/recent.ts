/**
 * A bounded memory of computed values. Two generations: when the young one is full it becomes the old one, and
 * what is asked for again moves back. Cheaper than a true least-recently-used list, and as bounded.
 */
export interface Recent<Value> {
  readonly get: (key: number) => Value | undefined;
  readonly set: (key: number, value: Value) => void;
}

/** @param capacity the most weight held, both generations together */
export function makeRecent<Value>(capacity: number, weigh: (value: Value) => number): Recent<Value> {
  let young = new Map<number, Value>();
  let old = new Map<number, Value>();
  let weight = 0;

  function set(key: number, value: Value): void {
    young.set(key, value);
    weight += weigh(value);
    if (weight * 2 < capacity) return;
    old = young;
    young = new Map();
    weight = 0;
  }

  function get(key: number): Value | undefined {
    const value = young.get(key);
    if (value !== undefined) return value;
    const aged = old.get(key);
    if (aged !== undefined) set(key, aged);
    return aged;
  }

  return { get, set };
}
