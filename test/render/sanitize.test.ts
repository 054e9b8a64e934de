import { isLong } from "../harness/long.ts";
import { fc } from "../harness/properties.ts";
import { expect, test } from "vitest";
import { asciiText, visibleText } from "../../src/base/text/unsafe-text.ts";

test.each([
  ["USD Coin", "USD Coin"],
  ["包装以太坊", "包装以太坊"],
  ["🚀❤️👍🏽🇨🇭", "🚀❤️👍🏽🇨🇭"],
  ["ünïcödé e\u0301", "ünïcödé e\u0301"],
  ["العربية", "العربية"],
  ["a\nb\tc\rd", "a\\nb\\tc\\rd"],
  ["\u001b[31mred\u001b[0m", "\\u{1b}[31mred\\u{1b}[0m"],
  ["\u009b31m\u007f\u0000\u0007", "\\u{9b}31m\\u{7f}\\u{0}\\u{7}"],
  ["\u202eCDSU", "\\u{202e}CDSU"],
  ["US\u200bDC\u00ad", "US\\u{200b}DC\\u{ad}"],
  ["👨\u200d👩", "👨\\u{200d}👩"],
  ["\u3164", "\\u{3164}"],
  ["\u{e0055}\u{e0053}", "\\u{e0055}\\u{e0053}"],
  ["\ud83d!\udc00", "\\u{d83d}!\\u{dc00}"],
  ["\u2028\u2029\u0085\u000b\u000c", "\\u{2028}\\u{2029}\\u{85}\\u{b}\\u{c}"],
  // A backslash stays single where no escape could start.
  ["C:\\pool\\x", "C:\\pool\\x"],
  ["¯\\_(ツ)_/¯", "¯\\_(ツ)_/¯"],
  ["\\n", "\\\\n"],
  ["\\u{202e}", "\\\\u{202e}"],
  ["\\u0041", "\\u0041"],
  ["\\\n", "\\\\\\n"],
  ["\\\\a", "\\\\\\a"],
])("%j is shown as %j", (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

const texts = fc.string({
  unit: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "\\",
        "n",
        "r",
        "t",
        "u",
        "{",
        "}",
        "2",
        "0",
        "\n",
        "\r",
        "\u202e",
        "\u{e0041}",
        "\ud800",
      ),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)) },
  ),
});

test("no character that controls the terminal, is invisible or breaks the line remains", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const shown = visibleText(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(shown).not.toMatch(
        /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u,
      );
    }),
    { numRuns: isLong ? 5000 : 1500 },
  );
});

test("different texts are shown differently, so the original can be recovered", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(readBack(visibleText(text))).toBe(text);
      expect(readBack(asciiText(text))).toBe(text);
      expect(asciiText(text)).toMatch(/^[ -~]*$/u);
    }),
    { numRuns: isLong ? 10_000 : 2000 },
  );
});

const NAMED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\" };

function readBack(shown: string): string {
  return shown.replace(
    /\\(?:([nrt\\])|u\{([\da-f]+)\})/gu,
    (_, name: string | undefined, code: string | undefined) =>
      name === undefined ? String.fromCodePoint(Number.parseInt(code ?? "", 16)) : (NAMED[name] ?? ""),
  );
}
