import { expect, test } from "vitest";
import { drawLocalTable } from "../../src/cli/render/table/local-table.ts";

const row = { rows: 3412, checked: "F1 F2 F4 R3 R4 R5 H1 R1 T3 T7 H2 H3", file: "lake/ethereum" };

test("a column that is never hidden moves to a line below", () => {
  const text = drawLocalTable([row], { hasHeader: true, room: 43 }, 3);
  expect(text.split("\n")).toEqual([
    " ROWS  CHECKED",
    "  FILE",
    "3,412  F1 F2 F4 R3 R4 R5 H1 R1 T3 T7 H2 H3",
    "  lake/ethereum",
    "",
  ]);
});

test("another column is hidden if it does not fit", () => {
  const text = drawLocalTable([row], { hasHeader: false, room: 43 });
  expect(text).not.toContain("lake/ethereum");
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(43);
});

test("numbers are aligned to the right, and no rows are no table", () => {
  const rows = [
    { "#": "1", price: "0.0₅855", rows: 7, at: "2026-11-20" },
    { "#": "12", price: "", rows: 3412, at: "7" },
  ];
  expect(drawLocalTable(rows, { hasHeader: true, room: undefined }).split("\n")).toEqual([
    " #    PRICE   ROWS  AT",
    " 1  0.0₅855      7  2026-11-20",
    "12           3,412  7",
    "",
  ]);
  expect(drawLocalTable([], { hasHeader: true, room: undefined })).toBe("");
});
