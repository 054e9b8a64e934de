import { fieldAt, valueAt, splitPath, type RecordShape } from "../../../api/record.ts";
import { onlyGroup, rowShape } from "../../../api/endpoint.ts";
import { writeDecimal } from "../../../base/json/exact-decimal.ts";
import { parseExact } from "../../../base/json/exact-json.ts";
import { isObject, member } from "../../../base/json/json-scan.ts";
import { wrapWords } from "../../../base/text/words.ts";
import { shownText } from "../../../base/text/unsafe-text.ts";
import { createPaint, type Paint } from "../terminal.ts";
import type { Presentation, Renderer } from "../renderer.ts";
import { type Cell, cellKind, type CellStyle, noValue, plain, showCell } from "../values/cell.ts";
import { readDecimal, showWholeAmount } from "../values/decimal.ts";
import { ellipsis, padding, textWidth } from "../values/width.ts";
import { plainColumn, type TableColumn } from "./columns.ts";
import { GAP, roomOf } from "./fit-columns.ts";
import { writeLines, createTableSection } from "./table-section.ts";

/** Draws a record as lines of names (as in `--fields`) and values. Windows and lists follow as small tables. */
export async function createRecordView(presentation: Presentation): Promise<Renderer> {
  const { output, endpoint, fields, now, isUnicode, isWide } = presentation;
  const paint = await createPaint(presentation.isColored);
  const shape = rowShape(endpoint).record;
  const hasAges = output.isTerminal;
  const countsZeros = isUnicode && hasAges;
  const style: CellStyle = { now, hasAges, isUnicode, countsZeros, isRoomy: true, findAsset: undefined };
  const room = isWide ? undefined : roomOf(output);
  const paths = fields === undefined ? [[]] : fields.map(splitPath);
  const partsOf = (row: string): readonly RecordPart[] => {
    const value = parseExact(row);
    return paths.flatMap((path) => recordParts(valueAt(value, path), path, shape, style));
  };
  let isFirst = true;

  return {
    page: async ({ rows }) => {
      for (const row of rows.texts()) {
        const earlier = presentation.before?.(onlyGroup, row);
        const parts = earlier === undefined ? partsOf(row) : markParts(partsOf(row), partsOf(earlier));
        const text = writeParts(parts, style, paint, room);
        await output.write(isFirst ? text : `\n${text}`);
        isFirst = false;
      }
    },
    end: () => Promise.resolve(),
  };
}

function writeParts(
  parts: readonly MarkedPart[],
  style: CellStyle,
  paint: Paint,
  room: number | undefined,
): string {
  const values = parts.filter((part) => part.kind === "value");
  const blocks = values.length > 0 ? [writeValues(values, paint, room)] : [];
  for (const part of parts) {
    if (part.kind === "value") continue;
    const { columns, rows, rowBefore } = part;
    const ofTable = { ...style, isRoomy: false, ...(rowBefore !== undefined && { rowBefore }) };
    const options = { columns, drawFirst: writeLines, style: ofTable, paint, room, hasHeader: true };
    const section = createTableSection(options);
    blocks.push(section.lines(rows));
  }
  return blocks.join("\n");
}

/** A longer name shifts only its own value to the right. */
const LONGEST_NAME = 32;
/** With less room, values are printed below the names. */
const LEAST_ROOM = 24;

function writeValues(
  values: readonly { readonly name: string; readonly cell: Cell }[],
  paint: Paint,
  room: number | undefined,
): string {
  const widths = values.map(({ name }) => textWidth(name)).filter((width) => width <= LONGEST_NAME);
  const nameWidth = Math.max(0, ...widths);
  const isStacked = room !== undefined && room < nameWidth + GAP + LEAST_ROOM;
  const indent = " ".repeat(isStacked ? GAP : nameWidth + GAP);
  let text = "";
  for (const { name, cell } of values) {
    const pieces = room === undefined ? [cell.text] : wrapWords(cell.text, room - indent.length, textWidth);
    const between = isStacked ? `\n${indent}` : padding(name, nameWidth) + " ".repeat(GAP);
    const lines = pieces.map((piece) => paint(piece, cell.tone)).join(`\n${indent}`);
    text += `${paint(name, "faint")}${between}${lines}\n`;
  }
  return text;
}

function markParts(parts: readonly RecordPart[], before: readonly RecordPart[]): readonly MarkedPart[] {
  const values = new Map(before.flatMap((part) => (part.kind === "value" ? [[part.name, part.cell]] : [])));
  const tables = before.filter((part) => part.kind === "table");
  let table = 0;
  return parts.map((part) => {
    if (part.kind === "value") {
      const earlier = values.get(part.name);
      if (earlier === undefined || earlier.text === part.cell.text) return part;
      return { ...part, cell: { text: `${part.cell.text} *`, tone: "changed" } };
    }
    const rows = tables[table]?.rows ?? [];
    table += 1;
    return { ...part, rowBefore: (row) => rows[part.rows.findIndex((each) => each === row)] };
  });
}

type MarkedPart = RecordPart & Pick<CellStyle, "rowBefore">;

/** Single values by path, and tables of nested objects. */
type RecordPart =
  | { readonly kind: "value"; readonly name: string; readonly cell: Cell }
  | { readonly kind: "table"; readonly columns: readonly TableColumn[]; readonly rows: readonly object[] };

/** Deeper paths are unreadable, and a document may have thousands of levels. */
const DEEPEST = 6;

/** Escaping a text and laying it out takes many times its memory. */
const LONGEST_TEXT = 10_000;

function recordParts(
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
  const raw = readDecimal(member(record, path.at(-1) ?? ""));
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
