/**
 * A decimal number taken from its digits, since arithmetic on doubles would show digits that were never sent.
 * The value is 0.<digits> x 10^scale; digits neither begin nor end with a zero, and zero has none.
 */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly scale: number;
}

/** Beyond this many places a number is no price or amount of anything, and writing it out would fill memory. */
const MOST_PLACES = 400;

const [MINUS, POINT, ZERO, NINE] = [45, 46, 48, 57];
/** So many digits and one more are exact as a number. */
const FEW_DIGITS = 14;

/** Reads what JSON writes numbers with, and the same in a string; undefined for anything else. */
export function readDecimal(value: number | bigint | string): Decimal | undefined {
  const text = String(value);
  const isNegative = text.charCodeAt(0) === MINUS;
  const start = isNegative ? 1 : 0;
  const point = endOfDigits(text, start);
  const hasPoint = point < text.length && text.charCodeAt(point) === POINT;
  const end = hasPoint ? endOfDigits(text, point + 1) : point;
  if (point === start || (hasPoint && end === point + 1) || text.length > MOST_PLACES) return undefined;
  const exponent = end === text.length ? 0 : readExponent(text.slice(end));
  if (exponent === undefined) return undefined;
  const all = text.slice(start, point) + text.slice(point + 1, end);
  let leading = 0;
  while (leading < all.length && all.charCodeAt(leading) === ZERO) leading++;
  return create(isNegative, all.slice(leading), point - start - leading + exponent);
}

/** Never looks behind the end: V8 throws its compiled code away where that happens. */
function endOfDigits(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) break;
  }
  return at;
}

function readExponent(text: string): number | undefined {
  const exponent = /^[eE][+-]?\d{1,9}$/.test(text) ? Number(text.slice(1)) : Infinity;
  return Math.abs(exponent) > MOST_PLACES ? undefined : exponent;
}

/** Half a unit of the last digit is rounded away from zero. */
export function roundSignificant(decimal: Decimal, count: number): Decimal {
  const { isNegative, digits, scale } = decimal;
  if (digits.length <= count) return decimal;
  if (count < 0) return create(isNegative, "", 0);
  const kept = digits.slice(0, count);
  if (digits.charAt(count) < "5") return create(isNegative, kept, scale);
  const raised = String(count > FEW_DIGITS ? BigInt(kept) + 1n : Number(kept) + 1);
  return create(isNegative, raised, scale + raised.length - count);
}

/** Rounds to so many digits after the point. */
export function roundPlaces(decimal: Decimal, places: number): Decimal {
  return roundSignificant(decimal, decimal.scale + places);
}

/** The same digits with the point moved to the left: the value divided by 10^places. */
export function movePoint(decimal: Decimal, places: number): Decimal {
  return { ...decimal, scale: decimal.scale - places };
}

/** Plain digits, never an exponent, with at least so many after the point. */
export function writeDecimal(decimal: Decimal, leastPlaces = 0, separator = ""): string {
  const { isNegative, digits, scale } = decimal;
  const whole = scale > 0 ? digits.slice(0, scale).padEnd(scale, "0") : "0";
  const rest = scale > 0 ? digits.slice(scale) : digits === "" ? "" : "0".repeat(-scale) + digits;
  const fraction = rest.padEnd(leastPlaces, "0");
  const grouped = separator === "" ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, separator);
  const sign = isNegative && digits !== "" ? "-" : "";
  return `${sign}${grouped}${fraction === "" ? "" : `.${fraction}`}`;
}

function create(isNegative: boolean, digits: string, scale: number): Decimal {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--;
  const trimmed = digits.slice(0, end);
  return { isNegative, digits: trimmed, scale: trimmed === "" ? 0 : scale };
}
