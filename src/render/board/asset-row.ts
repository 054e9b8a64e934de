import { type Cell, type CellStyle, blank, showCell } from "../values/cell.ts";
import { percentBetween } from "../values/percent-between.ts";
import { createHistory } from "./history.ts";
import { createRate } from "./rate.ts";
import type { Shown } from "./readings.ts";

/** What the board knows of one asset. */
export interface AssetRow {
  readonly update: (values: readonly (string | number | undefined)[], elapsed: number) => void;
  /** Newest first shown value, and what goes with it; blank before anything came. */
  readonly values: () => readonly Cell[];
  readonly change: () => Cell;
  readonly updates: (elapsed: number) => Cell;
  readonly course: (count: number, elapsed: number) => readonly number[];
}

export function createAssetRow(shown: readonly Shown[], style: CellStyle, start: number): AssetRow {
  const rate = createRate();
  const history = createHistory(start);
  const nothing: Cell = { text: style.isUnicode ? "–" : "-", tone: "faint" };
  let cells: readonly Cell[] = [nothing, ...shown.slice(1).map(() => blank)];
  let [first, last]: [number | undefined, number | undefined] = [undefined, undefined];

  return {
    update: (values, elapsed) => {
      rate.count(elapsed);
      // From the text that was sent: a double would show digits that nobody quoted.
      cells = shown.map(({ kind }, index) => showCell(values[index], kind, style));
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
