import { hash } from "./hash.ts";
import type { AddressFamily } from "../well-known.ts";

const HEX = "0123456789abcdef";
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

export function makeAddress(family: AddressFamily, key: number): string {
  switch (family) {
    case "evm":
      return `0x${letters(key, 40, HEX)}`;
    case "solana":
      return base58Bytes32(key);
    case "sui":
    case "aptos":
      return makeHash64(key);
    case "tron":
      return `T${letters(key, 33, BASE58)}`;
    case "ton":
      return `EQ${letters(key, 46, BASE64URL)}`;
  }
}

/** An EVM hash, a Uniswap V4 pool ID, or a Move address. */
export function makeHash64(key: number): string {
  return `0x${letters(key, 64, HEX)}`;
}

/** The prefix of a hexadecimal hash. The other families use base58. */
const hexPrefixes: Partial<Record<AddressFamily, string>> = { evm: "0x", aptos: "0x", tron: "", ton: "" };

export function makeBlockHash(family: AddressFamily, key: number): string {
  const prefix = hexPrefixes[family];
  return prefix === undefined ? base58Bytes32(key) : `${prefix}${letters(key, 64, HEX)}`;
}

/** The ID contains `word` (32 bits), so that `readTransactionWord` can locate the transaction without a search. */
export function makeTransactionId(family: AddressFamily, word: number, key: number): string {
  const prefix = hexPrefixes[family];
  if (prefix !== undefined) {
    const digits = (word >>> 0).toString(16).padStart(8, "0");
    return `${prefix}${digits}${letters(key, 56, HEX)}`;
  }
  // 64 bytes in base58 usually have 88 digits, and the first digit is 5 or less. Sui has 32 bytes.
  const [firstDigits, rest] = family === "solana" ? [4, 81] : [16, 37];
  return `${BASE58.charAt(1 + (key & (firstDigits - 1)))}${base58Word(word)}${letters(key, rest, BASE58)}`;
}

/** Undefined if the text cannot be such an ID. */
export function readTransactionWord(family: AddressFamily, id: string): number | undefined {
  const prefix = hexPrefixes[family];
  if (prefix === undefined) return readBase58Word(id.slice(1, 7));
  const digits = id.slice(prefix.length, prefix.length + 8);
  return /^[0-9a-f]{8}$/.test(digits) ? Number.parseInt(digits, 16) | 0 : undefined;
}

/** 32 bytes in base58 have 43 or 44 digits. With 44 digits, a first digit of up to J stays below 2^256. */
function base58Bytes32(key: number): string {
  const first = hash(key, -2) >>> 0;
  const rest = letters(key, 42, BASE58);
  return (first & 3) === 0
    ? `${BASE58.charAt(1 + ((first >>> 8) % 57))}${rest}`
    : `${BASE58.charAt(1 + ((first >>> 8) % 16))}${BASE58.charAt((first >>> 16) % 58)}${rest}`;
}

function base58Word(word: number): string {
  let digits = "";
  let left = word >>> 0;
  for (let index = 0; index < 6; index += 1) {
    digits += BASE58.charAt(left % 58);
    left = Math.floor(left / 58);
  }
  return digits;
}

function readBase58Word(text: string): number | undefined {
  if (text.length !== 6) return undefined;
  let word = 0;
  for (let index = 5; index >= 0; index -= 1) {
    const digit = BASE58.indexOf(text.charAt(index));
    if (digit < 0) return undefined;
    word = word * 58 + digit;
  }
  return word < 2 ** 32 ? word | 0 : undefined;
}

const codes = Buffer.alloc(128);

/** Uses several digits per hash, no concatenation and one buffer, because a network has thousands of addresses. */
function letters(key: number, count: number, digits: string): string {
  // How many digits can be derived from 32 random bits.
  const digitsPerWord = Math.floor(32 / Math.log2(digits.length));
  let word = 0;
  for (let index = 0; index < count; index += 1) {
    if (index % digitsPerWord === 0) word = hash(key, index / digitsPerWord) >>> 0;
    const rest = Math.floor(word / digits.length);
    codes[index] = digits.charCodeAt(word - rest * digits.length);
    word = rest;
  }
  return codes.toString("latin1", 0, count);
}
