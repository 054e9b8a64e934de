/**
 * Remembers, for each thing, what was computed at the last instant it was asked about: the order of a search, its
 * filters and its rows ask for the same windows of the same thing, and so do all pages behind a first one.
 */
export function rememberLatest<Thing extends object, Value>(
  compute: (thing: Thing, at: number, seconds: number) => Value,
): (thing: Thing, at: number, seconds: number) => Value {
  // Windows are a handful, so a list is smaller and faster than a map each.
  const latest = new WeakMap<Thing, { at: number; seconds: number[]; values: Value[] }>();
  return (thing, at, seconds) => {
    const known = latest.get(thing);
    if (known?.at !== at) {
      const value = compute(thing, at, seconds);
      latest.set(thing, { at, seconds: [seconds], values: [value] });
      return value;
    }
    const kept = known.values[known.seconds.indexOf(seconds)];
    if (kept !== undefined) return kept;
    const value = compute(thing, at, seconds);
    // Streams and tests may ask for any window; the usual ones come first.
    if (known.seconds.length < WINDOWS_KEPT) {
      known.seconds.push(seconds);
      known.values.push(value);
    }
    return value;
  };
}

const WINDOWS_KEPT = 16;
