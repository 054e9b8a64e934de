import { type ExactDecimal, parseExactDecimal, widthOf } from "./exact-decimal.ts";

/** Compares two JSON numbers in all their digits, whatever their exponents. Undefined if a text is not a number. */
export function compareDecimals(one: string, other: string): number | undefined {
  const [a, b] = [parseExactDecimal(one), parseExactDecimal(other)];
  if (a === undefined || b === undefined) return undefined;
  // Rounding to doubles can make different numbers equal, but it never changes their order.
  const [near, nearOther] = [Number(one), Number(other)];
  if (near !== nearOther) return near < nearOther ? -1 : 1;
  return compareExact(a, b);
}

/** Negative, 0 or positive, as the first one is smaller, equal or larger. */
export function compareExact(one: ExactDecimal, other: ExactDecimal): number {
  const [a, b] = [signOf(one), signOf(other)];
  if (a !== b || a === 0) return a - b;
  const [width, otherWidth] = [widthOf(one), widthOf(other)];
  if (width !== otherWidth) return width > otherWidth ? a : -a;
  // Without zeros at either end, digits of equal weight sort like text: "49" < "5" < "51".
  if (one.digits === other.digits) return 0;
  return one.digits > other.digits ? a : -a;
}

/** Whether the exponent is small enough for a double, so that `compareExact` is exact. */
export function hasExactExponent(decimal: ExactDecimal): boolean {
  return Number.isSafeInteger(widthOf(decimal));
}

const [ZERO, POINT] = [0x30, 0x2e];

/** Whether a number in the bytes is certainly between two others that were rounded to doubles. Never true in doubt. */
export function isBetween(bytes: Uint8Array, from: number, to: number, low: number, high: number): boolean {
  // Both stay exact, and other digits of the fraction are only checked.
  let [digits, scale, at] = [0, 1, from];
  for (let digit = digitAt(bytes, at); at < to && digit <= 9 && digits < 1e8; digit = digitAt(bytes, at)) {
    digits = 10 * digits + digit;
    at += 1;
  }
  if (at < to && bytes[at] !== POINT) return false;
  for (at += 1; at < to; at += 1) {
    const digit = digitAt(bytes, at);
    if (digit > 9) return false;
    if (digits >= 1e8 || scale >= 1e22) continue;
    digits = 10 * digits + digit;
    scale *= 10;
  }
  return from < to && digits / scale > low && (digits + 1) / scale < high;
}

/** More than 9 for any other byte. */
const digitAt = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) ^ ZERO;

/** The nearest double. Rounding can make different numbers equal, but it never changes their order. */
export function toDouble({ isNegative, digits, exponent }: ExactDecimal): number {
  return Number(`${isNegative ? "-" : ""}0${digits}e${exponent}`);
}

function signOf({ digits, isNegative }: ExactDecimal): -1 | 0 | 1 {
  if (digits === "") return 0;
  return isNegative ? -1 : 1;
}

/** The number of digits before the decimal point when the number is written without an exponent. */
export function wholeDigits(text: string): number {
  const { digits, exponent } = parseExactDecimal(text) ?? { digits: "", exponent: 0 };
  return digits === "" ? 0 : Math.max(0, digits.length + exponent);
}
