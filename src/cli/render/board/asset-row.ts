import { member } from "../../../base/json/json-scan.ts";
import { showTrade } from "../values/trade.ts";
import { blank, type Cell, type CellStyle, noValue, showCell } from "../values/cell.ts";
import { percentBetween } from "../values/decimal.ts";
import { comparableAddress } from "../../../client/subject.ts";
import type { ShownValue } from "../../../api/feed.ts";

export type AssetRow = ReturnType<typeof createAssetRow>;

export interface NamedRow {
  /** `network:address` */
  readonly asset: string;
  readonly label: string | undefined;
  readonly row: AssetRow;
}

/** `asset` is its address. */
export function createAssetRow(shown: readonly ShownValue[], style: CellStyle, start: number, asset: string) {
  const rate = createRate();
  const history = createHistory(start);
  let cells: readonly Cell[] = [noValue(style), ...shown.slice(1).map(() => blank)];
  let [first, last]: [number | undefined, number | undefined] = [undefined, undefined];

  return {
    /** `event` is the event's data. Its network applies to the tokens of a trade. */
    update: (event: object, network: string, elapsed: number): void => {
      rate.count(elapsed);
      const { findAsset } = style;
      const styled =
        findAsset === undefined
          ? style
          : { ...style, findAsset: (address: string) => findAsset(address, network) };
      const values = shown.map(({ names, shows }) =>
        numericAt(event, shows === "own side" ? namesOfSide(event, names, asset) : names),
      );
      // As sent, because a double would show digits that the service never sent.
      cells = shown.map(({ reads, shows }, index) =>
        shows === undefined || shows === "own side"
          ? showCell(values[index], reads, style)
          : showTrade(event, shows, styled),
      );
      // Precise enough for the direction of change and the sparkline.
      const value = Number(values[0]);
      if (values[0] === undefined || !Number.isFinite(value)) return;
      first ??= value;
      last = value;
      history.add(value, elapsed);
    },
    /** Starts with the main value; empty before the first event. */
    values: () => cells,
    change: (): Cell => {
      if (first === undefined || last === undefined || first === 0) return blank;
      return showCell(percentBetween(first, last), "change", style);
    },
    /** For sorting; what is unknown comes last. */
    numbers: (elapsed: number) => ({
      value: last ?? -Infinity,
      change: first === undefined || last === undefined || first === 0 ? -Infinity : last / first,
      updates: rate.lastMinute(elapsed),
    }),
    updates: (elapsed: number): Cell => {
      const count = rate.lastMinute(elapsed);
      return count === 0 && last === undefined ? blank : showCell(count, "count", style);
    },
    course: history.course,
  };
}

/** Empty if the event is not about the asset. */
function namesOfSide(event: object, names: readonly string[], address: string): readonly string[] {
  return names.filter((_, side) => {
    const token = member(event, `token_${side}`);
    return typeof token === "string" && comparableAddress(token) === comparableAddress(address);
  });
}

function numericAt(event: object, names: readonly string[]): string | number | bigint | undefined {
  return names
    .map((name) => member(event, name))
    .find((value) => typeof value === "string" || typeof value === "number" || typeof value === "bigint");
}

/** As many as the widest sparkline can show. */
const slots = 60;
/** Slot length in milliseconds. The history first covers a minute and grows to an hour. */
const [shortest, longest] = [1000, 64_000];

/** The history since the start or over the last hour, in constant memory: when all slots are used, pairs are merged. */
function createHistory(start: number) {
  let size = shortest;
  /** The slots so far. The last of them have values. */
  let count = 0;
  let values: number[] = [];

  /** The last value is then that of this time. A slot without a value repeats the previous one. */
  const fillUntil = (elapsed: number): void => {
    while (elapsed - start >= slots * size && size < longest) {
      // The later value of each pair, or the last value if it has no pair.
      values = values.filter((_, index) => index % 2 === 1 || index === values.length - 1);
      count = values.length;
      size *= 2;
    }
    const slot = Math.max(0, Math.floor((elapsed - start) / size));
    for (; count <= slot; count += 1) values.push(values.at(-1) ?? Number.NaN);
    values = values.slice(-slots);
  };

  return {
    add: (value: number, elapsed: number): void => {
      fillUntil(elapsed);
      values[values.length - 1] = value;
    },
    /** Returns up to `most` values, oldest first. */
    course: (most: number, elapsed: number): readonly number[] => {
      fillUntil(elapsed);
      const known = values.filter((value) => !Number.isNaN(value));
      const step = Math.max(1, known.length / most);
      const length = Math.min(most, known.length);
      return Array.from({ length }, (_, index) => known[Math.ceil((index + 1) * step) - 1] ?? Number.NaN);
    },
  };
}

const minute = 60;

/** Counts events in the last minute with one counter per second. */
function createRate() {
  const counts = new Map<number, number>();
  const forget = (second: number): void => {
    for (const each of counts.keys()) if (each <= second - minute) counts.delete(each);
  };
  return {
    count: (elapsed: number): void => {
      const second = Math.floor(elapsed / 1000);
      if (!counts.has(second)) forget(second);
      counts.set(second, (counts.get(second) ?? 0) + 1);
    },
    lastMinute: (elapsed: number): number => {
      forget(Math.floor(elapsed / 1000));
      return [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
  };
}
