import { isObject } from "../../json/own-member.ts";
import type { RecordShape } from "../../contract/record.ts";
import { cellKind, showCell, shownText, type Cell, type CellKind, type CellStyle } from "../values/cell.ts";
import type { TableColumn } from "./columns.ts";
import { fieldAt } from "../values/value-at.ts";

/** A record, taken apart for reading: single values by their path, and what is better read as a table. */
export type RecordPart =
  | { readonly kind: "value"; readonly name: string; readonly cell: Cell }
  | { readonly kind: "table"; readonly columns: readonly TableColumn[]; readonly rows: readonly object[] };

/** Nobody follows deeper paths, and a document may have thousands of levels. */
const DEEPEST = 6;

/** Nobody reads on for longer, and escaped and laid out a text takes many times its memory. */
const LONGEST_TEXT = 10_000;

/** The parts in the order of the record. `style` is that of the single values. */
export function recordParts(
  value: unknown,
  path: readonly string[],
  shape: RecordShape,
  style: CellStyle,
): readonly RecordPart[] {
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
    return [listTable(value, path, shape, style)];
  }
  if (!isObject(value) || path.length >= DEEPEST || Object.keys(value).length === 0) {
    const kind = cellKind(path.at(-1) ?? "", fieldAt(shape, path));
    const cell = isEmpty(value) ? noValue(style) : showCell(readable(value, style), kind, style);
    return [{ kind: "value", name: shownText(path.join("."), style), cell }];
  }
  const windows = Object.entries(value).filter(([name, member]) => WINDOW.test(name) && isObject(member));
  const windowNames = new Set(windows.map(([name]) => name));
  const others = Object.entries(value).filter(([name]) => !windowNames.has(name));
  const parts = others.flatMap(([name, member]) => recordParts(member, [...path, name], shape, style));
  return windows.length > 0 ? [...parts, windowTable(windows, path, shape, style)] : parts;
}

const WINDOW = /^\d{1,3}[smhd]$/;

/** One row a window: measures of one kind stand under each other, and seven windows fit 80 columns. */
function windowTable(
  windows: readonly (readonly [string, unknown])[],
  path: readonly string[],
  shape: RecordShape,
  style: CellStyle,
): RecordPart {
  const rows = windows.map(([name, values]) => ({ name, values }));
  const first = windows[0]?.[0] ?? "";
  const names = leadWith(MEASURES, memberNames(windows.map(([, values]) => values)));
  const kindOf = (name: string): CellKind => kindAt(shape, [...path, first, name]);
  const measures = names.map((name) => ({
    title: measureTitle(name),
    path: ["values", name],
    kind: kindOf(name),
  }));
  const named = { title: "window", path: ["name"], kind: "text" } as const;
  return { kind: "table", columns: partColumns([named, ...measures], style), rows };
}

/** The index comes first: it is what `--fields tokens.0.symbol` asks for. */
function listTable(
  items: readonly unknown[],
  path: readonly string[],
  shape: RecordShape,
  style: CellStyle,
): RecordPart {
  const rows = items.map((item, index) => ({ index: String(index), item }));
  const names = leadWith(DESCRIPTIONS, memberNames(items));
  const kindOf = (name: string): CellKind => kindAt(shape, [...path, "0", name]);
  const columns = names.map((name) => ({ title: name, path: ["item", name], kind: kindOf(name) }));
  const numbered = { title: path.join("."), path: ["index"], kind: "text" } as const;
  return { kind: "table", columns: partColumns([numbered, ...columns], style), rows };
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
  return measure === "last_price_usd_change" ? "change" : measure;
}

function kindAt(shape: RecordShape, path: readonly string[]): CellKind {
  return cellKind(path.at(-1) ?? "", fieldAt(shape, path));
}

interface PartColumn {
  readonly title: string;
  readonly path: readonly string[];
  readonly kind: CellKind;
}

/** They come by importance, and are read in that order too; but an address stands at the end, as in every table. */
function partColumns(columns: readonly PartColumn[], style: CellStyle): readonly TableColumn[] {
  const shown = columns.map(({ title, path, kind }, priority) => {
    const isWhole = kind !== "text" && kind !== "unknown";
    const words = shownText(title.toUpperCase().replaceAll("_", " "), style);
    return { title: words, priority, paths: [path], kind, isWhole, mayBeDigits: !isWhole, isAsked: false };
  });
  return shown.toSorted((a, b) => Number(a.kind === "address") - Number(b.kind === "address"));
}

function readable(value: unknown, { isUnicode }: CellStyle): unknown {
  if (typeof value !== "string" || value.length <= LONGEST_TEXT) return value;
  return value.slice(0, LONGEST_TEXT) + (isUnicode ? "…" : "...");
}

function noValue({ isUnicode }: CellStyle): Cell {
  return { text: isUnicode ? "–" : "-", tone: "faint" };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
