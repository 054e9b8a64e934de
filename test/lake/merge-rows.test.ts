import { describe, expect, test } from "vitest";
import { type LakeRow, readLakeRow, mergeRows } from "../../src/lake/periods/lake-rows.ts";
import { createComparison } from "../../src/lake/periods/publish-period.ts";

const day = { from: 1_700_006_400, to: 1_700_092_800 };
const dataset = { kind: "transactions", interval: undefined } as const;

/** A row at this many hours of the day. `note` is a value that a later version may change. */
function row(hour: number, note = ""): LakeRow {
  const created_at = new Date((day.from + hour * 3600) * 1000).toISOString();
  return readLakeRow("transactions", JSON.stringify({ id: `0x${hour}`, log_index: 1, created_at, note }));
}

const textsOf = (rows: readonly LakeRow[]): readonly string[] => rows.map(({ text }) => text);

/** The service lists new rows first. */
function merge(before: readonly LakeRow[], read: readonly LakeRow[], from: number, isProven: boolean) {
  const part = { from: day.from + from * 3600, to: day.to, present: day.to, isProven };
  return mergeRows(dataset, day, before, read.toReversed(), part, Number.POSITIVE_INFINITY);
}

describe("rows of a file, and rows that were read again", () => {
  test("a list that is not proved replaces what it has, and keeps what it lacks", () => {
    const { rows, absent } = merge([row(1), row(2), row(3)], [row(2, "new"), row(4)], 0, false);
    expect(textsOf(rows)).toEqual(textsOf([row(1), row(2, "new"), row(3), row(4)]));
    expect(absent).toEqual([]);
  });

  test("a proved list is all there is in its part; what it lacks is absent", () => {
    const { rows, absent } = merge([row(1), row(2), row(3)], [row(2, "new"), row(4)], 0, true);
    expect(textsOf(rows)).toEqual(textsOf([row(2, "new"), row(4)]));
    expect(textsOf(absent)).toEqual(textsOf([row(1), row(3)]));
  });

  test.each([true, false])("rows before the part stay (proved: %s)", (isProven) => {
    const { rows, absent, reread } = merge([row(1), row(5)], [row(5), row(6)], 4, isProven);
    expect(textsOf(rows)).toEqual(textsOf([row(1), row(5), row(6)]));
    expect({ absent, reread: textsOf(reread) }).toEqual({ absent: [], reread: textsOf([row(5)]) });
  });

  test("a row at the end of the part is the next part's", () => {
    const part = { from: day.from, to: day.from + 2 * 3600, present: day.to, isProven: true };
    const { rows, absent } = mergeRows(dataset, day, [row(2, "old")], [row(2), row(1)], part, day.to);
    expect({ rows: textsOf(rows), absent }).toEqual({ rows: textsOf([row(1), row(2, "old")]), absent: [] });
  });

  test("the same row twice is one, and two versions of it are both kept and counted", () => {
    const { rows, twins } = merge([], [row(1), row(1), row(2), row(2, "other")], 0, true);
    expect({ rows: textsOf(rows), twins }).toEqual({
      rows: textsOf([row(1), row(2), row(2, "other")]),
      twins: 1,
    });
  });

  test("a transaction up to a minute ahead is taken, and a candle only when it is over", () => {
    const present = day.from + 2 * 3600;
    const part = { from: day.from, to: undefined, present: present - 60, isProven: true };
    expect(textsOf(mergeRows(dataset, day, [], [row(2)], part, day.to).rows)).toEqual(textsOf([row(2)]));
    const early = { ...part, present: present - 61 };
    expect(mergeRows(dataset, day, [], [row(2)], early, day.to).rows).toEqual([]);
    const candles = { kind: "ohlcv", interval: "1h" } as const;
    const time_open = new Date((present - 3600) * 1000).toISOString();
    const candle = readLakeRow("ohlcv", JSON.stringify({ time_open }));
    for (const [now, rows] of [
      [present - 1, []],
      [present, [candle]],
    ] as const)
      expect(mergeRows(candles, day, [], [candle], { ...part, present: now }, day.to).rows).toEqual(rows);
  });

  test("a row from the future waits for a later run", () => {
    const part = { from: day.from, to: undefined, present: day.from + 3600, isProven: true };
    const { rows } = mergeRows(dataset, day, [], [row(2), row(1)], part, day.to);
    expect(textsOf(rows)).toEqual(textsOf([row(1)]));
  });
});

test("rows that are read again are revised or withdrawn; new ones are neither", () => {
  const { see, counts } = createComparison({ kind: "transactions" }, [row(1), row(2), row(3)]);
  for (const { text } of [row(1), row(2, "new"), row(4), row(5)]) see(text);
  expect(counts()).toEqual({ revised: 1, withdrawn: 1 });
});
