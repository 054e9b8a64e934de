import { intervals, madeIntervals } from "../../api/endpoints/ohlcv.ts";
import { writeUtc } from "../../base/time/time.ts";
import { compareDecimals } from "../../base/json/exact-decimal.ts";
import { createTimeReader } from "./row.ts";
import type { RowCheck, Subject } from "./row-checks.ts";
import type { RuleId } from "../verify-rules.ts";
import { intervalSeconds, intervalStart } from "../../client/candle-windows.ts";

const prices = ["open", "high", "low", "close"] as const;

/** C1 and H3. */
export function checkPrices({ kind, report }: Subject): RowCheck | undefined {
  if (kind.name !== "candle") return undefined;
  return {
    rules: ["C1", "H3"],
    see: (row) => {
      const { line } = row;
      if (row.text("partial") === "true")
        report("H3", { line, field: "partial", expected: "a complete candle", found: "a partial candle" });
      const [open, high, low, close] = prices.map((name) => row.text(name) ?? "");
      const pairs = [
        ["low", "0", low, "more than 0"],
        ["open", low, open, `at least low ${low}`],
        ["close", low, close, `at least low ${low}`],
        ["open", open, high, `at most high ${high}`],
        ["close", close, high, `at most high ${high}`],
      ] as const;
      const wrong = pairs.find(([field, less, more]) => {
        const order = compareDecimals(less ?? "", more ?? "");
        return order !== undefined && (order > 0 || (order === 0 && field === "low"));
      });
      if (wrong === undefined) return;
      const [field, , , expected] = wrong;
      report("C1", { line, field, expected, found: row.text(field) ?? "" });
    },
  };
}

interface Slot {
  readonly line: number;
  readonly asset: string;
  /** In Unix seconds. */
  readonly open: number;
  readonly close: number | undefined;
  readonly isExact: boolean;
  /** Whether the row above could not be read, so that it is not known what is missing between them. */
  readonly isAfterGap: boolean;
}

const lengths: ReadonlySet<number> = new Set(
  [...intervals, ...Object.keys(madeIntervals)].map(intervalSeconds),
);
/** Enough to recognize the interval if the receipt does not name it. */
const sampleRows = 1000;
const maxGaps = 1000;

/** C2, and H1 in files with filled candles, where every interval has a row. Gaps before the first filled one count, too. */
export function checkIntervals({ kind, query, report }: Subject): RowCheck | undefined {
  if (kind.name !== "candle") return undefined;
  const asked = query?.asked?.["interval"];
  const named = typeof asked === "string" ? intervalSeconds(asked) : Number.NaN;
  let interval = Number.isNaN(named) ? undefined : named;
  const timeOf = createTimeReader("time_close");
  let sample: Slot[] = [];
  let [hasFilled, hasSkipped] = [false, false];
  const last = new Map<string, number>();
  const gaps: { readonly line: number; readonly expected: string; readonly found: string }[] = [];
  const wrong = (line: number, field: string, expected: string, found: number): void =>
    report("C2", { line, field, expected, found: `${writeUtc(found)}Z` });
  const check = ({ line, asset, open, close, isExact, isAfterGap }: Slot, length: number): void => {
    const before = last.get(asset);
    last.set(asset, open);
    if (before !== undefined && !isAfterGap && open - before > length && gaps.length < maxGaps)
      gaps.push({ line, expected: `${writeUtc(before + length)}Z`, found: `${writeUtc(open)}Z` });
    if (intervalStart(open, length) !== open || !isExact)
      wrong(line, "time_open", `a multiple of ${length}s`, open);
    else if (close !== undefined && close - open !== length && close - open !== length - 1)
      wrong(line, "time_close", `${writeUtc(open + length)}Z`, close);
  };
  const flush = (): void => {
    const length = interval ?? mostCommonLength(sample);
    interval = length;
    if (length !== undefined) for (const slot of sample) check(slot, length);
    sample = [];
  };
  return {
    /** Without filled rows, an interval may have had no trade. */
    get rules(): readonly RuleId[] {
      return hasFilled ? ["H1", "C2"] : ["C2"];
    },
    see: (row, { time, asset }) => {
      if (row.text("filled") === "true") hasFilled = true;
      if (time === undefined) return;
      const slot = {
        line: row.line,
        asset,
        open: time.seconds,
        close: timeOf(row)?.seconds,
        isExact: time.fraction === "",
        isAfterGap: hasSkipped,
      };
      hasSkipped = false;
      if (interval !== undefined && sample.length === 0) check(slot, interval);
      else if (sample.push(slot) >= sampleRows) flush();
    },
    skip: () => {
      hasSkipped = true;
    },
    end: () => {
      flush();
      if (hasFilled) for (const gap of gaps) report("H1", { ...gap, field: "time_open" });
    },
  };
}

/** From the times of closing, or else from the steps between candles. */
function mostCommonLength(slots: readonly Slot[]): number | undefined {
  const counts = new Map<number, number>();
  for (const [index, { open, close, asset }] of slots.entries()) {
    const next = slots[index + 1];
    const step = next?.asset === asset ? next.open - open : undefined;
    const length = close === undefined ? step : lengths.has(close - open) ? close - open : close - open + 1;
    if (length !== undefined && lengths.has(length)) counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}
