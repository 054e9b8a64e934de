import { formatSeconds } from "../../../api/duration.ts";
import { parseExactDecimal } from "../../../base/json/exact-decimal.ts";

/**
 * Stored as digits, because arithmetic on doubles would show digits that the service never sent. The value is
 * 0.<digits> x 10^scale. `digits` neither starts nor ends with a zero, and is empty for zero.
 */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly scale: number;
}

/** No price or amount exceeds this, and writing out a larger number would use too much memory. */
const MOST_PLACES = 400;

/** Parses a JSON number, which may be in a string. Returns undefined for anything else. */
export function readDecimal(value: number | bigint | string): Decimal | undefined {
  const text = String(value);
  const exact = text.length > MOST_PLACES ? undefined : parseExactDecimal(text);
  if (exact === undefined || Math.abs(exact.exponent) > MOST_PLACES) return undefined;
  const { isNegative, digits, exponent } = exact;
  return { isNegative, digits, scale: digits === "" ? 0 : digits.length + exponent };
}

/** Rounds a half away from zero. */
export function roundSignificant(decimal: Decimal, count: number): Decimal {
  const { isNegative, digits, scale } = decimal;
  if (digits.length <= count) return decimal;
  if (count < 0) return create(isNegative, "", 0);
  const kept = digits.slice(0, count);
  if (digits.charAt(count) < "5") return create(isNegative, kept, scale);
  const raised = String(BigInt(kept) + 1n);
  return create(isNegative, raised, scale + raised.length - count);
}

export function roundPlaces(decimal: Decimal, places: number): Decimal {
  return roundSignificant(decimal, decimal.scale + places);
}

/** Writes all digits, never an exponent. */
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
  const trimmed = digits.replace(/0+$/, "");
  return { isNegative, digits: trimmed, scale: trimmed === "" ? 0 : scale };
}

/**
 * Shows two decimals from 1,000, four from 1, and five significant digits below 1, with zeros at the end, so that
 * numbers below each other stay comparable. `significant` overrides this and needs no zeros.
 */
export function showPrice(price: Decimal, significant?: number, countsZeros = false): string {
  const rounded = roundPrice(price, significant);
  const text = writeDecimal(rounded, placesOf(rounded, significant), ",");
  return countsZeros ? countZeros(text) : text;
}

function placesOf(rounded: Decimal, significant: number | undefined): number {
  if (rounded.digits === "") return 0;
  if (significant !== undefined || rounded.scale > 3) return 2;
  return rounded.scale > 0 ? 4 : 5 - rounded.scale;
}

function roundPrice(price: Decimal, significant: number | undefined): Decimal {
  if (price.scale > 3)
    return roundPlaces(price, significant === undefined ? 2 : Math.max(2, significant - price.scale));
  if (significant !== undefined) return roundSignificant(price, significant);
  return price.scale > 0 ? roundPlaces(price, 4) : roundSignificant(price, 5);
}

/** Too many zeros to count at a glance. */
const MANY_ZEROS = /^(-?0\.)(0{4,})(?=[1-9])/;

/** Converts `0.0000000001234` to `0.0₉1234`, where ₉ is the number of zeros after the decimal point. */
export function countZeros(text: string): string {
  const [leading, start = "", zeros = ""] = MANY_ZEROS.exec(text) ?? [""];
  if (zeros === "") return text;
  const count = Array.from(String(zeros.length), (digit) => String.fromCodePoint(0x2080 + Number(digit)));
  return `${start}0${count.join("")}${text.slice(leading.length)}`;
}

/** There is no common abbreviation beyond trillions. */
const UNITS = ["", "K", "M", "B", "T"];

/** At most seven characters up to 999T: `12.4M`, `999`, `0.52`, or `<0.01` for a tiny amount. */
export function showAmount(amount: Decimal): string {
  const small = roundPlaces(amount, 2);
  if (small.digits === "" && amount.digits !== "") return amount.isNegative ? "-<0.01" : "<0.01";
  if (small.scale <= 3) return writeDecimal(small, hasFraction(small) ? 2 : 0);
  const rounded = roundSignificant(amount, 3);
  const unit = Math.min(Math.floor((rounded.scale - 1) / 3), UNITS.length - 1);
  const shifted = { ...rounded, scale: rounded.scale - unit * 3 };
  return `${writeDecimal(shifted, Math.max(0, 3 - shifted.scale), ",")}${UNITS[unit] ?? ""}`;
}

/** Keeps all digits of the integer part: `12,345,678.9` becomes `12,345,678.90`. */
export function showWholeAmount(amount: Decimal): string {
  const rounded = roundSmall(amount);
  return writeDecimal(rounded, hasFraction(rounded) ? 2 : 0, ",");
}

/** Values below 0.01 keep two significant digits instead of two decimals, so that they never show as zero. */
function roundSmall(value: Decimal): Decimal {
  return value.scale < -1 ? roundSignificant(value, 2) : roundPlaces(value, 2);
}

function hasFraction({ digits, scale }: Decimal): boolean {
  return digits.length > scale && digits !== "";
}

export function showCount(count: Decimal): string {
  return writeDecimal(count, 0, ",");
}

/** A percentage without a sign, such as a fee: `0.3%`, `0.05%`. */
export function showPercent(percent: Decimal): string {
  return `${writeDecimal(roundSmall(percent), 0, ",")}%`;
}

/** `0.00%` means exactly no change. */
export function showChange(change: Decimal): string {
  if (change.digits === "") return "0.00%";
  const sign = change.isNegative ? "-" : "+";
  const size = { ...change, isNegative: false };
  const rounded = roundPlaces(size, 2);
  if (rounded.digits === "") return `${sign}<0.01%`;
  if (rounded.scale > 6) return `${sign}${showAmount(size)}%`;
  if (rounded.scale > 3) return `${sign}${writeDecimal(roundPlaces(size, 0), 0, ",")}%`;
  return `${sign}${writeDecimal(rounded, 2)}%`;
}

/** Empty if the change cannot be computed. */
export function percentBetween(first: number, last: number): string {
  const change = String(((last - first) / Math.abs(first)) * 100);
  return readDecimal(change) === undefined ? "" : change;
}

interface NumberStyle {
  readonly isRoomy: boolean;
  readonly countsZeros: boolean;
}

export const numberTexts = {
  price: (number: Decimal, style: NumberStyle) =>
    showPrice(number, style.isRoomy ? 8 : undefined, style.countsZeros),
  amount: (number: Decimal, style: NumberStyle) =>
    style.isRoomy ? showWholeAmount(number) : showAmount(number),
  count: showCount,
  percent: showPercent,
  change: showChange,
  duration: (seconds: Decimal) => formatSeconds(Number(writeDecimal(seconds)) * 1000),
};
