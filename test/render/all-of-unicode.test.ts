import { describe, expect, test } from "vitest";
import { escapeJsonText, isSafeJson } from "../../src/json/json-text.ts";
import { asciiText, visibleText } from "../../src/render/sanitise.ts";

/**
 * By what Unicode says of a character, where the program has a list of its own: controls, separators of lines, halves
 * of pairs, and what shows nothing. Visible signs of the category Cf stay, and so do variation selectors.
 */
const ACTS_OR_HIDES = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
const STAYS = /\p{Variation_Selector}/u;
const isUnsafe = (character: string): boolean => ACTS_OR_HIDES.test(character) && !STAYS.test(character);

const named = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);
const escapeOf = (character: string, code: number): string =>
  named.get(character) ?? `\\u{${code.toString(16)}}`;

/** The code points for which this does not hold, in hex. `step`: how many are passed over beyond the first plane. */
function exceptions(holds: (character: string, code: number) => boolean, step = 1): readonly string[] {
  const found: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += code > 0xffff ? step : 1) {
    if (!holds(String.fromCodePoint(code), code)) found.push(code.toString(16));
  }
  return found;
}

describe("each of the 1,114,112 code points", () => {
  test("for people: what acts or hides is escaped, all else is as it was", () => {
    const wrong = exceptions((character, code) => {
      const shown = isUnsafe(character) ? escapeOf(character, code) : character;
      return visibleText(`a${character}b`) === `a${shown}b`;
    });
    expect(wrong).toEqual([]);
  });

  test("where the locale is not UTF-8: what is beyond printable ASCII is escaped, all else is as it was", () => {
    const wrong = exceptions((character, code) => {
      const shown = code >= 0x20 && code < 0x7f ? character : escapeOf(character, code);
      return asciiText(`a${character}b`) === `a${shown}b`;
    }, 101);
    expect(wrong).toEqual([]);
  });

  test("in JSON: what acts or hides is escaped and means the same, all else is as it was", () => {
    const wrong = exceptions((character, code) => {
      if (code < 0x20 || character === '"' || character === "\\") return isSafeJson(character);
      const text = `"${character}"`;
      const escaped = escapeJsonText(text);
      if (!isUnsafe(character)) return isSafeJson(text) && escaped === text;
      return (
        !isSafeJson(text) && /^"(?:\\u[\da-f]{4}){1,2}"$/u.test(escaped) && JSON.parse(escaped) === character
      );
    });
    expect(wrong).toEqual([]);
  });
});
