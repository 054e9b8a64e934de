import { fc } from "../harness/properties.ts";
import { describe, expect, it } from "vitest";
import { drawRows } from "../../src/render/table/draw-rows.ts";
import type { DrawnColumn } from "../../src/render/table/table-lines.ts";
import { asciiText, visibleText } from "../../src/render/sanitize.ts";
import { cutText, textWidth } from "../../src/render/values/width.ts";
import { forbiddenIn } from "./render.ts";

const pieces = fc.oneof(
  fc.constantFrom("a", "Z", "0", "9", " ", ".", ",", "-", "_", "\\", "{", "}", "n", "u"),
  fc.constantFrom(
    "🚀",
    "👩‍👩‍👧",
    "❤️",
    "👍🏽",
    "🇩🇪",
    "1️⃣",
    "世",
    "界",
    "한",
    "ｱ",
    "Ａ",
    "e\u0301",
    "Ž\u0335\u0321",
    "नमस्ते",
    "กำ",
  ),
  fc.constantFrom("שלום", "مرحبا", "\u202e", "\u2066", "\u200b", "\u200d", "\u009b", "\ud800"),
  fc.constantFrom("\u001b", "\n", "\r", "\t", "\u0007"),
);
const texts = fc.oneof(
  fc.string({ unit: pieces, maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 30 }),
);

describe("any texts in a table", () => {
  it.each([
    ["with a UTF-8 locale", visibleText, /^[^\p{Cc}\p{Cs}]*$/u],
    ["with another locale", asciiText, /^[ -~]*$/u],
  ] as const)("%s make rows as wide as the table, without a forbidden byte", (_, safe, allowed) => {
    const columns = fc.array(fc.record({ width: fc.integer({ min: 1, max: 24 }), isRight: fc.boolean() }), {
      minLength: 1,
      maxLength: 5,
    });
    const rows = fc.array(fc.array(texts, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 6 });
    const mark = safe === asciiText ? "..." : "…";
    fc.assert(
      fc.property(columns, rows, fc.boolean(), (shapes, lists, hasHeader) => {
        const drawn: DrawnColumn[] = shapes.map((shape) => ({
          ...shape,
          title: cutText("TITLE", shape.width, ""),
          isWhole: false,
          cutMark: mark,
        }));
        // Spaces at the end of a line are omitted, so the last column marks the end of the line.
        const end: DrawnColumn = { title: "E", width: 3, isRight: true, isWhole: true, cutMark: mark };
        const cells = lists.map((list) => [
          ...list.slice(0, drawn.length).map((text) => ({ text: safe(text), tone: "plain" as const })),
          { text: "end", tone: "plain" as const },
        ]);
        const text = drawRows([...drawn, end], cells, (painted) => painted, hasHeader);
        const width = shapes.reduce((sum, shape) => sum + shape.width + 2, 3);
        const lines = text.split("\n").slice(0, -1);
        expect(lines).toHaveLength(lists.length + Number(hasHeader));
        for (const line of lines) {
          expect(textWidth(line)).toBe(width);
          expect(line).toMatch(allowed);
        }
        expect(forbiddenIn(text)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
