// What stands in so many names that the service finds nothing by it.
const generic = new Set(["token", "coin", "pool", "swap", "dex", "protocol", "finance"]);

/** Specification, endpoint 5: generic terms may find nothing. */
export function isGeneric(words: string): boolean {
  return words.length < 2 || generic.has(words);
}

/** 0 the same, 1 beginning with the words, 2 holding them; both in lower case. Infinity: not found. */
export function distanceOf(name: string, words: string): number {
  const at = name.indexOf(words);
  if (at === -1) return Number.POSITIVE_INFINITY;
  if (name.length === words.length) return 0;
  return at === 0 ? 1 : 2;
}

/** The closest items, at most `most`; of equally close ones, what stands further up in its list. */
export function closest<T>(
  lists: readonly (readonly T[])[],
  distance: (item: T) => number,
  most: number,
): readonly T[] {
  const hits: { readonly item: T; readonly distance: number; readonly place: number }[] = [];
  for (const list of lists) {
    for (const [place, item] of list.entries()) {
      const far = distance(item);
      if (far !== Number.POSITIVE_INFINITY) hits.push({ item, distance: far, place });
    }
  }
  return hits
    .toSorted((a, b) => a.distance - b.distance || a.place - b.place)
    .slice(0, most)
    .map(({ item }) => item);
}
