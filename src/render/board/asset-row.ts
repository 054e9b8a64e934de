import { blank, type Cell, type CellStyle, showCell } from "../values/cell.ts";
import { percentBetween } from "../values/numbers.ts";
import type { ShownValue } from "../../contract/feed.ts";

/** What the board knows of one asset. */
export interface AssetRow {
  readonly update: (values: readonly (string | number | undefined)[], elapsed: number) => void;
  /** Newest first shown value, and what goes with it; blank before anything came. */
  readonly values: () => readonly Cell[];
  readonly change: () => Cell;
  readonly updates: (elapsed: number) => Cell;
  readonly course: (count: number, elapsed: number) => readonly number[];
}

export function createAssetRow(shown: readonly ShownValue[], style: CellStyle, start: number): AssetRow {
  const rate = createRate();
  const history = createHistory(start);
  const nothing: Cell = { text: style.isUnicode ? "–" : "-", tone: "faint" };
  let cells: readonly Cell[] = [nothing, ...shown.slice(1).map(() => blank)];
  let [first, last]: [number | undefined, number | undefined] = [undefined, undefined];

  return {
    update: (values, elapsed) => {
      rate.count(elapsed);
      // From the text that was sent: a double would show digits that nobody quoted.
      cells = shown.map(({ reads }, index) => showCell(values[index], reads, style));
      // For a direction and a picture a double is near enough.
      const value = Number(values[0]);
      if (values[0] === undefined || !Number.isFinite(value)) return;
      first ??= value;
      last = value;
      history.add(value, elapsed);
    },
    values: () => cells,
    change: () => {
      if (first === undefined || last === undefined || first === 0) return blank;
      return showCell(percentBetween(first, last), "change", style);
    },
    updates: (elapsed) => {
      const count = rate.lastMinute(elapsed);
      return count === 0 && last === undefined ? blank : showCell(count, "count", style);
    },
    course: history.course,
  };
}

/** The course of a value since the start, or over the last hour, in memory that does not grow. */
interface History {
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
function createHistory(start: number): History {
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

/** How many there were in the last minute. */
interface Rate {
  readonly count: (elapsed: number) => void;
  readonly lastMinute: (elapsed: number) => number;
}

const seconds = 60;

/** One counter a second, each told apart from the same one a minute ago by the second it stands for. */
function createRate(): Rate {
  const counts = new Float64Array(seconds);
  const stands = new Float64Array(seconds).fill(-1);
  return {
    count: (elapsed) => {
      const second = Math.floor(elapsed / 1000);
      const slot = second % seconds;
      if (stands[slot] !== second) {
        stands[slot] = second;
        counts[slot] = 0;
      }
      counts[slot] = (counts[slot] ?? 0) + 1;
    },
    lastMinute: (elapsed) => {
      const first = Math.floor(elapsed / 1000) - seconds + 1;
      return counts.reduce((sum, count, slot) => sum + ((stands[slot] ?? -1) >= first ? count : 0), 0);
    },
  };
}
