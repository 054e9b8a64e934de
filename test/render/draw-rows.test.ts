import { isLong } from "../harness/long.ts";
import { anyCharacter, fc } from "../harness/properties.ts";
import { describe, expect, it, test } from "vitest";
import type { Paint } from "../../src/cli/render/terminal.ts";
import { drawRows } from "../../src/cli/render/table/list-view.ts";
import { writeLines } from "../../src/cli/render/table/table-section.ts";
import { asciiText, visibleText } from "../../src/base/text/unsafe-text.ts";
import { plain } from "../../src/cli/render/values/cell.ts";
import { cutText, textWidth } from "../../src/cli/render/values/width.ts";
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
  fc.string({ unit: anyCharacter, maxLength: 30 }),
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
      fc.property(columns, rows, fc.constantFrom(drawRows, writeLines), (shapes, lists, draw) => {
        // Spaces at the end of a line are omitted, so the last column marks the end of the line.
        const drawn = [...shapes, { width: 3, isRight: true }];
        const heading = [...shapes.map(({ width }) => cutText("TITLE", width, "")), "E"];
        const safeTexts = lists.map((list) => [
          ...shapes.map(({ width }, index) => cutText(safe(list[index] ?? ""), width, mark)),
          "end",
        ]);
        const cells = [heading, ...safeTexts].map((row) => row.map(plain));
        const text = draw(drawn, cells, (painted) => painted);
        const width = shapes.reduce((sum, shape) => sum + shape.width + 2, 3);
        const lines = text.split("\n").slice(0, -1);
        expect(lines).toHaveLength(lists.length + 1);
        for (const line of lines) {
          expect(textWidth(line)).toBe(width);
          expect(line).toMatch(allowed);
        }
        expect(forbiddenIn(text)).toEqual([]);
      }),
      { numRuns: isLong ? 500 : 150 },
    );
  });
});

test("a table is the same with cli-table3 and without it", () => {
  const cell = fc.record({
    text: fc.oneof(fc.stringMatching(/^[ -~]{0,8}$/u), fc.constantFrom("", "世界", "–", "a…")),
    tone: fc.constantFrom("plain" as const, "up" as const, "heading" as const),
  });
  const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 50 });
  const paint: Paint = (text, tone) => (tone === "plain" ? text : `\u001B[1m${text}\u001B[22m`);
  const columns = [
    { width: 8, isRight: false },
    { width: 9, isRight: true },
    { width: 8, isRight: false },
  ];
  fc.assert(
    fc.property(rows, (cells) => {
      expect(drawRows(columns, cells, paint)).toBe(writeLines(columns, cells, paint));
    }),
  );
});
