import { movePoint, roundPlaces, roundSignificant, writeDecimal, type Decimal } from "./decimal.ts";

/**
 * A price: two decimals from 1,000, four from 1, and below that four significant digits in plain decimals, however
 * small it is. `significant` asks for that many digits instead, where there is room for them.
 */
export function showPrice(price: Decimal, significant?: number, countsZeros = false): string {
  const rounded = roundPrice(price, significant);
  const text = writeDecimal(rounded, rounded.digits === "" ? 0 : 2, ",");
  return countsZeros ? countZeros(text) : text;
}

function roundPrice(price: Decimal, significant: number | undefined): Decimal {
  if (price.scale > 3)
    return roundPlaces(price, significant === undefined ? 2 : Math.max(2, significant - price.scale));
  if (significant !== undefined) return roundSignificant(price, significant);
  return price.scale > 0 ? roundPlaces(price, 4) : roundSignificant(price, 4);
}

/** From so many zeros after the point on nobody sees at a glance how many there are. */
const MANY_ZEROS = /^(-?0\.)(0{4,})(?=[1-9])/;

/** `0.0000000001234` → `0.0₉1234`: nine zeros after the point. */
export function countZeros(text: string): string {
  const [leading, start = "", zeros = ""] = MANY_ZEROS.exec(text) ?? [""];
  if (zeros === "") return text;
  const count = Array.from(String(zeros.length), (digit) => String.fromCodePoint(0x2080 + Number(digit)));
  return `${start}0${count.join("")}${text.slice(leading.length)}`;
}

const UNITS = ["", "K", "M", "B", "T"];

/** An amount in at most seven places: `12.4M`, `999`, `0.52`; dust is `<0.01`, which is not nothing. Beyond 999T it takes more. */
export function showAmount(amount: Decimal): string {
  const small = roundPlaces(amount, 2);
  if (small.digits === "" && amount.digits !== "") return amount.isNegative ? "-<0.01" : "<0.01";
  if (small.scale <= 3) return writeDecimal(small, hasFraction(small) ? 2 : 0);
  const rounded = roundSignificant(amount, 3);
  // There is no common word for what is beyond trillions.
  const unit = Math.min(Math.floor((rounded.scale - 1) / 3), UNITS.length - 1);
  const shifted = movePoint(rounded, unit * 3);
  return `${writeDecimal(shifted, Math.max(0, 3 - shifted.scale), ",")}${UNITS[unit] ?? ""}`;
}

/** An amount with all digits of its whole part, where there is room: `12,345,678.9` → `12,345,678.90`. */
export function showWholeAmount(amount: Decimal): string {
  const rounded = roundSmall(amount);
  return writeDecimal(rounded, hasFraction(rounded) ? 2 : 0, ",");
}

/** Cents; of less than a cent two digits, so that something never shows as nothing. */
function roundSmall(amount: Decimal): Decimal {
  return amount.scale < -1 ? roundSignificant(amount, 2) : roundPlaces(amount, 2);
}

function hasFraction({ digits, scale }: Decimal): boolean {
  return digits.length > scale && digits !== "";
}

export function showCount(count: Decimal): string {
  return writeDecimal(count, 0, ",");
}

/** Percent without a sign, as a fee: `0.3%`, `0.05%`. */
export function showPercent(percent: Decimal): string {
  return `${writeDecimal(percent.scale < -1 ? roundSignificant(percent, 2) : roundPlaces(percent, 2), 0, ",")}%`;
}

/** A change: always signed, `0.00%` only when there was none. */
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
