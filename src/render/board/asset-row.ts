import { blank, type Cell, type CellStyle, noValue, showCell } from "../values/cell.ts";
import { percentBetween } from "../values/decimal.ts";
import type { ShownValue } from "../../contract/feed.ts";

export type AssetRow = ReturnType<typeof createAssetRow>;

/** The row of one asset on the board. */
export function createAssetRow(shown: readonly ShownValue[], style: CellStyle, start: number) {
  const rate = createRate();
  const history = createHistory(start);
  let cells: readonly Cell[] = [noValue(style), ...shown.slice(1).map(() => blank)];
  let [first, last]: [number | undefined, number | undefined] = [undefined, undefined];

  return {
    update: (values: readonly (string | number | undefined)[], elapsed: number): void => {
      rate.count(elapsed);
      // From the text as sent: a double would show digits that the service never sent.
      cells = shown.map(({ reads }, index) => showCell(values[index], reads, style));
      // A double is precise enough for a direction and a picture.
      const value = Number(values[0]);
      if (values[0] === undefined || !Number.isFinite(value)) return;
      first ??= value;
      last = value;
      history.add(value, elapsed);
    },
    /** The latest value and the values of the same event; empty before the first event. */
    values: () => cells,
    change: (): Cell => {
      if (first === undefined || last === undefined || first === 0) return blank;
      return showCell(percentBetween(first, last), "change", style);
    },
    updates: (elapsed: number): Cell => {
      const count = rate.lastMinute(elapsed);
      return count === 0 && last === undefined ? blank : showCell(count, "count", style);
    },
    course: history.course,
  };
}

/** Enough for the widest sparkline. */
const slots = 60;
/** Milliseconds of the first and of the longest slots: the history covers a minute at first, and finally an hour. */
const [shortest, longest] = [1000, 64_000];

/**
 * The trend of a value since the start, or over the last hour, in constant memory: the last value of each slot of time.
 * When all slots are used, pairs of them are joined, so that the history still covers everything since the start. After
 * an hour the oldest slots are dropped.
 */
function createHistory(start: number) {
  let size = shortest;
  let begin = start;
  let values: number[] = [];

  const makeRoom = (elapsed: number): void => {
    while (elapsed - begin >= slots * size && size < longest) {
      values = laterOfPairs(values);
      size *= 2;
    }
    const passed = Math.floor((elapsed - begin) / size) - slots + 1;
    if (passed <= 0) return;
    const last = values.at(-1);
    values = values.slice(passed);
    if (values.length === 0 && last !== undefined) values = [last];
    begin += passed * size;
  };

  /** Fills the slots before this time with the last value, and returns the slot of this time. */
  const fillUntil = (elapsed: number): number => {
    makeRoom(elapsed);
    const slot = Math.max(0, Math.floor((elapsed - begin) / size));
    const last = values.at(-1) ?? Number.NaN;
    while (values.length < slot) values.push(last);
    return slot;
  };

  return {
    add: (value: number, elapsed: number): void => {
      const slot = fillUntil(elapsed);
      values[slot] = value;
    },
    /** Up to `count` values from oldest to newest; a slot of time without a value repeats the one before. */
    course: (count: number, elapsed: number): readonly number[] => {
      const slot = fillUntil(elapsed);
      values[slot] ??= values.at(-1) ?? Number.NaN;
      const known = values.filter((value) => !Number.isNaN(value));
      const step = Math.max(1, known.length / count);
      const length = Math.min(count, known.length);
      return Array.from({ length }, (_, index) => known[Math.ceil((index + 1) * step) - 1] ?? Number.NaN);
    },
  };
}

function laterOfPairs(values: readonly number[]): number[] {
  const joined: number[] = [];
  for (let at = 0; at < values.length; at += 2) joined.push(values[at + 1] ?? values[at] ?? Number.NaN);
  return joined;
}

const seconds = 60;

/** Counts events of the last minute: one counter per second, which also records the second it belongs to. */
function createRate() {
  const counts = new Float64Array(seconds);
  const countedSecond = new Float64Array(seconds).fill(-1);
  return {
    count: (elapsed: number): void => {
      const second = Math.floor(elapsed / 1000);
      const slot = second % seconds;
      if (countedSecond[slot] !== second) {
        countedSecond[slot] = second;
        counts[slot] = 0;
      }
      counts[slot] = (counts[slot] ?? 0) + 1;
    },
    lastMinute: (elapsed: number): number => {
      const first = Math.floor(elapsed / 1000) - seconds + 1;
      return counts.reduce((sum, count, slot) => sum + ((countedSecond[slot] ?? -1) >= first ? count : 0), 0);
    },
  };
}
