import { type ExactDecimal, isDecimal, parseExactDecimal, widthOf } from "./exact-decimal.ts";

/** A JSON number and the double that is nearest to it. */
export interface NearDecimal {
  readonly text: string;
  readonly near: number;
}

/** Undefined if the text is not a number. */
export const nearDecimal = (text: string): NearDecimal | undefined =>
  isDecimal(text) ? { text, near: Number(text) } : undefined;

/** Compares two JSON numbers in all their digits, whatever their exponents. Undefined if a text is not a number. */
export function compareDecimals(one: string, other: string): number | undefined {
  const [a, b] = [nearDecimal(one), nearDecimal(other)];
  return a && b && compareNear(a, b);
}

/** Undefined if the exponents are too large to compare. */
export function compareNear(one: NearDecimal, other: NearDecimal): number | undefined {
  // Rounding to doubles can make different numbers equal, but it never changes their order.
  if (one.near !== other.near) return one.near < other.near ? -1 : 1;
  const [a, b] = [parseExactDecimal(one.text), parseExactDecimal(other.text)];
  return a && b && hasExactExponent(a) && hasExactExponent(b) ? compareExact(a, b) : undefined;
}

/** Negative, 0 or positive, as the first one is smaller, equal or larger. */
function compareExact(one: ExactDecimal, other: ExactDecimal): number {
  const [a, b] = [signOf(one), signOf(other)];
  if (a !== b || a === 0) return a - b;
  const [width, otherWidth] = [widthOf(one), widthOf(other)];
  if (width !== otherWidth) return width > otherWidth ? a : -a;
  // Without zeros at either end, digits of equal weight sort like text: "49" < "5" < "51".
  if (one.digits === other.digits) return 0;
  return one.digits > other.digits ? a : -a;
}

/** Whether the exponent is small enough for a double, so that `compareExact` is exact. */
function hasExactExponent(decimal: ExactDecimal): boolean {
  return Number.isSafeInteger(widthOf(decimal));
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
