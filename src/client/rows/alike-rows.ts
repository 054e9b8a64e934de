const [QUOTE, MINUS, DOT, LETTER_F, LETTER_N, LETTER_T] = [34, 45, 46, 102, 110, 116];
const [ZERO, NINE] = [48, 57];
/** A double holds so many for certain. */
const mostDigits = 15;

/** What a value is, as far as a type can tell; 0 for what has to be parsed to find out. */
const UNCLEAR = 0;
const TEXT = 1;
const BOOLEAN = 2;
const NULL = 3;
const INTEGER = 4;
const FRACTION = 5;

/** Whether rows have values of the same types as the row that was checked last: then they share its fate. */
export interface TypeWatch {
  /** A row with names of its own: where its values begin and end. */
  readonly begin: (bytes: Uint8Array, leaves: readonly number[]) => void;
  /** A row with the names of the one before. False where its types differ, so that it has to be checked itself. */
  readonly isAlike: (bytes: Uint8Array, leaves: readonly number[]) => boolean;
}

export function watchTypes(): TypeWatch {
  const types: number[] = [];
  const begin: TypeWatch["begin"] = (bytes, leaves) => {
    types.length = leaves.length >> 1;
    for (let leaf = 0; leaf < leaves.length; leaf += 2)
      types[leaf >> 1] = typeOf(bytes, leaves[leaf] ?? 0, leaves[leaf + 1] ?? 0);
  };
  return {
    begin,
    isAlike: (bytes, leaves) => {
      for (let leaf = 0; leaf < leaves.length; leaf += 2) {
        const type = typeOf(bytes, leaves[leaf] ?? 0, leaves[leaf + 1] ?? 0);
        if (type !== UNCLEAR && type === types[leaf >> 1]) continue;
        begin(bytes, leaves);
        return false;
      }
      return true;
    },
  };
}

function typeOf(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from] ?? 0;
  if (first === QUOTE) return TEXT;
  if (first === LETTER_T || first === LETTER_F) return BOOLEAN;
  if (first === LETTER_N) return NULL;
  const start = first === MINUS ? from + 1 : from;
  const dot = endOfDigits(bytes, start, to);
  if (dot - start > mostDigits) return UNCLEAR;
  if (dot === to) return INTEGER;
  if (bytes[dot] !== DOT || endOfDigits(bytes, dot + 1, to) !== to) return UNCLEAR;
  // A fraction such as .0 or .99999… may come to an integer. One digit that is neither 0 nor 9 rules that out, as far
  // behind the point as doubles of that size reach.
  const places = dot - start === 1 && bytes[start] === ZERO ? 15 : 15 - (dot - start);
  for (let at = dot + 1; at < to && at <= dot + places; at += 1)
    if (bytes[at] !== ZERO && bytes[at] !== NINE) return FRACTION;
  return UNCLEAR;
}

function endOfDigits(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= NINE) at += 1;
  return at;
}
