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
  if (shift <= 0 && INTEGER.test(text)) return shiftInteger(text, -shift);
  const decimal = parseExactDecimal(text);
  const shifted = decimal && { ...decimal, exponent: decimal.exponent + shift };
  return shifted === undefined || isTooLong(shifted) ? undefined : writeDecimal(shifted);
}

const INTEGER = /^-?[1-9]\d*$/;

/** Amounts of tokens are integers, and a pull may have millions. Moves the decimal point to the left. */
function shiftInteger(text: string, places: number): string {
  const first = text.startsWith("-") ? 1 : 0;
  const point = text.length - places;
  let end = text.length;
  while (end > point && text.charCodeAt(end - 1) === ZERO) end -= 1;
  if (end <= point) return text.slice(0, end);
  const sign = first === 1 ? "-" : "";
  if (point <= first) return `${sign}0.${"0".repeat(first - point)}${text.slice(first, end)}`;
  return `${text.slice(0, point)}.${text.slice(point, end)}`;
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
