import type { Field, Reading } from "../../contract/record.ts";
import { formatInstant, parseRfc3339 } from "../../time/time.ts";
import { showAge } from "./age.ts";
import { readDecimal, roundSignificant, writeDecimal, type Decimal } from "./decimal.ts";
import { showAmount, showChange, showCount, showPercent, showPrice, showWholeAmount } from "./numbers.ts";
import { asciiText, visibleText } from "../sanitise.ts";
import { isPlain } from "./width.ts";

/** What a person reads in one place of a table, safe to print. */
export interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

export type Tone = "plain" | "up" | "down" | "faint" | "heading" | "risen" | "fallen" | "changed";

/** A change is a percentage that has a direction; a fee is one that has not. `unknown` goes by the JSON type. */
export type CellKind = Reading | "change" | "unknown";

export interface CellStyle {
  readonly now: number;
  /** A terminal: times as ages. Elsewhere they stay as sent. */
  readonly hasAges: boolean;
  /** Elsewhere whatever is not ASCII is written as an escape: its bytes would show as something else. */
  readonly isUnicode: boolean;
  /** The zeros of a small price are counted, `0.0₉1234`, where a person reads them. */
  readonly countsZeros: boolean;
  /** A single record has room for more digits, and for the second beside the age. */
  readonly isRoomy: boolean;
  /** What stood in the place of a row before, where a picture is drawn anew; undefined for one that is new. */
  readonly rowBefore?: (row: unknown) => unknown;
}

export const blank: Cell = { text: "", tone: "plain" };

export function cellKind(name: string, field: Field | undefined): CellKind {
  if (field === undefined || field.type.kind === "any") return guessKind(name);
  return field.reads === "percent" && name.includes("change") ? "change" : field.reads;
}

/** What the contract does not describe is named as its siblings are. A value that is not of the kind shows as it came. */
function guessKind(name: string): CellKind {
  return GUESSES.find(([names]) => names.test(name))?.[1] ?? "unknown";
}

const GUESSES: readonly (readonly [RegExp, CellKind])[] = [
  [/change/, "change"],
  [/price/, "price"],
  [/volume|liquidity|fdv|_usd$/, "amount"],
  [/_(?:at|time|updated|date)$/, "time"],
];

/** Kinds of which columns are read from the right, digit under digit. */
export function isNumeric(kind: CellKind): boolean {
  return kind === "price" || kind === "amount" || kind === "count" || kind === "percent" || kind === "change";
}

/** A cell in whose place another stood is marked; where both are numbers, so is the direction. */
export function changedCell(
  cell: Cell,
  was: Cell,
  kind: CellKind,
  { value, before }: { readonly value: unknown; readonly before: unknown },
): Cell {
  if (was.text === cell.text || kind === "mark") return cell;
  const rise = isNumeric(kind) ? Number(value) - Number(before) : 0;
  return { text: cell.text, tone: rise > 0 ? "risen" : rise < 0 ? "fallen" : "changed" };
}

/** A value that is not of its kind (a price that is a word) is shown as it came. */
export function showCell(value: unknown, kind: CellKind, style: CellStyle): Cell {
  if (value === undefined || value === null) return blank;
  if (typeof value === "boolean") return plain(value ? "yes" : "no");
  if (typeof value === "string") return showText(value, kind, style);
  if (typeof value === "number" || typeof value === "bigint") return showNumber(value, kind, style);
  if (typeof value !== "object") return blank;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const isFlat = items.length > 0 && items.every((item) => typeof item !== "object" || item === null);
  if (isFlat) return plain(items.map((item) => showCell(item, kind, style).text).join(", "));
  return plain(shownText(showNested(value), style));
}

function showText(value: string, kind: CellKind, style: CellStyle): Cell {
  if (kind === "time" && style.hasAges) return plain(showTime(value, style));
  return isNumeric(kind) ? showNumber(value, kind, style) : plain(shownText(value, style));
}

function showTime(value: string, style: CellStyle): string {
  const { now, isRoomy } = style;
  const instant = parseRfc3339(value);
  if (instant === undefined) return shownText(value, style);
  const age = showAge(instant, now);
  return isRoomy ? `${formatInstant({ ...instant, fraction: "" })} (${age})` : age;
}

function showNumber(value: number | bigint | string, kind: CellKind, style: CellStyle): Cell {
  const { isRoomy, countsZeros } = style;
  const decimal = readDecimal(value);
  if (decimal === undefined) return plain(shownText(String(value), style));
  switch (kind) {
    case "price":
      return plain(showPrice(decimal, isRoomy ? 8 : undefined, countsZeros));
    case "amount":
      return plain(isRoomy ? showWholeAmount(decimal) : showAmount(decimal));
    case "count":
      return plain(showCount(decimal));
    case "percent":
      return plain(showPercent(decimal));
    case "change":
      return { text: showChange(decimal), tone: direction(decimal) };
    case "text":
    case "address":
    case "time":
    case "yes-no":
    case "mark":
      // Every digit: raw token amounts.
      return plain(writeDecimal(decimal));
    case "unknown":
      // A double has seventeen digits, and nobody reads those after the eighth in a table. Integers stay whole.
      return plain(writeDecimal(isRoomy ? decimal : roundSignificant(decimal, Math.max(8, decimal.scale))));
  }
}

function direction({ digits, isNegative }: Decimal): Tone {
  if (digits === "") return "plain";
  return isNegative ? "down" : "up";
}

/** As JSON, but not to the bottom of a document with thousands of levels. */
function showNested(value: object, depth = 0): string {
  if (depth > 3) return "...";
  if (!Array.isArray(value)) {
    const members = Object.entries(value).map(
      ([name, item]) => `${JSON.stringify(name)}:${showItem(item, depth)}`,
    );
    return `{${members.join(",")}}`;
  }
  const items: readonly unknown[] = value;
  return `[${items.map((item) => showItem(item, depth)).join(",")}]`;
}

function showItem(item: unknown, depth: number): string {
  if (typeof item === "object" && item !== null) return showNested(item, depth + 1);
  return typeof item === "string" ? JSON.stringify(item) : String(item);
}

/** Most text is plain, and then one short look is enough. */
export function shownText(text: string, { isUnicode }: Pick<CellStyle, "isUnicode">): string {
  if (isPlain(text) && !text.includes("\\")) return text;
  return isUnicode ? visibleText(text) : asciiText(text);
}

function plain(text: string): Cell {
  return { text, tone: "plain" };
}
