import { formatSeconds } from "../../../api/duration.ts";
import {
  type ExactDecimal,
  parseExactDecimal,
  widthOf,
  writeDecimal,
} from "../../../base/json/exact-decimal.ts";

/** No price or amount exceeds this, and writing out a larger number would use too much memory. */
const MOST_PLACES = 400;

/**
 * Parses a JSON number, which may be in a string. Returns undefined for anything else. Numbers stay digits, because
 * arithmetic on doubles would show digits that the service never sent.
 */
export function readDecimal(value: unknown): ExactDecimal | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return undefined;
  const text = String(value);
  const exact = text.length > MOST_PLACES ? undefined : parseExactDecimal(text);
  return exact !== undefined && Math.abs(exact.exponent) <= MOST_PLACES ? exact : undefined;
}

/** Rounds a half away from zero. */
export function roundSignificant(decimal: ExactDecimal, count: number): ExactDecimal {
  const { isNegative, digits, exponent } = decimal;
  const dropped = digits.length - count;
  if (dropped <= 0) return decimal;
  const kept = digits.slice(0, Math.max(0, count));
  const rounded = count >= 0 && digits.charAt(count) >= "5" ? String(BigInt(kept) + 1n) : kept;
  const trimmed = rounded.replace(/0+$/, "");
  const zeros = rounded.length - trimmed.length;
  return { isNegative, digits: trimmed, exponent: trimmed === "" ? 0 : exponent + dropped + zeros };
}

export function roundPlaces(decimal: ExactDecimal, places: number): ExactDecimal {
  return roundSignificant(decimal, widthOf(decimal) + places);
}

/** A number with more digits before the decimal point would leave no room for the other columns. */
const MOST_DIGITS = 24;

/** `1.2346e39` */
function showPower(number: ExactDecimal): string {
  const rounded = roundSignificant(number, 5);
  const power = widthOf(rounded) - 1;
  return `${writeDecimal({ ...rounded, exponent: rounded.exponent - power }, 4)}e${power}`;
}

/**
 * Shows two decimals from 1,000, four from 1, and five significant digits below 1, with zeros at the end, so that
 * numbers below each other stay comparable. `significant` overrides this and needs no zeros.
 */
export function showPrice(price: ExactDecimal, significant?: number, countsZeros = false): string {
  const rounded = roundPrice(price, significant);
  if (significant === undefined && widthOf(rounded) > MOST_DIGITS) return showPower(price);
  const text = writeDecimal(rounded, placesOf(rounded, significant), ",");
  return countsZeros ? countZeros(text) : text;
}

function placesOf(rounded: ExactDecimal, significant: number | undefined): number {
  if (rounded.digits === "") return 0;
  if (significant !== undefined || widthOf(rounded) > 3) return 2;
  return widthOf(rounded) > 0 ? 4 : 5 - widthOf(rounded);
}

function roundPrice(price: ExactDecimal, significant: number | undefined): ExactDecimal {
  if (widthOf(price) > 3)
    return roundPlaces(price, significant === undefined ? 2 : Math.max(2, significant - widthOf(price)));
  if (significant !== undefined) return roundSignificant(price, significant);
  return widthOf(price) > 0 ? roundPlaces(price, 4) : roundSignificant(price, 5);
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
export function showAmount(amount: ExactDecimal): string {
  const small = roundPlaces(amount, 2);
  if (small.digits === "" && amount.digits !== "") return amount.isNegative ? "-<0.01" : "<0.01";
  if (widthOf(small) <= 3) return writeDecimal(small, hasFraction(small) ? 2 : 0);
  const rounded = roundSignificant(amount, 3);
  if (widthOf(rounded) > MOST_DIGITS) return showPower(amount);
  const unit = Math.min(Math.floor((widthOf(rounded) - 1) / 3), UNITS.length - 1);
  const shifted = { ...rounded, exponent: rounded.exponent - unit * 3 };
  return `${writeDecimal(shifted, Math.max(0, 3 - widthOf(shifted)), ",")}${UNITS[unit] ?? ""}`;
}

/**
 * Keeps all digits of the integer part: `12,345,678.9` becomes `12,345,678.90`. Values below 0.01 keep two significant
 * digits instead of two decimals, so that they never show as zero.
 */
export function showWholeAmount(amount: ExactDecimal): string {
  const rounded = widthOf(amount) < -1 ? roundSignificant(amount, 2) : roundPlaces(amount, 2);
  return writeDecimal(rounded, hasFraction(rounded) ? 2 : 0, ",");
}

function hasFraction({ digits, exponent }: ExactDecimal): boolean {
  return exponent < 0 && digits !== "";
}

export function showCount(count: ExactDecimal): string {
  return writeDecimal(count, 0, ",");
}

/** A percentage without a sign, such as a fee: `0.3%`, `0.025%`. */
export function showPercent(percent: ExactDecimal): string {
  return `${writeDecimal(roundSignificant(percent, 4), 0, ",")}%`;
}

/** `0.00%` means exactly no change. */
export function showChange(change: ExactDecimal): string {
  if (change.digits === "") return "0.00%";
  const sign = change.isNegative ? "-" : "+";
  const size = { ...change, isNegative: false };
  const rounded = roundPlaces(size, 2);
  if (rounded.digits === "") return `${sign}<0.01%`;
  if (widthOf(rounded) > 6) return `${sign}${showAmount(size)}%`;
  if (widthOf(rounded) > 3) return `${sign}${writeDecimal(roundPlaces(size, 0), 0, ",")}%`;
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
  price: (number: ExactDecimal, style: NumberStyle) =>
    showPrice(number, style.isRoomy ? 8 : undefined, style.countsZeros),
  amount: (number: ExactDecimal, style: NumberStyle) =>
    style.isRoomy ? showWholeAmount(number) : showAmount(number),
  count: showCount,
  percent: showPercent,
  change: showChange,
  duration: (seconds: ExactDecimal) => formatSeconds(Number(writeDecimal(seconds)) * 1000),
};
