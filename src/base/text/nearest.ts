/**
 * Returns the known word for "did you mean". A word is close if the input is a prefix of it, differs from the word or
 * its first part in at most a third of the letters (Damerau-Levenshtein; `prise`: price-usd), or consists of some of
 * its parts (`min-volume`: volume-usd-24h-min). Undefined if none is close: a bad hint is worse than none.
 */
export function nearest(typed: string, known: Iterable<string>): string | undefined {
  const wanted = fold(typed);
  if (wanted === "") return undefined;
  let best: { word: string; distance: number } | undefined;
  for (const word of known) {
    const distance = distanceOf(typed, word, wanted);
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { word, distance };
  }
  return best?.word;
}

export function didYouMean<Otherwise extends string | undefined>(
  near: string | undefined,
  otherwise: Otherwise,
): string | Otherwise {
  return near === undefined ? otherwise : `did you mean ${near}?`;
}

function distanceOf(typed: string, word: string, wanted: string): number | undefined {
  const candidate = fold(word);
  if (candidate.startsWith(wanted)) return 0.5;
  const [asked, known] = [partsOf(typed), partsOf(word)];
  if (asked.length > 1 && asked.every((part) => known.includes(part)))
    return 0.6 + (known.length - asked.length) / 100;
  const whole = nearDistance(wanted, candidate);
  if (whole !== undefined || asked.length > 1 || known.length === 1) return whole;
  const first = nearDistance(wanted, known[0] ?? "");
  // A match with the complete word counts as closer.
  return first === undefined ? undefined : first + 0.9;
}

function nearDistance(wanted: string, candidate: string): number | undefined {
  const distance = editDistance(wanted, candidate);
  const letters = Math.max(wanted.length, candidate.length);
  // Every word of one letter is one edit away from every other.
  return distance < letters && distance <= Math.max(1, Math.floor(letters / 3)) ? distance : undefined;
}

const partsOf = (word: string): readonly string[] => word.toLowerCase().match(/[^-_\s]+/gu) ?? [];

function fold(word: string): string {
  return word.toLowerCase().replaceAll(/[-_\s]/gu, "");
}

function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
