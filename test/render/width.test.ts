import { fc } from "../harness/properties.ts";
import { describe, expect, it } from "vitest";
import { ESCAPES, visibleText } from "../../src/base/text/unsafe-text.ts";
import { cutText, takeColumns, textWidth } from "../../src/cli/render/values/width.ts";

describe("the width of a text", () => {
  it.each([
    ["", 0],
    ["WETH", 4],
    ["é", 1],
    ["e\u0301", 1],
    ["Ž\u0335\u0321\u0321\u0321", 1],
    ["世界", 4],
    ["ワールド", 8],
    ["ﾜｰﾙﾄﾞ", 5],
    ["한국", 4],
    ["\u1112\u1161\u11ab", 2],
    ["Ａ", 2],
    ["🚀", 2],
    ["🚀MOON", 6],
    ["👍🏽", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["❤", 1],
    ["1️⃣", 2],
    ["👩‍👩‍👧", 2],
    ["Ωмега", 5],
    ["שלום", 4],
    ["नमस्ते", 4],
    ["กำ", 2],
    ["𠀀", 2],
    ["…", 1],
    ["–", 1],
  ])("of %j is %d", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe("a truncated text", () => {
  it.each([
    ["Wrapped Ether", 13, "Wrapped Ether"],
    ["Wrapped Ether", 10, "Wrapped E…"],
    ["世界世界", 5, "世界…"],
    ["世界世界", 4, "世…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["🚀🚀", 3, "🚀…"],
    ["abc", 0, ""],
    ["👨\\u{200d}👩\\u{200d}👧", 14, "👨\\u{200d}👩…"],
    ["👨\\u{200d}👩\\u{200d}👧", 21, "👨\\u{200d}👩\\u{200d}…"],
    ["ab\\u{202e}cd", 10, "ab…"],
    ["ab\\ncd", 4, "ab…"],
    ["ab\\\\u{202e}", 6, "ab\\\\u…"],
    ["C:\\pool", 5, "C:\\p…"],
  ])("%j to %d columns is %j", (text, width, cut) => {
    expect(cutText(text, width, "…")).toBe(cut);
  });

  it("fits, and is unchanged if it already fitted", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, width) => {
        const cut = cutText(text, width, "...");
        expect(textWidth(cut)).toBeLessThanOrEqual(width);
        if (textWidth(text) <= width) expect(cut).toBe(text);
        expect(text.startsWith(takeColumns(text, width))).toBe(true);
      }),
    );
  });

  it("contains no partial escape", () => {
    const texts = fc.array(fc.constantFrom("a", "世", "\\", "n", "u{", "}", "\n", "\u202e", "\u200d"));
    fc.assert(
      fc.property(texts, fc.nat(20), (parts, width) => {
        const text = parts.join("");
        expect(text.startsWith(unescape(takeColumns(visibleText(text), width)))).toBe(true);
      }),
    );
  });
});

/** Decodes an escaped text as a reader would. */
function unescape(text: string): string {
  return text.replaceAll(ESCAPES, (escape) => {
    const code = /[\da-f]+(?=\})/u.exec(escape)?.[0];
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return { "\\n": "\n", "\\r": "\r", "\\t": "\t" }[escape] ?? "\\";
  });
}
