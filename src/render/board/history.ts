/** The course of a value since the start, or over the last hour, in memory that does not grow. */
export interface History {
  readonly add: (value: number, elapsed: number) => void;
  /** So many values from oldest to newest, as far as there are; where nothing came, the last one before stands. */
  readonly course: (count: number, elapsed: number) => readonly number[];
}

/** Enough for the widest sparkline. */
const slots = 60;
/** Milliseconds of one slot at first and at most: the whole is a minute first, and an hour in the end. */
const [shortest, longest] = [1000, 64_000];

/**
 * The last value of each slot of time. When the slots are used up they are joined in pairs, so that the picture shows
 * everything since the start; from an hour on it moves.
 */
export function createHistory(start: number): History {
  let size = shortest;
  let begin = start;
  let values: number[] = [];

  const makeRoom = (elapsed: number): void => {
    while (elapsed - begin >= slots * size && size < longest) {
      values = pairs(values);
      size *= 2;
    }
    const passed = Math.floor((elapsed - begin) / size) - slots + 1;
    if (passed <= 0) return;
    const last = values.at(-1);
    values = values.slice(passed);
    if (values.length === 0 && last !== undefined) values = [last];
    begin += passed * size;
  };
  const slotOf = (elapsed: number): number => Math.max(0, Math.floor((elapsed - begin) / size));

  /** Up to the slot before, with the value that stood then. */
  const fill = (slot: number): void => {
    const last = values.at(-1);
    while (values.length < slot) values.push(last ?? Number.NaN);
  };

  return {
    add: (value, elapsed) => {
      makeRoom(elapsed);
      const slot = slotOf(elapsed);
      fill(slot);
      values[slot] = value;
    },
    course: (count, elapsed) => {
      makeRoom(elapsed);
      fill(slotOf(elapsed) + 1);
      const known = values.filter((value) => !Number.isNaN(value));
      const step = Math.max(1, known.length / count);
      const length = Math.min(count, known.length);
      return Array.from({ length }, (_, index) => known[Math.ceil((index + 1) * step) - 1] ?? Number.NaN);
    },
  };
}

/** The later of each two. */
function pairs(values: readonly number[]): number[] {
  const joined: number[] = [];
  for (let at = 0; at < values.length; at += 2) joined.push(values[at + 1] ?? values[at] ?? Number.NaN);
  return joined;
}
