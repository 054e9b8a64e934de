/** A JSON number without rounding: `digits` × 10^`exponent`. `digits` has no zeros at either end; "" means zero. */
export interface ExactDecimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Parses the grammar of JSON numbers (RFC 8259); undefined for any other text. Takes linear time. */
export function parseExactDecimal(text: string): ExactDecimal | undefined {
  const parts = NUMBER.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts;
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (all.charCodeAt(start) === ZERO) start += 1;
  while (end > start && all.charCodeAt(end - 1) === ZERO) end -= 1;
  if (start === end) return { isNegative: false, digits: "", exponent: 0 };
  // An exponent beyond 2^53 loses precision, but stays far beyond every limit.
  const shift = Number(exponent) - fraction.length + (all.length - end);
  return { isNegative: sign === "-", digits: all.slice(start, end), exponent: shift };
}

/** The integer's digits without an exponent; undefined if it is not an integer or has more than `maxDigits` digits. */
export function integerDigits(text: string, maxDigits: number): string | undefined {
  const decimal = parseExactDecimal(text);
  if (decimal === undefined) return undefined;
  const { isNegative, digits, exponent } = decimal;
  if (digits === "") return "0";
  if (exponent < 0 || digits.length + exponent > maxDigits) return undefined;
  return `${isNegative ? "-" : ""}${digits}${"0".repeat(exponent)}`;
}

/** Whether two JSON numbers have the same value, however they are written. */
export function isSameDecimal(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [parseExactDecimal(one), parseExactDecimal(other)];
  if (a === undefined || b === undefined) return false;
  return a.digits === b.digits && a.exponent === b.exponent && a.isNegative === b.isNegative;
}

const ZERO = 48;
