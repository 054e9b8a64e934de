import { compareDecimals, integerDigits } from "../../base/json/exact-decimal.ts";
import { compactJson, escapeJsonText } from "../../base/json/json-text.ts";
import { decodeName } from "../../base/json/json-scan.ts";
import { hasFourDigitYear, parseRfc3339, SECONDS_PER_DAY, writeUtc } from "../../base/time/time.ts";
import type { CellType, ParquetColumn } from "../parquet-format.ts";

/** Decimals, integers and times (in microseconds since 1970) are bigints. Null means no value. */
export type Cell = string | number | bigint | boolean | null;

/** As in the file: texts and decimals are bytes. */
export type StoredCell = Uint8Array | Cell;

/** The value does not fit the type of the column, which gets the nearest value of this type, or null. */
export class NonDecimal {
  readonly nearest: Cell;

  constructor(nearest: Cell) {
    this.nearest = nearest;
  }
}

/** Takes the JSON text of a value that is not null. */
export type CellReader = (raw: string) => Cell | NonDecimal;

export const maxDecimalDigits = 38;

const noValue = new NonDecimal(null);

export function cellReader({ type, isNumberOrText = false }: ParquetColumn): CellReader {
  if (type === "decimal") return isNumberOrText ? (raw) => readDecimal(unquoted(raw)) : readDecimal;
  if (type === "text" && isNumberOrText) return (raw) => (isNumber(raw) ? raw : readText(raw));
  return readers[type];
}

const readers: Readonly<Record<CellType, CellReader>> = {
  text: readText,
  time: readTime,
  double: readDouble,
  decimal: readDecimal,
  integer: readInteger,
  boolean: (raw) => (raw === "true" ? true : raw === "false" ? false : noValue),
  json: writeJsonCell,
};

/**
 * Escaped like NDJSON, which escapes characters that affect a terminal, so that rows that were stored as NDJSON meanwhile
 * result in the same file.
 */
function writeJsonCell(raw: string): string {
  return escapeJsonText(compactJson(raw));
}

/**
 * Canonical JSON of a cell that is not null: each value has exactly one text, whatever the service's spelling. `raw` is
 * the service's text, if it is known, which saves time.
 */
export function canonicalText(type: CellType, cell: Cell, raw = ""): string {
  if (type === "json") return String(cell);
  // Without escapes, there is only one way to write a string.
  if (typeof cell === "string") return raw.length === cell.length + 2 ? raw : JSON.stringify(cell);
  if (typeof cell === "number") return doubleText(cell);
  if (type === "time" && typeof cell === "bigint") return `"${timeText(cell)}"`;
  return type === "decimal" ? `"${String(cell)}"` : String(cell);
}

const lastDouble = { value: 0, text: "0" };

/** The shortest text takes longer to find than anything else of a cell, and two steps of a conversion need it. */
function doubleText(value: number): string {
  if (value === lastDouble.value) return lastDouble.text;
  lastDouble.text = String(value);
  lastDouble.value = value;
  return lastDouble.text;
}

function readText(raw: string): Cell | NonDecimal {
  if (!isString(raw)) return noValue;
  const text = decodeName(raw);
  // Half of a surrogate pair, which JSON can escape, cannot be written in UTF-8.
  return text.isWellFormed() ? text : new NonDecimal(text.toWellFormed());
}

/** Nearly all integers; the others take several times as long. */
const shortInteger = /^(?:0|-?[1-9]\d{0,17})$/;

function readDecimal(raw: string): Cell | NonDecimal {
  if (shortInteger.test(raw)) return BigInt(raw);
  const digits = integerDigits(raw, maxDecimalDigits);
  return digits === undefined ? noValue : BigInt(digits);
}

function readDouble(raw: string): Cell | NonDecimal {
  if (!isNumber(raw)) return noValue;
  const number = Number(raw);
  // Infinity is not near any number, and it would be the result of every sum.
  if (!Number.isFinite(number)) return noValue;
  // The file has no use for a second zero.
  const value = number === 0 ? 0 : number;
  const text = doubleText(value);
  return raw === text || compareDecimals(raw, text) === 0 ? value : new NonDecimal(value);
}

function readInteger(raw: string): Cell | NonDecimal {
  if (shortInteger.test(raw)) return BigInt(raw);
  // 64 bits have up to 19 digits.
  const digits = integerDigits(raw, 19);
  const integer = digits === undefined ? undefined : BigInt(digits);
  return integer === undefined || BigInt.asIntN(64, integer) !== integer ? noValue : integer;
}

function readTime(raw: string): Cell | NonDecimal {
  const text = isString(raw) ? decodeName(raw) : "";
  const instant = parseRfc3339(text);
  if (instant === undefined || !hasFourDigitYear(instant)) return noValue;
  const micros = BigInt(instant.seconds) * MICROS + BigInt(instant.fraction.slice(0, 6).padEnd(6, "0"));
  // Unix time has no leap seconds.
  const isExact = instant.fraction.length <= 6 && text.slice(17, 19) !== "60";
  return isExact ? micros : new NonDecimal(micros);
}

const MICROS = 1_000_000n;

/** The rows of a day follow one another, and writing a date takes longer than all else about a time. */
const lastDay = { text: "1970-01-01", seconds: 0 };

function timeText(micros: bigint): string {
  // The remainder has the sign of the time.
  const remainder = Number(micros % MICROS);
  const rest = remainder < 0 ? remainder + 1_000_000 : remainder;
  const seconds = Number(micros / MICROS) - (remainder < 0 ? 1 : 0);
  const midnight = Math.floor(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
  if (midnight !== lastDay.seconds) {
    lastDay.text = writeUtc(midnight).slice(0, -"T00:00:00".length);
    lastDay.seconds = midnight;
  }
  const [minutes, second] = [Math.floor((seconds - midnight) / 60), (seconds - midnight) % 60];
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(6, "0")}`;
  return `${lastDay.text}T${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}:${padded(second)}${fraction}Z`;
}

const padded = (part: number): string => (part < 10 ? `0${part}` : String(part));

const isString = (raw: string): boolean => raw.startsWith('"');

/** The text is valid JSON, so the first character determines the type. */
const isNumber = (raw: string): boolean => /^[-\d]/u.test(raw);

/** The text in a string, which may contain a number; anything else is unchanged. */
const unquoted = (raw: string): string => (isString(raw) ? decodeName(raw) : raw);
