import { describe, expect, test } from "vitest";
import { escapeJsonText, isSafeJson } from "../../src/base/json/json-text.ts";
import { asciiText, visibleText } from "../../src/base/text/unsafe-text.ts";
import { isLong } from "../harness/long.ts";

/**
 * Derived from Unicode, while the program has its own list: controls, line separators, lone surrogates, and
 * invisible characters. Visible characters of the category Cf stay, and so do variation selectors.
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

/** Planes 4 to 13 have no characters, and 15 and 16 only private ones: every 101st of each, unless in full length. */
const isUniform = (code: number): boolean => (code > 0x3ffff && code < 0xe0000) || code > 0xeffff;

/**
 * The code points that fail the check, in hex. `step` is the distance between the tested ones beyond the
 * first plane.
 */
function exceptions(holds: (character: string, code: number) => boolean, step = 1): readonly string[] {
  const found: string[] = [];
  const wide = isLong ? 1 : 101;
  for (let code = 0; code <= 0x10ffff; code += isUniform(code) ? wide : code > 0xffff ? step : 1) {
    if (!holds(String.fromCodePoint(code), code)) found.push(code.toString(16));
  }
  return found;
}

describe("all planes of Unicode", () => {
  test("for people: control and invisible characters are escaped, all others are unchanged", () => {
    const wrong = exceptions((character, code) => {
      const shown = isUnsafe(character) ? escapeOf(character, code) : character;
      return visibleText(`a${character}b`) === `a${shown}b`;
    });
    expect(wrong).toEqual([]);
  });

  test("without a UTF-8 locale: characters beyond printable ASCII are escaped, all others are unchanged", () => {
    const wrong = exceptions((character, code) => {
      const shown = code >= 0x20 && code < 0x7f ? character : escapeOf(character, code);
      return asciiText(`a${character}b`) === `a${shown}b`;
    }, 101);
    expect(wrong).toEqual([]);
  });

  test("in JSON: control and invisible characters are escaped with the same meaning, all others are unchanged", () => {
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
