import { isObject, member } from "../../../base/json/json-scan.ts";
import type { RecordShape } from "../../../api/record.ts";
import { shownText } from "../sanitize.ts";
import { type Cell, cellKind, type CellStyle, noValue, plain, showCell } from "../values/cell.ts";
import { readDecimal, showWholeAmount } from "../values/decimal.ts";
import { writeDecimal } from "../../../base/json/exact-decimal.ts";
import { fieldAt } from "../values/value-at.ts";
import { ellipsis } from "../values/width.ts";
import { plainColumn, type TableColumn } from "./columns.ts";

/** Single values by path, and tables of nested objects. */
export type RecordPart =
  | { readonly kind: "value"; readonly name: string; readonly cell: Cell }
  | { readonly kind: "table"; readonly columns: readonly TableColumn[]; readonly rows: readonly object[] };

/** Deeper paths are unreadable, and a document may have thousands of levels. */
const DEEPEST = 6;

/** Escaping a text and laying it out takes many times its memory. */
const LONGEST_TEXT = 10_000;

export function recordParts(
  value: unknown,
  path: readonly string[],
  shape: RecordShape,
  style: CellStyle,
): readonly RecordPart[] {
  // The index comes first, because `--fields` accepts it in paths such as `tokens.0.symbol`.
  if (Array.isArray(value) && value.length > 0 && value.every(isObject))
    return [objectTable(Object.entries(value), path, shape, style, { title: path.join("."), ...listed })];
  if (!isObject(value) || path.length >= DEEPEST || Object.keys(value).length === 0) {
    const kind = cellKind(path.at(-1) ?? "", fieldAt(shape, path));
    const cell = isEmpty(value) ? noValue(style) : showCell(readable(value, style), kind, style);
    return [{ kind: "value", name: shownText(path.join("."), style), cell }];
  }
  const windows = Object.entries(value).filter(([name, inner]) => WINDOW.test(name) && isObject(inner));
  const windowNames = new Set(windows.map(([name]) => name));
  const others = Object.entries(value).filter(([name]) => !windowNames.has(name));
  const parts = others.flatMap(([name, inner]) => {
    const raw = rawPart(value, [...path, name], shape, style);
    return raw === undefined ? recordParts(inner, [...path, name], shape, style) : [raw];
  });
  return windows.length > 0 ? [...parts, objectTable(windows, path, shape, style, measures)] : parts;
}

/** An amount in the smallest unit: `1,474,846.69 (raw 1474846686868778422255371)`. */
function rawPart(
  record: object,
  path: readonly string[],
  shape: RecordShape,
  style: CellStyle,
): RecordPart | undefined {
  const sent = member(record, path.at(-1) ?? "");
  const canBeNumber = typeof sent === "number" || typeof sent === "bigint" || typeof sent === "string";
  const raw = canBeNumber ? readDecimal(sent) : undefined;
  if (raw === undefined || fieldAt(shape, path)?.isRaw !== true) return undefined;
  const decimals = member(record, "decimals");
  const digits = writeDecimal(raw);
  const text =
    typeof decimals === "number"
      ? `${showWholeAmount({ ...raw, exponent: raw.exponent - decimals })} (raw ${digits})`
      : `${digits} raw`;
  return { kind: "value", name: shownText(path.join("."), style), cell: plain(text) };
}

const WINDOW = /^\d{1,3}[smhd]$/;

/** Layout for windows such as 24h: one row per window and one column per measure. Seven windows fit in 80 columns. */
const measures = {
  title: "window",
  /** The members to keep in a narrow window. The others follow in their original order. */
  leading: "last_price_usd_change volume_usd txns buys buy sells sell buy_usd sell_usd".split(" "),
  titles: new Map([
    ["last_price_usd_change", "change"],
    ["volume", "volume in tokens"],
    ["buy", "buys"],
    ["sell", "sells"],
  ]),
};

/** Layout for lists of tokens, with names for people before identifiers for the service. */
const listed = { leading: ["symbol", "id", "name", "decimals"], titles: new Map<string, string>() };

/** Creates one row per object. The first column is the object's name in the record. */
function objectTable(
  objects: readonly (readonly [name: string, values: unknown])[],
  path: readonly string[],
  shape: RecordShape,
  style: CellStyle,
  { title, leading, titles }: typeof measures,
): RecordPart {
  const rows = objects.map(([name, values]) => ({ name, values }));
  const present = new Set(objects.flatMap(([, values]) => leafNames(values)));
  const names = new Set([...leading.filter((name) => present.has(name)), ...present]);
  const columns = [...names].map((name, index): TableColumn => {
    const kind = cellKind(name, fieldAt(shape, [...path, objects[0]?.[0] ?? "", name]));
    return partColumn(titles.get(name) ?? name, index + 1, ["values", name], kind, style);
  });
  const named = partColumn(title, 0, ["name"], "text", style);
  // Columns are ordered by importance, except that addresses come last, as in every table.
  const addresses = columns.filter(({ kind }) => kind === "address");
  const others = columns.filter(({ kind }) => kind !== "address");
  return { kind: "table", columns: [named, ...others, ...addresses], rows };
}

function leafNames(values: unknown): readonly string[] {
  const members = Object.entries(isObject(values) ? values : {});
  return members.flatMap(([name, value]) => (typeof value !== "object" || value === null ? [name] : []));
}

function partColumn(
  title: string,
  priority: number,
  path: readonly string[],
  kind: TableColumn["kind"],
  style: CellStyle,
): TableColumn {
  const isWhole = kind !== "text" && kind !== "unknown";
  const words = shownText(title.toUpperCase().replaceAll("_", " "), style);
  return { ...plainColumn, title: words, priority, paths: [path], kind, isWhole, mayBeDigits: !isWhole };
}

function readable(value: unknown, { isUnicode }: CellStyle): unknown {
  if (typeof value !== "string" || value.length <= LONGEST_TEXT) return value;
  return value.slice(0, LONGEST_TEXT) + ellipsis(isUnicode);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
