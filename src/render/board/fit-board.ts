/** Widths of the columns; 0 for one that is left out. */
export interface BoardWidths {
  readonly asset: number;
  readonly values: readonly number[];
  readonly change: number;
  readonly updates: number;
  readonly course: number;
}

export const gap = 2;
/** Shorter a sparkline says nothing, longer nothing more. */
const [shortestCourse, longestCourse] = [8, 30];
/** An asset keeps its network and most of its address for as long as there is anything else to shorten. */
const readableLabel = 26;
/** Half a price would be another price: it is the asset that gives way to it, down to this. */
const shortest = 6;

/**
 * Fits the columns into the window. The sparkline grows into what is left over; where room is short it shrinks first,
 * then the middle of addresses gives way, and then columns go, the least telling one first. The asset and its first
 * value always stay.
 */
export function fitBoard(needed: Omit<BoardWidths, "course">, width: number): BoardWidths {
  const [price = 0, ...more] = needed.values;
  const widthOf = ({ values, change, updates, course }: Omit<BoardWidths, "asset">): number =>
    [...values, change, updates, course].reduce((sum, each) => sum + (each > 0 ? each + gap : 0), 0);
  const all = {
    values: needed.values,
    change: needed.change,
    updates: needed.updates,
    course: shortestCourse,
  };
  const left = width - widthOf(all);
  if (left >= needed.asset) {
    const course = Math.min(longestCourse, shortestCourse + left - needed.asset);
    return { ...all, asset: needed.asset, course };
  }
  const choices: readonly Omit<BoardWidths, "asset">[] = [
    all,
    { ...all, values: [price, ...more.map(() => 0)] },
    { ...all, values: [price, ...more.map(() => 0)], updates: 0 },
    { ...all, values: [price, ...more.map(() => 0)], updates: 0, course: 0 },
  ];
  const least = Math.min(readableLabel, needed.asset);
  const narrowest = { values: [price, ...more.map(() => 0)], change: 0, updates: 0, course: 0 };
  const chosen = choices.find((choice) => width - widthOf(choice) >= least) ?? narrowest;
  const asset = Math.max(Math.min(shortest, width), Math.min(needed.asset, width - widthOf(chosen)));
  return { ...chosen, asset };
}
