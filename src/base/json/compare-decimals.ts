import { parseExactDecimal } from "./exact-decimal.ts";

/** Compares two JSON numbers in all their digits, whatever their exponents. Undefined if a text is not a number. */
export function compareDecimals(one: string, other: string): number | undefined {
  const [a, b] = [parseExactDecimal(one), parseExactDecimal(other)];
  if (a === undefined || b === undefined) return undefined;
  // Rounding to doubles can make different numbers equal, but it never changes their order.
  const [near, nearOther] = [Number(one), Number(other)];
  if (near !== nearOther) return near < nearOther ? -1 : 1;
  if (a.isNegative !== b.isNegative) return a.isNegative ? -1 : 1;
  const larger = a.isNegative ? -1 : 1;
  if (a.digits === "" || b.digits === "")
    return a.digits === b.digits ? 0 : a.digits === "" ? -larger : larger;
  const [width, otherWidth] = [a.digits.length + a.exponent, b.digits.length + b.exponent];
  if (width !== otherWidth) return width < otherWidth ? -larger : larger;
  // Without zeros at either end, digits of equal weight sort like text: "49" < "5" < "51".
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -larger : larger;
}

/** The number of digits before the decimal point when the number is written without an exponent. */
export function wholeDigits(text: string): number {
  const { digits, exponent } = parseExactDecimal(text) ?? { digits: "", exponent: 0 };
  return digits === "" ? 0 : Math.max(0, digits.length + exponent);
}
