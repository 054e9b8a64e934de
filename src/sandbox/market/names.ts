import { belowAt, hash, pickAt, unitAt } from "./hash.ts";

/** What a made-up token is called. */
export interface TokenName {
  readonly name: string;
  readonly symbol: string;
}

const STARTS = words(
  "b br c ch cr d dr f fl g gl h j k kr l m n p pl qu r s sh sk sl sn st t th tr v w y z zh",
);
const VOWELS = words("a a a e e i i o o u ai ee oo ou io");
const ENDS = words("n r x l s m t k ro na zo ra ko li mi to vo do ta go");
const CREATURES = words(
  "Frog Cat Dog Shib Ape Otter Panda Wolf Bear Bull Duck Goose Whale Crab Moth Yak Lynx Fox Hamster Penguin",
);
const ADJECTIVES = words(
  "Baby Giga Based Tiny Mega Hyper Lazy Angry Golden Cosmic Wrapped Liquid Frozen Neon Quantum Silent Happy",
);
const SUFFIXES = words(
  "Protocol Finance Network DAO Inu Coin Token Swap Labs AI Cash Chain Games World Credit",
);

/**
 * A few names that clients must survive: letters outside ASCII, wide and zero-width signs, right-to-left text,
 * and symbols that begin with a dollar sign.
 */
export const FOREIGN_NAMES: readonly [TokenName, ...TokenName[]] = [
  { name: "Café Élan", symbol: "CAFÉ" },
  { name: "狗狗币", symbol: "狗币" },
  { name: "Rocket 🚀 Moon", symbol: "🚀MOON" },
  { name: "Ωmega Protocol", symbol: "ΩMG" },
  { name: "Ёжик Coin", symbol: "ЁЖ" },
  { name: "にゃんこ", symbol: "にゃん" },
  { name: "شيبا", symbol: "شيبا" },
  { name: "Tether Lookalike", symbol: "USD₮" },
  { name: "Family 👨‍👩‍👧 Token", symbol: "👨‍👩‍👧" },
  { name: "Smørrebrød", symbol: "$SMØR" },
];

/** Names made by somebody who hopes that a terminal, a spreadsheet or a log believes them. */
export const HOSTILE_NAMES: readonly TokenName[] = [
  { name: "\u001b[31mRed Alert\u001b[0m\u001b]0;owned\u0007", symbol: "\u001b[2JRED" },
  { name: "Safe\u202ednuR\u202c", symbol: "\u202eCDSU" },
  { name: "Line\nBreak\r\nCoin", symbol: "LINE\nB" },
  { name: '=HYPERLINK("https://example.invalid/claim","Claim")', symbol: "=1+1" },
  { name: 'Comma, "Quote" | Pipe\tTab', symbol: "A,B" },
];

export function makeTokenName(key: number): TokenName {
  if (unitAt(key, 0) < 0.012) return pickAt(key, 1, FOREIGN_NAMES);
  const style = unitAt(key, 2);
  if (style < 0.25) {
    const name = `${pickAt(key, 3, ADJECTIVES)} ${pickAt(key, 4, CREATURES)}`;
    return { name, symbol: shorten(name, key) };
  }
  const word = makeWord(key);
  const name = style < 0.6 ? `${word} ${pickAt(key, 5, SUFFIXES)}` : word;
  return { name, symbol: shorten(word, key) };
}

/** A pronounceable word of two or three syllables, first letter large. */
export function makeWord(key: number): string {
  let word = "";
  const syllables = 1 + belowAt(key, 6, 2);
  for (let index = 0; index < syllables; index += 1) {
    const part = hash(key, 7 + index);
    word += pickAt(part, 0, STARTS) + pickAt(part, 1, VOWELS);
  }
  word += pickAt(key, 9, ENDS);
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function shorten(name: string, key: number): string {
  const letters = name.replace(" ", "").toUpperCase();
  const length = 3 + belowAt(key, 10, 4);
  return unitAt(key, 11) < 0.04
    ? `${letters.slice(0, length)}${belowAt(key, 12, 100)}`
    : letters.slice(0, length);
}

function words(text: string): readonly [string, ...string[]] {
  const [first = "", ...rest] = text.split(" ");
  return [first, ...rest];
}
