// What stands in so many names that the service finds nothing by it.
const generic = new Set(["token", "coin", "pool", "swap", "dex", "protocol", "finance"]);

/** Specification, endpoint 5: generic terms may find nothing. */
export function isGeneric(words: string): boolean {
  return words.length < 2 || generic.has(words);
}

/**
 * The items whose names come closest to the words, at most `most`: exact, then beginning with them, then holding
 * them; of equally close ones, what stands further up in its list.
 */
export function closest<T>(
  lists: readonly (readonly T[])[],
  words: string,
  namesOf: (item: T) => readonly string[],
  most: number,
): readonly T[] {
  const hits = lists.flatMap((list) =>
    list.flatMap((item, place) => {
      const distance = Math.min(...namesOf(item).map((name) => distanceOf(name.toLowerCase(), words)));
      return distance === Number.POSITIVE_INFINITY ? [] : [{ item, distance, place }];
    }),
  );
  return hits
    .toSorted((a, b) => a.distance - b.distance || a.place - b.place)
    .slice(0, most)
    .map(({ item }) => item);
}

function distanceOf(name: string, words: string): number {
  const at = name.indexOf(words);
  if (at === -1) return Number.POSITIVE_INFINITY;
  if (name.length === words.length) return 0;
  return at === 0 ? 1 : 2;
}
