/** A JSON number without rounding: `digits` × 10^`exponent`. `digits` has no zeros at either end; "" means zero. */
export interface ExactDecimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

export const isDecimal = (text: string): boolean => NUMBER.test(text);

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

const ZERO = 48;

/** No price or amount needs a larger exponent, and writing out its zeros would use too much memory. */
const maxExponent = 1000;

/** Returns the number times 10^`shift`, with every digit and without an exponent; undefined if it is not a number. */
export function shiftDecimal(text: string, shift: number): string | undefined {
  const decimal = parseExactDecimal(text);
  const shifted = decimal && { ...decimal, exponent: decimal.exponent + shift };
  return shifted === undefined || isTooLong(shifted) ? undefined : writeDecimal(shifted);
}

/** Returns the sum of JSON numbers, with every digit and without an exponent; undefined if one is not a number. */
export function sumDecimals(texts: readonly string[]): string | undefined {
  const decimals = texts.map(parseExactDecimal).filter((each) => each !== undefined);
  const scale = Math.min(0, ...decimals.map(({ exponent }) => exponent));
  if (decimals.length < texts.length || decimals.some(isTooLong)) return undefined;
  const sum = decimals.reduce((total, { isNegative, digits, exponent }) => {
    const units = BigInt(digits) * 10n ** BigInt(exponent - scale);
    return isNegative ? total - units : total + units;
  }, 0n);
  return shiftDecimal(String(sum), scale);
}

const isTooLong = ({ digits, exponent }: ExactDecimal): boolean =>
  digits !== "" && Math.abs(exponent) > maxExponent;

/** The number of digits before the decimal point; not positive for a number below 1. */
export const widthOf = ({ digits, exponent }: ExactDecimal): number => digits.length + exponent;

/** Writes all digits, never an exponent. */
export function writeDecimal(decimal: ExactDecimal, leastPlaces = 0, separator = ""): string {
  const { isNegative, digits } = decimal;
  // The exponent of zero has no meaning.
  const width = digits === "" ? 0 : widthOf(decimal);
  const whole = width > 0 ? digits.slice(0, width).padEnd(width, "0") : "0";
  const rest = width > 0 || digits === "" ? digits.slice(width) : "0".repeat(-width) + digits;
  const fraction = rest.padEnd(leastPlaces, "0");
  const grouped = separator === "" ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, separator);
  const sign = isNegative && digits !== "" ? "-" : "";
  return `${sign}${grouped}${fraction === "" ? "" : `.${fraction}`}`;
}

/** Compares two JSON numbers by all of their digits. Undefined if a text is not a number, or an exponent is too large. */
export function compareDecimals(one: string, other: string): number | undefined {
  if (!isDecimal(one) || !isDecimal(other)) return undefined;
  const [near, otherNear] = [Number(one), Number(other)];
  // Rounding to doubles can make different numbers equal, but it never changes their order.
  if (near !== otherNear) return near < otherNear ? -1 : 1;
  const [a, b] = [parseExactDecimal(one), parseExactDecimal(other)];
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

const signOf = ({ digits, isNegative }: ExactDecimal): -1 | 0 | 1 =>
  digits === "" ? 0 : isNegative ? -1 : 1;

/** The number of digits before the decimal point when the number is written without an exponent. */
export function wholeDigits(text: string): number {
  const decimal = parseExactDecimal(text);
  return decimal === undefined || decimal.digits === "" ? 0 : Math.max(0, widthOf(decimal));
}

/**
 * The quotient of two JSON numbers, with `digits` significant digits and without an exponent. Rounds a half away from
 * zero. Undefined if the divisor is zero, if one of the texts is not a number, or if the quotient is too long to write.
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
