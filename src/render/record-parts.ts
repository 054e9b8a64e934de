import { isObject } from "../model/own-member.ts";
import type { RecordShape } from "../model/record.ts";
import { cellKind, showCell, type Cell, type CellKind, type CellStyle } from "./cell.ts";
import type { TableColumn } from "./columns.ts";
import { visibleText } from "./sanitise.ts";
import { fieldAt } from "./value-at.ts";

/** A record, taken apart for reading: single values by their path, and what is better read as a table. */
export type RecordPart =
  | { readonly kind: "value"; readonly name: string; readonly cell: Cell }
  | { readonly kind: "table"; readonly columns: readonly TableColumn[]; readonly rows: readonly object[] };

/** Nobody follows deeper paths, and a document may have thousands of levels. */
const DEEPEST = 6;

/** The parts in the order of the record. `style` is that of the single values. */
export function recordParts(
  value: unknown,
  path: readonly string[],
  shape: RecordShape,
  style: CellStyle,
): readonly RecordPart[] {
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
    return [listTable(value, path, shape)];
  }
  if (!isObject(value) || path.length >= DEEPEST || Object.keys(value).length === 0) {
    const kind = cellKind(path.at(-1) ?? "", fieldAt(shape, path));
    const cell = isEmpty(value) ? noValue(style) : showCell(value, kind, style);
    return [{ kind: "value", name: visibleText(path.join(".")), cell }];
  }
  const windows = Object.entries(value).filter(([name, member]) => WINDOW.test(name) && isObject(member));
  const windowNames = new Set(windows.map(([name]) => name));
  const others = Object.entries(value).filter(([name]) => !windowNames.has(name));
  const parts = others.flatMap(([name, member]) => recordParts(member, [...path, name], shape, style));
  return windows.length > 0 ? [...parts, windowTable(windows, path, shape)] : parts;
}

const WINDOW = /^\d{1,3}[smhd]$/;

/** One row a window: measures of one kind stand under each other, and seven windows fit 80 columns. */
function windowTable(
  windows: readonly (readonly [string, unknown])[],
  path: readonly string[],
  shape: RecordShape,
): RecordPart {
  const rows = windows.map(([name, values]) => ({ name, values }));
  const first = windows[0]?.[0] ?? "";
  const names = leadWith(MEASURES, memberNames(windows.map(([, values]) => values)));
  const measures = names.map((name) =>
    partColumn(measureTitle(name), ["values", name], kindAt(shape, [...path, first, name])),
  );
  return { kind: "table", columns: [partColumn("WINDOW", ["name"], "text"), ...measures], rows };
}

/** The index comes first: it is what `--fields tokens.0.symbol` asks for. */
function listTable(items: readonly unknown[], path: readonly string[], shape: RecordShape): RecordPart {
  const rows = items.map((item, index) => ({ index: String(index), item }));
  const names = leadWith(DESCRIPTIONS, memberNames(items));
  const columns = names.map((name) =>
    partColumn(name.toUpperCase().replaceAll("_", " "), ["item", name], kindAt(shape, [...path, "0", name])),
  );
  return {
    kind: "table",
    columns: [partColumn(path.join(".").toUpperCase(), ["index"], "text"), ...columns],
    rows,
  };
}

/** What a narrow window keeps; the rest follows as it comes. */
const MEASURES = [
  "last_price_usd_change",
  "volume_usd",
  "txns",
  "buys",
  "buy",
  "sells",
  "sell",
  "buy_usd",
  "sell_usd",
];
/** What names a thing to a person, then what names it to the service. */
const DESCRIPTIONS = ["symbol", "id", "name", "decimals"];

function leadWith(leading: readonly string[], names: readonly string[]): readonly string[] {
  const present = new Set(names);
  const first = leading.filter((name) => present.has(name));
  return [...new Set([...first, ...names])];
}

/** Names of the members that are no objects themselves, in the order in which they first appear. */
function memberNames(holders: readonly unknown[]): readonly string[] {
  const names = new Set<string>();
  for (const holder of holders) {
    for (const [name, value] of Object.entries(isObject(holder) ? holder : {})) {
      if (typeof value !== "object" || value === null) names.add(name);
    }
  }
  return [...names];
}

function measureTitle(measure: string): string {
  return (measure === "last_price_usd_change" ? "change" : measure).toUpperCase().replaceAll("_", " ");
}

function kindAt(shape: RecordShape, path: readonly string[]): CellKind {
  return cellKind(path.at(-1) ?? "", fieldAt(shape, path));
}

function partColumn(title: string, path: readonly string[], kind: CellKind): TableColumn {
  const isWhole = kind !== "text" && kind !== "unknown";
  return { title: visibleText(title), paths: [path], kind, isWhole, mayBeDigits: !isWhole, isAsked: false };
}

function noValue({ isUnicode }: CellStyle): Cell {
  return { text: isUnicode ? "–" : "-", tone: "faint" };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
