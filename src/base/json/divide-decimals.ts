import { parseExactDecimal, shiftDecimal } from "./exact-decimal.ts";

/**
 * The quotient of two JSON numbers, with `digits` significant digits and without an exponent. Rounds a half away from
 * zero. Undefined if the divisor is zero, or if one of the texts is not a number.
 */
export function divideDecimals(dividend: string, divisor: string, digits: number): string | undefined {
  const [top, bottom] = [parseExactDecimal(dividend), parseExactDecimal(divisor)];
  if (top === undefined || bottom === undefined || bottom.digits === "") return undefined;
  if (top.digits === "") return "0";
  const below = BigInt(bottom.digits);
  // The integer quotient has `digits` digits, or one more if the first digits of the dividend are larger.
  const longer = digits + bottom.digits.length - top.digits.length;
  const shift = quotient(top.digits, below, longer).value.toString().length > digits ? longer - 1 : longer;
  const { value, isRoundedUp } = quotient(top.digits, below, shift);
  const rounded = (isRoundedUp ? value + 1n : value).toString();
  const sign = top.isNegative === bottom.isNegative ? "" : "-";
  return shiftDecimal(sign + rounded, top.exponent - bottom.exponent - shift);
}

function quotient(top: string, below: bigint, shift: number) {
  const [above, divisor] = [
    BigInt(top) * 10n ** BigInt(Math.max(0, shift)),
    below * 10n ** BigInt(Math.max(0, -shift)),
  ];
  return { value: above / divisor, isRoundedUp: (above % divisor) * 2n >= divisor };
}
