import { describe, expect, test } from "vitest";
import { HashTable } from "../../src/client/seen-keys.ts";

type Words = readonly [high: number, low: number];

/** Makes the table grow more than once. */
const many = 5000;
const spread = (index: number): number => Math.imul(index, 0x9e37_79b1);
/** Sets of hashes, by their position in the table. */
const kinds: Record<string, (index: number) => Words> = {
  "all over the table": (index) => [spread(index + 1), spread(index ^ 0x5555)],
  "in one of its places": (index) => [index % 1000, (index / 1000) | 0],
  "in its last place": (index) => [index, index % 3 === 0 ? -1 : spread(index)],
  "in its first place and its last": (index) => [
    spread(index),
    index % 4 < 2 ? spread(index) : (index % 4) - 3,
  ],
};

describe.each(Object.entries(kinds))("hashes that belong %s", (_, wordsOf) => {
  const all = Array.from({ length: many }, (__, index) => wordsOf(index));
  const known = (hashes: readonly Words[]): number =>
    new Set(hashes.map(([high, low]) => `${high || 1} ${low}`)).size;

  test("are new once each, also while the table grows", () => {
    const table = new HashTable();
    const added = all.filter(([high, low]) => table.add(high, low));
    expect([added.length, table.size]).toEqual([known(all), known(all)]);
    expect(all.filter(([high, low]) => table.add(high, low))).toEqual([]);
  });

  test("are distinguished from hashes that were not added", () => {
    const table = new HashTable();
    const [some, others] = [all.slice(0, many / 2), all.slice(many / 2)];
    for (const [high, low] of some) table.add(high, low);
    expect(some.filter(([high, low]) => !table.has(high, low))).toEqual([]);
    const told = others.filter(([high, low]) => !table.has(high, low));
    expect(known(told)).toBe(known(all) - known(some));
  });

  test("are new again after the table is cleared", () => {
    const table = new HashTable();
    for (const [high, low] of all) table.add(high, low);
    table.clear();
    expect(table.size).toBe(0);
    expect(all.filter(([high, low]) => table.has(high, low))).toEqual([]);
    expect(all.filter(([high, low]) => table.add(high, low))).toHaveLength(known(all));
  });
});
