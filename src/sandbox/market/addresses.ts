import { hash } from "./hash.ts";
import type { AddressFamily } from "./types.ts";

const BASE58_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE64_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const BASE58 = makeAlphabet(BASE58_DIGITS);
const BASE64URL = makeAlphabet(BASE64_DIGITS);

/** A pool, token, trader or factory address in the family's form. */
export function makeAddress(family: AddressFamily, key: number): string {
  switch (family) {
    case "evm":
      return `0x${hexDigits(key, 40)}`;
    case "solana":
      return base58Bytes32(key);
    case "sui":
    case "aptos":
      return `0x${hexDigits(key, 64)}`;
    case "tron":
      return `T${letters(key, 33, BASE58)}`;
    case "ton":
      return `EQ${letters(key, 46, BASE64URL)}`;
  }
}

/** The longer form of a Move coin's id: the module that defines it, and its type. */
export function makeCoinType(key: number, moduleName: string): string {
  return `0x${hexDigits(key, 64)}::${moduleName}::Coin`;
}

/** 0x and 64 digits: an EVM hash, or a Uniswap V4 pool id. */
export function makeHash64(key: number): string {
  return `0x${hexDigits(key, 64)}`;
}

export function makeBlockHash(family: AddressFamily, key: number): string {
  switch (family) {
    case "evm":
    case "aptos":
      return makeHash64(key);
    case "solana":
    case "sui":
      return base58Bytes32(key);
    case "tron":
    case "ton":
      return hexDigits(key, 64);
  }
}

/**
 * A transaction id that carries `word` (32 bits) in the open, so that `readTransactionWord` finds the
 * transaction again without a search; the other digits come from the key.
 */
export function makeTransactionId(family: AddressFamily, word: number, key: number): string {
  switch (family) {
    case "evm":
    case "aptos":
      return `0x${hexWord(word)}${hexDigits(key, 56)}`;
    case "tron":
    case "ton":
      return `${hexWord(word)}${hexDigits(key, 56)}`;
    case "solana":
      // 64 bytes are 88 digits with a first digit of at most 5, mostly.
      return `${BASE58_DIGITS.charAt(1 + (key & 3))}${base58Word(word)}${letters(key, 81, BASE58)}`;
    case "sui":
      return `${BASE58_DIGITS.charAt(1 + (key & 15))}${base58Word(word)}${letters(key, 37, BASE58)}`;
  }
}

/** The word of `makeTransactionId`; undefined when the text cannot be such an id. */
export function readTransactionWord(family: AddressFamily, id: string): number | undefined {
  switch (family) {
    case "evm":
    case "aptos":
      return readHexWord(id.slice(2, 10));
    case "tron":
    case "ton":
      return readHexWord(id.slice(0, 8));
    case "solana":
    case "sui":
      return readBase58Word(id.slice(1, 7));
  }
}

/** Whole words of eight digits, the lowest digit first: what `letters` would give for a base of 16, without its divisions. */
function hexDigits(key: number, count: number): string {
  let digits = "";
  for (let next = 0; digits.length < count; next += 1) {
    const word = hash(key, next);
    digits += `${PAIRS[word & 255]}${PAIRS[(word >>> 8) & 255]}${PAIRS[(word >>> 16) & 255]}${PAIRS[word >>> 24]}`;
  }
  return digits;
}

/** The two digits of a byte, the lower one first. */
const PAIRS: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => (byte & 15).toString(16) + (byte >>> 4).toString(16),
);

function hexWord(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}

function readHexWord(text: string): number | undefined {
  return /^[0-9a-f]{8}$/.test(text) ? Number.parseInt(text, 16) | 0 : undefined;
}

/** 32 bytes in base58 are 43 or 44 digits; 44 digits stay below 2^256 up to a first digit of J. */
function base58Bytes32(key: number): string {
  const first = hash(key, -2) >>> 0;
  const rest = letters(key, 42, BASE58);
  return (first & 3) === 0
    ? `${BASE58_DIGITS.charAt(1 + ((first >>> 8) % 57))}${rest}`
    : `${BASE58_DIGITS.charAt(1 + ((first >>> 8) % 16))}${BASE58_DIGITS.charAt((first >>> 16) % 58)}${rest}`;
}

function base58Word(word: number): string {
  let digits = "";
  let left = word >>> 0;
  for (let index = 0; index < 6; index += 1) {
    digits += BASE58_DIGITS.charAt(left % 58);
    left = Math.floor(left / 58);
  }
  return digits;
}

function readBase58Word(text: string): number | undefined {
  if (text.length !== 6) return undefined;
  let word = 0;
  for (let index = 5; index >= 0; index -= 1) {
    const digit = BASE58_DIGITS.indexOf(text.charAt(index));
    if (digit < 0) return undefined;
    word = word * 58 + digit;
  }
  return word < 2 ** 32 ? word | 0 : undefined;
}

/**
 * Thousands of addresses are made when a network is first asked for, so this fills character codes and makes the
 * string at once: six times faster than adding up pieces.
 */
function letters(key: number, count: number, alphabet: Alphabet): string {
  const { codes, digitsPerWord } = alphabet;
  const size = codes.length;
  const spelt: number[] = [];
  let word = 0;
  let left = 0;
  let next = 0;
  for (let index = 0; index < count; index += 1) {
    if (left === 0) {
      word = hash(key, next) >>> 0;
      next += 1;
      left = digitsPerWord;
    }
    left -= 1;
    const digit = word % size;
    spelt.push(codes[digit] ?? 0);
    word = (word - digit) / size;
  }
  return String.fromCharCode.apply(undefined, spelt);
}

interface Alphabet {
  readonly codes: readonly number[];
  /** Digits that 32 random bits can choose. */
  readonly digitsPerWord: number;
}

function makeAlphabet(digits: string): Alphabet {
  const codes = Array.from(digits, (digit) => digit.charCodeAt(0));
  return { codes, digitsPerWord: Math.floor(32 / Math.log2(codes.length)) };
}
