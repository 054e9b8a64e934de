import type { KnownAsset } from "../../../api/asset-kind.ts";
import type { Field, Reading } from "../../../api/record.ts";
import { formatInstant, type Instant, parseRfc3339 } from "../../../base/time/time.ts";
import { shownText } from "../../../base/text/unsafe-text.ts";
import { numberTexts, readDecimal, roundSignificant } from "./decimal.ts";
import { widthOf, writeDecimal } from "../../../base/json/exact-decimal.ts";

/** Safe to print. */
export interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

export type Tone = "plain" | "up" | "down" | "faint" | "heading" | "risen" | "fallen" | "changed";

/** A change is a percentage with a sign. For `unknown`, the JSON type of the value decides. */
export type CellKind = Reading | "change" | "unknown";

export interface CellStyle {
  readonly now: number;
  /** Times are shown as ages, as on a terminal, or else as sent. */
  readonly hasAges: boolean;
  /** A terminal without UTF-8 would garble characters beyond ASCII, so these are escaped. */
  readonly isUnicode: boolean;
  /** Small prices show how many zeros they have, as in `0.0₉1234`. Used only in output for people. */
  readonly countsZeros: boolean;
  /** There is room for more digits, and for the time in addition to the age, as in a single record. */
  readonly isRoomy: boolean;
  readonly findAsset: FindAsset | undefined;
  /** Returns the same row in the previous frame; undefined for a new row. */
  readonly rowBefore?: (row: unknown) => unknown;
}

/** Texts as in a table that is not on a terminal. */
export const plainStyle: CellStyle = {
  now: 0,
  hasAges: false,
  isUnicode: true,
  countsZeros: false,
  isRoomy: false,
  findAsset: undefined,
};

/** Undefined if nothing is known about the asset. `network` defaults to that of the rows. */
export type FindAsset = (address: string, network?: string) => KnownAsset | undefined;

export const blank: Cell = { text: "", tone: "plain" };

/** In front of each asset with an alert that is on, and explained in the status line. */
export const alertMark = (isUnicode: boolean): string => (isUnicode ? "◆" : "#");

export function plain(text: string): Cell {
  return { text, tone: "plain" };
}

export function noValue({ isUnicode }: Pick<CellStyle, "isUnicode">): Cell {
  return { text: isUnicode ? "–" : "-", tone: "faint" };
}

export function cellKind(name: string, field: Field | undefined): CellKind {
  // Unknown fields are usually named like those in the contract. If the value does not match, it is shown as sent.
  const isUnknown = field === undefined || (field.type.kind === "any" && field.reads === "text");
  if (isUnknown) return GUESSES.find(([names]) => names.test(name))?.[1] ?? "unknown";
  return field.reads === "percent" && name.includes("change") ? "change" : field.reads;
}

const GUESSES: readonly (readonly [RegExp, CellKind])[] = [
  [/change/, "change"],
  [/price/, "price"],
  [/volume|liquidity|fdv|_usd$/, "amount"],
  [/_(?:at|time|updated|date)$/, "time"],
];

export function isNumeric(kind: CellKind): kind is keyof typeof numberTexts {
  return Object.hasOwn(numberTexts, kind);
}

/** A value that does not match its kind, such as a price that is a word, is shown as sent. */
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
  const number = readDecimal(value);
  if (number === undefined) return plain(shownText(String(value), style));
  if (isNumeric(kind)) {
    const tone = kind !== "change" || number.digits === "" ? "plain" : number.isNegative ? "down" : "up";
    return { text: numberTexts[kind](number, style), tone };
  }
  // Raw token amounts keep every digit. A double can have 17 digits, but a table otherwise shows eight.
  const isShort = kind === "unknown" && !style.isRoomy;
  return plain(writeDecimal(isShort ? roundSignificant(number, Math.max(8, widthOf(number))) : number));
}

/** Shows only the outer levels, because a document may have thousands of them. */
function showNested(value: unknown, depth = 0): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (depth > 3) return "...";
  const show = (item: unknown): string => showNested(item, depth + 1);
  if (Array.isArray(value)) return `[${value.map(show).join(",")}]`;
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${show(item)}`);
  return `{${members.join(",")}}`;
}

const STEPS = [
  { below: 60, unit: 1, name: "s" },
  { below: 3600, unit: 60, name: "m" },
  { below: 2 * 86_400, unit: 3600, name: "h" },
  { below: 60 * 86_400, unit: 86_400, name: "d" },
  { below: 730 * 86_400, unit: 30 * 86_400, name: "mo" },
] as const;

/** Returns `3m ago`, `in 2h` or `now`. `now` is in milliseconds since the epoch. */
function showAge(instant: Instant, now: number): string {
  const passed = Math.floor(now / 1000) - instant.seconds;
  const size = Math.abs(passed);
  if (size === 0) return "now";
  const step = STEPS.find(({ below }) => size < below) ?? { unit: 365 * 86_400, name: "y" };
  const length = `${Math.floor(size / step.unit)}${step.name}`;
  return passed > 0 ? `${length} ago` : `in ${length}`;
}

/** Without the full block, which would touch the line above. */
const unicodeBars = "▁▂▃▄▅▆▇";
/** Ordered by each character's height on the line. */
const asciiBars = "_.-'";

/**
 * Draws one character per value, from lowest to highest, and a space for a missing value. If all values are equal, they
 * are drawn at the bottom.
 */
export function sparkline(values: readonly (number | undefined)[], isUnicode: boolean): string {
  const levels = isUnicode ? unicodeBars : asciiBars;
  const known = values.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const range = most - least;
  const levelOf = (value: number): number =>
    range > 0 ? Math.round(((value - least) / range) * (levels.length - 1)) : 0;
  return values.map((value) => (value === undefined ? " " : levels.charAt(levelOf(value)))).join("");
}
